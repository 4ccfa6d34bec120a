"""Three hundred packs that were changed: none crashes, none is taken, the installed one still answers."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cairn.errors import CairnError
from cairn.index.types import LexicalQuery
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.install import install, open_installed
from tests.unit.packs.helpers import drive, silent, small_pack

PACKS = 150  # of each layout
Change = Callable[[bytearray, random.Random], None]


def flip_a_bit(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def flip_in_the_structure(data: bytearray, rng: random.Random) -> None:
    """Headers, manifest and directory are a small part; this looks for them."""
    places = [at for magic in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b'{"', b"SQLite", b"WBVE5Q8")
              for at in _all(data, magic)]  # fmt: skip
    data[min(len(data) - 1, rng.choice(places) + rng.randrange(60))] ^= rng.randrange(1, 256)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def remove(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.randrange(1, 5000)]


def insert(data: bytearray, rng: random.Random) -> None:
    at = rng.choice((0, len(data), rng.randrange(len(data))))
    data[at:at] = rng.randbytes(rng.randrange(1, 200))


def blank(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) - 600)
    data[start : start + 512] = bytes(512) if any(data[start : start + 512]) else b"\xff" * 512


def swap(data: bytearray, rng: random.Random) -> None:
    one, other = rng.randrange(len(data) - 300), rng.randrange(len(data) - 300)
    data[one : one + 256], data[other : other + 256] = data[other : other + 256], data[one : one + 256]


CHANGES: tuple[Change, ...] = (flip_a_bit, flip_in_the_structure, cut, remove, insert, blank, swap)


def _all(data: bytearray, magic: bytes) -> list[int]:
    found, at = [], data.find(magic)
    while at >= 0:
        found.append(at)
        at = data.find(magic, at + 1)
    return found


@pytest.mark.parametrize("compatible", [False, True], ids=["compact", "published"])
def test_changed_packs_are_refused_and_change_nothing(tmp_path: Path, compatible: bool) -> None:
    """Intent: whatever happened to a file, the person reads a sentence and keeps the library."""
    pack = small_pack(tmp_path, compatible=compatible)
    good = pack.read_bytes()
    files = DirectoryFiles(tmp_path / "stored")
    installed = drive(install(files, LocalFetch(tmp_path), pack.name, silent))
    active = drive(open_installed(files, installed.record))
    names = [info.name for info in drive(files.list())]
    rng = random.Random(20261201)
    tried = 0
    while tried < PACKS:
        data = bytearray(good)
        change = CHANGES[tried % len(CHANGES)]
        change(data, rng)
        if data == good:
            continue
        tried += 1
        pack.write_bytes(data)
        try:
            taken = drive(install(files, LocalFetch(tmp_path), pack.name, silent))
        except CairnError as error:
            assert error.message.endswith(".") and "\n" not in error.message
        else:
            # Only bytes that nothing reads: what others' ZIP tools write between the members.
            assert not compatible or same_members(tmp_path, good, bytes(data)), change.__name__
            assert compatible, f"{change.__name__} was taken"
            drive(files.remove(str(taken.record["file"])))
        assert [info.name for info in drive(files.list())] == names
        (hit,) = active.search_words(LexicalQuery(("tinder",)), 5)
        assert active.passages([hit.row])[0].document_id == "fire"
    active.close()


def same_members(folder: Path, good: bytes, changed: bytes) -> bool:
    """Whether both have the same members with the same contents."""
    contents = []
    for data in (good, changed):
        path = folder / "compared.zip"
        path.write_bytes(data)
        with closing(PackArchive(path)) as archive:
            contents.append({name: archive.read(name, 1 << 30) for name in archive.members})
    return contents[0] == contents[1]


def bomb(path: Path, entries: dict[str, int]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, size in entries.items():
            archive.writestr(name, bytes(size))
    return path


def refusal(folder: Path, pack: Path) -> str:
    files = DirectoryFiles(folder / "stored")
    with pytest.raises(CairnError) as caught:
        drive(install(files, LocalFetch(folder), pack.name, silent))
    assert drive(files.list()) == []
    return caught.value.message


def test_bombs_are_refused_before_they_unfold(tmp_path: Path) -> None:
    """Intent: ratio, ten thousand entries, a ZIP in a ZIP, members that claim four gigabytes."""
    assert "documents/a.txt" in refusal(tmp_path, bomb(tmp_path / "r.zip", {"documents/a.txt": 64 << 20}))
    many = bomb(tmp_path / "m.zip", {f"documents/{number}.txt": 10 for number in range(10_000)})
    assert "manifest.json" in refusal(tmp_path, many)
    inner = bomb(tmp_path / "inner.zip", {"a": 900_000}).read_bytes()
    pack = small_pack(tmp_path)
    with zipfile.ZipFile(pack, "a") as archive:
        archive.writestr("indexes/inner.zip", inner)
    assert "indexes/inner.zip is not declared" in refusal(tmp_path, pack)
    large = bomb(tmp_path / "l.zip", {"manifest.json": 10})
    data = bytearray(large.read_bytes())
    at = data.find(b"PK\x01\x02") + 24
    data[at : at + 4] = b"\xff\xff\xff\xff"
    large.write_bytes(data)
    assert "4 GiB" in refusal(tmp_path, large)
    too_many = bomb(tmp_path / "t.zip", {str(number): 0 for number in range(20_011)})
    assert "more than" in refusal(tmp_path, too_many)
