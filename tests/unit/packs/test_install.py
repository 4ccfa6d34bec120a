"""Installing and opening: all or nothing, and a source that reads what it cites."""

from __future__ import annotations

import asyncio
import errno
import hashlib
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cairn.errors import (
    CairnError,
    DocumentCorrupt,
    DocumentNotFound,
    DownloadFailed,
    PackInvalid,
    PackMismatch,
    StorageFull,
)
from cairn.index.types import LexicalQuery
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.install import (
    InstalledPack,
    install,
    open_installed,
    verify_installed,
)
from cairn.sources.packs.source import PackSource
from cairn.sources.types import VectorModel
from tests.unit.packs.helpers import MODEL, drive, fake_embed, silent, small_pack


class Setting:
    """A stored pack to fetch, and a place to install it."""

    def __init__(self, tmp_path: Path) -> None:
        self.pack = small_pack(tmp_path)
        self.fetch = LocalFetch(tmp_path)
        self.root = tmp_path / "stored"
        self.files = DirectoryFiles(self.root)
        self.sha256 = hashlib.sha256(self.pack.read_bytes()).hexdigest()

    def install(self, expected: str | None = None) -> InstalledPack:
        return drive(install(self.files, self.fetch, "test.zip", silent, expected_sha256=expected))

    def open(self) -> PackSource:
        return drive(open_installed(self.files, self.install().record))

    def names(self) -> list[str]:
        return [info.name for info in drive(self.files.list())]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


def test_install_then_open(setting: Setting) -> None:
    """Intent: verified, named by version and hash, opened in place, searched by words and vectors."""
    seen: list[str] = []
    installed = drive(
        install(setting.files, setting.fetch, "test.zip", lambda phase, done, total: seen.append(phase))
    )
    assert list(dict.fromkeys(seen)) == ["download", "hash", "index"]
    assert (installed.id, installed.version, installed.sha256) == ("test-notes", "1.0", setting.sha256)
    assert setting.names() == [installed.record["file"]]
    source = drive(open_installed(setting.files, installed.record))
    assert (source.id, source.title, source.vector_model) == ("test-notes", "Test notes", MODEL)
    assert source.describe() == {
        "id": "test-notes", "kind": "pack", "title": "Test notes", "version": "1.0",
        "languages": ["eng", "zho"], "documents": 3, "passages": source.passage_count,
        "bytes": setting.pack.stat().st_size, "licence": "CC0-1.0", "notice": "Only a test.",
    }  # fmt: skip
    (hit,) = source.search_words(LexicalQuery(("tinder",)), 5)
    (passage,) = source.passages([hit.row])
    assert passage.document_id == "fire" and passage.source_id == "test-notes"
    assert source.document_frequency(["tinder", "水"])["tinder"] == 1
    query = array("f", fake_embed(["anything"])[0])
    assert len(source.search_vector(query, 3)) == 3
    source.close()


def test_documents_are_read_verified_and_marked(setting: Setting) -> None:
    """Intent: the reader gets the text as published, and where each passage stands in it."""
    source = setting.open()
    document = source.document("boiling-water")
    assert document.text.startswith("# Boiling water")
    assert hashlib.sha256(document.text.encode()).hexdigest() == document.sha256
    assert document.references == (("A guide", "https://example.org/guide"),)
    assert document.source_url == ""
    places = source.locate_passages(document)
    assert len(places) > 1
    assert "".join(document.text[p["start"] : p["end"]] for p in places) == document.text
    assert all(p["id"].startswith("boiling-water:") for p in places)
    with pytest.raises(DocumentNotFound):
        source.document("../../etc/passwd")
    source.close()


def test_a_document_that_changed_is_refused(setting: Setting) -> None:
    """Intent: a text that is not what was published is never shown."""
    installed = setting.install()
    (stored,) = setting.root.glob("packs/*.zip")
    archive = PackArchive(stored)
    place = archive.member("documents.txt").offset + 100
    archive.close()
    data = bytearray(stored.read_bytes())
    data[place] ^= 0xFF
    stored.write_bytes(data)
    source = drive(open_installed(setting.files, installed.record))
    with pytest.raises(DocumentCorrupt, match="Fire"):
        source.document("fire")
    with pytest.raises((DocumentCorrupt, PackInvalid)):
        source.passages(range(source.passage_count))
    source.close()


def test_a_wrong_hash_installs_nothing(setting: Setting) -> None:
    """Intent: the promised pack or none."""
    with pytest.raises(PackMismatch):
        setting.install("0" * 64)
    assert setting.names() == []
    assert setting.install(setting.sha256).sha256 == setting.sha256


