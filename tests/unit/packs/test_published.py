"""The published Emergency Box pack installs unchanged: indexes unpacked once, or built from nothing."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.index.types import LexicalQuery
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.install import install, open_installed, stored_files, verify_installed
from tests.unit.packs.helpers import drive, fake_embed, silent, small_pack
from tests.unit.packs.published import deflated, schema_one


def names(files: DirectoryFiles) -> set[str]:
    return {info.name for info in drive(files.list("packs/"))}


@pytest.mark.parametrize(("make", "vectors"), [(deflated, True), (schema_one, False)])
def test_it_installs_opens_and_verifies(
    tmp_path: Path, make: Callable[[Path, Path], Path], vectors: bool
) -> None:
    """Intent: searched like ours, documents read out of the ZIP, every byte accounted for."""
    ours = small_pack(tmp_path, compatible=True)
    make(ours, tmp_path / "theirs.zip")
    files = DirectoryFiles(tmp_path / "stored")
    phases: list[str] = []
    fetch = LocalFetch(tmp_path)
    installed = drive(install(files, fetch, "theirs.zip", lambda phase, done, total: phases.append(phase)))
    assert list(dict.fromkeys(phases)) == (
        ["download", "unpack", "hash", "index"] if vectors else ["download", "hash", "build"]
    )
    assert names(files) == stored_files(installed.record)
    assert len(names(files)) == (3 if vectors else 2)
    sizes = sum(info.bytes for info in drive(files.list("packs/")))
    assert installed.record["stored_bytes"] == sizes

    source = drive(open_installed(files, installed.record))
    (hit,) = source.search_words(LexicalQuery(("tinder",)), 5)
    assert source.passages([hit.row])[0].document_id == "fire"
    assert source.document("fire").text.startswith("# Fire")
    found = source.search_vector(array("f", fake_embed(["anything"])[0]), 3)
    assert len(found) == (3 if vectors else 0)
    assert source.passage_count == drive(_ours(tmp_path)).passage_count
    source.close()
    drive(verify_installed(files, installed.record, silent))


async def _ours(tmp_path: Path):  # type: ignore[no-untyped-def]
    files = DirectoryFiles(tmp_path / "ours")
    return await open_installed(
        files, (await install(files, LocalFetch(tmp_path), "test.zip", silent)).record
    )


def test_a_lost_index_is_said(tmp_path: Path) -> None:
    theirs = deflated(small_pack(tmp_path, compatible=True), tmp_path / "theirs.zip")
    files = DirectoryFiles(tmp_path / "stored")
    installed = drive(install(files, LocalFetch(tmp_path), theirs.name, silent))
    drive(files.remove(installed.record["indexes"]["fts5"]))
    with pytest.raises(PackInvalid, match="gone or was cut"):
        drive(open_installed(files, installed.record))


@pytest.mark.parametrize("make", [deflated, schema_one])
def test_damaged_ones_leave_nothing(tmp_path: Path, make: Callable[[Path, Path], Path]) -> None:
    theirs = make(small_pack(tmp_path, compatible=True), tmp_path / "theirs.zip")
    good = theirs.read_bytes()
    files = DirectoryFiles(tmp_path / "stored")
    refused = 0
    for position in range(60, len(good), max(1, len(good) // 30)):
        data = bytearray(good)
        data[position] ^= 0x10
        theirs.write_bytes(data)
        try:
            installed = drive(install(files, LocalFetch(tmp_path), theirs.name, silent))
        except Exception as error:  # noqa: BLE001
            refused += type(error).__module__ == "cairn.errors"
            assert names(files) == set(), position
        else:  # a date or another field of a ZIP header that nothing reads
            for name in stored_files(installed.record):
                drive(files.remove(name))
    assert refused > 20
