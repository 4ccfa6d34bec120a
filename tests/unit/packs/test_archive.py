"""The ZIP reader: ordinary ZIPs open, hostile ones are refused with the member's name."""

from __future__ import annotations

import contextlib
import io
import random
import struct
import zipfile
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.zipwriter import ZipWriter
from tests.unit.packs.helpers import small_pack


def make(path: Path, members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """An ordinary ZIP as other tools make it."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def renamed(path: Path, old: bytes, new: bytes) -> Path:
    """Replace a member name of equal length in both headers."""
    assert len(old) == len(new)
    path.write_bytes(path.read_bytes().replace(old, new))
    return path


def refused(path: Path) -> str:
    with pytest.raises(PackInvalid) as caught:
        archive = PackArchive(path)
        try:
            for name in archive.members:
                list(archive.stream(name))
        finally:
            archive.close()
    assert caught.value.hint
    return caught.value.message


def test_reads_what_zipfile_writes(tmp_path: Path) -> None:
    """Intent: published packs, deflated or stored, with any contents."""
    members = [
        ("a.txt", b"hello" * 5000),
        ("dir/b.bin", random.Random(1).randbytes(2_500_000)),
        ("empty", b""),
    ]
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        archive = PackArchive(make(tmp_path / "x.zip", members, method))
        assert {name: archive.read(name, 1 << 30) for name in archive.members} == dict(members)
        with pytest.raises(PackInvalid, match=r"a\.txt is not usable: it is larger"):
            archive.read("a.txt", 10)
        with pytest.raises(PackInvalid, match=r"nothing .*missing"):
            archive.member("nothing")
        archive.close()


def test_zipfile_reads_what_we_write(tmp_path: Path) -> None:
    """Intent: any tool opens our packs; stored members are aligned and lie there as they are."""
    path = tmp_path / "ours.zip"
    with path.open("wb") as file:
        writer = ZipWriter(file)
        writer.add_stored("indexes/a", io.BytesIO(b"A" * 100_000), align=True)
        writer.add_stored("indexes/b", io.BytesIO(b"B" * 5000), align=True)
        writer.add_deflated("documents/é.txt", b"text" * 1000)
        expected = writer.size_with("m", 3)
        writer.add_stored("m", io.BytesIO(b"{}\n"), align=False)
        assert writer.finish() == expected == path.stat().st_size or file.tell() == expected
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["indexes/a", "indexes/b", "documents/é.txt", "m"]
    ours = PackArchive(path)
    for name in ("indexes/a", "indexes/b"):
        member = ours.member(name)
        assert member.stored and member.offset % 65_536 == 0
        data = path.read_bytes()[member.offset : member.offset + member.bytes]
        assert data == ours.read(name, 1 << 20)
    ours.close()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil", "leaves"), ("/etc/evil", "absolute"), ("a/./evil", "leaves"), ("a//evil", "leaves"),
        ("dir/", "leaves"), ("c:/evil", "absolute"), ("a/../evil", "leaves"),
    ],
)  # fmt: skip
def test_names_that_leave_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    """Intent: a member can never be written or read outside its place."""
    message = refused(make(tmp_path / "x.zip", [("ok", b"1"), (name, b"2")]))
    assert reason in message


def test_backslash_and_nul_are_refused(tmp_path: Path) -> None:
    """Intent: zipfile would cut a name at NUL; we name it."""
    path = renamed(make(tmp_path / "x.zip", [("aXevil", b"1")]), b"aXevil", b"a\\evil")
    assert "backslash" in refused(path)
    path = renamed(make(tmp_path / "x.zip", [("aXevil", b"1")]), b"aXevil", b"a\0evil")
    assert "control" in refused(path)
    path = renamed(make(tmp_path / "x.zip", [("aXevil", b"1")]), b"aXevil", b"a\xffevil")
    assert "UTF-8" in refused(path)


def test_duplicates_and_case_twins_are_refused(tmp_path: Path) -> None:
    """Intent: two members of one name, or of names that one file system would merge."""
    path = renamed(make(tmp_path / "x.zip", [("aaa", b"1"), ("bbb", b"2")]), b"bbb", b"aaa")
    assert "aaa is not usable: it is there twice" in refused(path)
    assert "capitals" in refused(make(tmp_path / "x.zip", [("read.txt", b"1"), ("READ.txt", b"2")]))


def test_bombs_are_refused(tmp_path: Path) -> None:
    """Intent: a member cannot expand beyond reason, nor beyond what it declares."""
    assert "expands" in refused(make(tmp_path / "x.zip", [("bomb", bytes(20_000_000))]))
    path = make(tmp_path / "x.zip", [("a", b"abc" * 4000)])
    data = path.read_bytes().replace(struct.pack("<I", 12_000), struct.pack("<I", 11_000))
    path.write_bytes(data)
    assert "longer than it says" in refused(path)
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(20_020):
            archive.writestr(str(number), b"")
    assert "members" in refused(tmp_path / "many.zip")


def test_links_and_encryption_are_refused(tmp_path: Path) -> None:
    """Intent: nothing that is not a plain file."""
    info = zipfile.ZipInfo("link")
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(info, b"/etc/passwd")
    assert "symbolic link" in refused(tmp_path / "x.zip")
    path = make(tmp_path / "x.zip", [("a", b"1")])
    data = bytearray(path.read_bytes())
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "encrypted" in refused(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a", b"x" * 100)
    assert "compression" in refused(path)


def test_damage_is_found(tmp_path: Path) -> None:
    """Intent: cut, prefixed, suffixed, flipped, overlapping: all refused."""
    good = make(tmp_path / "x.zip", [("a", b"hello world" * 50), ("b", b"more" * 100)]).read_bytes()
    path = tmp_path / "bad.zip"
    for data in (
        b"",
        b"PK",
        good[:-1],
        good[: len(good) // 2],
        b"junk" + good,
        good + b"junk",
        b"<html>" * 99,
    ):
        path.write_bytes(data)
        refused(path)
    flipped = bytearray(good)
    flipped[40] ^= 0x55
    path.write_bytes(flipped)
    assert "damaged" in refused(path)
    overlap = bytearray(good)
    second = good.rfind(b"PK\x01\x02")
    first = good.find(b"PK\x01\x02")
    overlap[second + 42 : second + 46] = good[first + 42 : first + 46]
    path.write_bytes(overlap)
    assert "headers differ" in refused(path)


def test_random_damage_never_escapes_as_another_error(tmp_path: Path) -> None:
    """Intent: 300 mutated packs: refused or read, never a crash of another kind."""
    good = small_pack(tmp_path).read_bytes()
    rng = random.Random(7)
    path = tmp_path / "mutated.zip"
    edges = [*range(200), *range(len(good) - 4000, len(good))]
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            data[rng.choice(edges)] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            archive = PackArchive(path)
        except PackInvalid:
            continue
        for name in archive.members:
            with contextlib.suppress(PackInvalid):
                archive.read(name, 1 << 30)
        archive.close()