def test_damaged_packs_install_nothing(setting: Setting) -> None:
    """Intent: any flipped or cut byte is found before the pack gets its name."""
    good = setting.pack.read_bytes()
    for position in range(100, len(good), max(1, len(good) // 40)):
        data = bytearray(good)
        data[position] ^= 0x10
        setting.pack.write_bytes(data)
        try:
            setting.install()
        except (PackInvalid, PackMismatch):
            pass
        else:
            pytest.fail(f"byte {position} was changed and nobody noticed")
        assert setting.names() == []
    setting.pack.write_bytes(good[:-50])
    with pytest.raises(PackInvalid):
        setting.install()
    assert setting.names() == [] and not list(setting.root.rglob("*.bin"))


def test_what_is_no_pack(setting: Setting, tmp_path: Path) -> None:
    """Intent: an HTML page, an empty body or nothing at the address is said plainly."""
    setting.pack.write_bytes(b"<!doctype html>")
    with pytest.raises(DownloadFailed, match="not a pack"):
        setting.install()
    setting.pack.write_bytes(b"")
    with pytest.raises(DownloadFailed, match="empty"):
        setting.install()
    setting.pack.unlink()
    with pytest.raises(DownloadFailed, match=r"test\.zip"):
        setting.install()
    assert setting.names() == []


class Breaking:
    """A fetch that fails after some bytes."""

    def __init__(self, data: bytes, error: BaseException) -> None:
        self._data, self._error = data, error

    async def read(self, url: str) -> bytes:
        raise self._error

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        yield self._data
        raise self._error


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (DownloadFailed("cut"), DownloadFailed),
        (OSError(errno.ENOSPC, "No space left on device"), StorageFull),
        (OSError(errno.EIO, "I/O error"), CairnError),
        (asyncio.CancelledError(), asyncio.CancelledError),
    ],
    ids=["network", "full", "disk", "stopped"],
)
def test_a_broken_download_leaves_nothing(
    setting: Setting, error: BaseException, raised: type[BaseException]
) -> None:
    """Intent: whatever stops an install, the device is as before."""
    fetch = Breaking(setting.pack.read_bytes()[:5000], error)
    with pytest.raises(raised):
        drive(install(setting.files, fetch, "x", silent))
    assert setting.names() == []


def test_two_installs_never_share_a_file(setting: Setting) -> None:
    """Intent: a new version is there beside the old one until it is recorded."""
    setting.install()
    setting.install()
    assert len(setting.names()) == 2


def test_verifying_again_finds_what_changed(setting: Setting) -> None:
    """Intent: bytes that rot on the device are found, and named."""
    installed = setting.install()
    seen: list[str] = []
    drive(verify_installed(setting.files, installed.record, lambda phase, done, total: seen.append(phase)))
    assert list(dict.fromkeys(seen)) == ["hash", "index"]
    (stored,) = setting.root.glob("packs/*.zip")
    archive = PackArchive(stored)
    member = archive.member("indexes/keywords.sqlite3")
    archive.close()
    data = bytearray(stored.read_bytes())
    data[member.offset + member.bytes // 2] ^= 1
    stored.write_bytes(data)
    with pytest.raises((PackInvalid, PackMismatch), match=r"keywords\.sqlite3"):
        drive(verify_installed(setting.files, installed.record, silent))


def test_a_missing_or_cut_file_is_said(setting: Setting) -> None:
    """Intent: opening never invents an empty file."""
    installed = setting.install()
    (stored,) = setting.root.glob("packs/*.zip")
    stored.write_bytes(stored.read_bytes()[:-10])
    with pytest.raises(PackInvalid, match="gone or was cut"):
        drive(open_installed(setting.files, installed.record))
    stored.unlink()
    with pytest.raises(PackInvalid, match="gone or was cut"):
        drive(open_installed(setting.files, installed.record))
    assert setting.names() == []


def test_a_pack_without_vectors_searches_words(tmp_path: Path) -> None:
    """Intent: no vectors is no error: there is no vector model and no vector hit."""
    pack = small_pack(tmp_path, vectors=False)
    files = DirectoryFiles(tmp_path / "stored")
    installed = drive(install(files, LocalFetch(pack.parent), pack.name, silent))
    source = drive(open_installed(files, installed.record))
    model: VectorModel | None = source.vector_model
    assert model is None and source.search_vector(array("f", [1.0] * 32), 5) == []
    source.close()
