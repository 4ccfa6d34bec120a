"""Bytes at offsets: parts as one space, bounded caches, merged reads, files that go away."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cairn.errors import ArchiveInvalid
from cairn.sources.archives.reader import (
    PAGE,
    ByteReader,
    BytesReader,
    CachedReader,
    FileReader,
    JoinedReader,
    SliceReader,
    read_ranges,
)
from cairn.sources.archives.splits import is_part, order_parts

DATA = random.Random(1).randbytes(12 * PAGE + 123)


class Counting:
    """Counts the reads that reach it."""

    def __init__(self) -> None:
        self.size = len(DATA)
        self.reads: list[tuple[int, int]] = []

    def read(self, offset: int, length: int) -> bytes:
        self.reads.append((offset, length))
        return DATA[offset : offset + length]


def adapters(folder: Path) -> list[ByteReader]:
    path = folder / "data"
    path.write_bytes(DATA)
    parts = [BytesReader(DATA[:10]), BytesReader(b""), BytesReader(DATA[10:PAGE]), BytesReader(DATA[PAGE:])]
    return [
        BytesReader(DATA),
        FileReader(path),
        FileReader(path.open("rb")),
        SliceReader(BytesReader(b"before" + DATA + b"after"), 6, len(DATA)),
        JoinedReader(parts),
        CachedReader(BytesReader(DATA), 8 * PAGE),
    ]


def test_every_adapter_reads_the_same(tmp_path: Path) -> None:
    """Intent: one behaviour of the port, whatever is behind it."""
    dice = random.Random(2)
    for reader in adapters(tmp_path):
        assert reader.size == len(DATA)
        for _ in range(200):
            offset = dice.randrange(len(DATA))
            length = dice.randrange(min(3 * PAGE, len(DATA) - offset) + 1)
            assert reader.read(offset, length) == DATA[offset : offset + length]
        for offset, length in ((-1, 2), (0, -1), (len(DATA), 1), (len(DATA) - 1, 2), (2**40, 1)):
            with pytest.raises(ArchiveInvalid):
                reader.read(offset, length)


def test_cache_reads_missing_pages_at_once_and_stays_bounded() -> None:
    """Intent: a read costs 2 ms in a browser whatever its size."""
    source = Counting()
    reader = CachedReader(source, 32 * PAGE)
    reader.read(100, PAGE)
    reader.read(50, 2 * PAGE - 60)
    assert source.reads == [(0, 2 * PAGE)]
    small = CachedReader(source, 0)
    for at in range(0, len(DATA) - 10, 100):
        assert small.read(at, 10) == DATA[at : at + 10]
        assert len(small._pages) <= 8


def test_near_ranges_are_one_read() -> None:
    """Intent: blocks of a list are fetched together."""
    source = Counting()
    ranges = [(0, 10), (20, 10), (40, 5)]
    assert read_ranges(source, ranges) == [DATA[o : o + n] for o, n in ranges]
    assert source.reads == [(0, 45)]


def test_a_file_that_goes_away_is_a_typed_error(tmp_path: Path) -> None:
    """Intent: moved, changed or refused files tell the person what to do."""
    path = tmp_path / "x.zim"
    with pytest.raises(ArchiveInvalid, match="can no longer be read") as caught:
        FileReader(path)
    assert "again" in caught.value.hint
    assert caught.value.retryable
    path.write_bytes(DATA)
    reader = FileReader(path)
    path.write_bytes(DATA[:50])
    with pytest.raises(ArchiveInvalid):
        reader.read(40, 20)
    reader.close()
    with pytest.raises(ArchiveInvalid):
        reader.read(0, 1)


def test_parts_are_ordered_and_missing_ones_named() -> None:
    """Intent: a set picked in any order works; a gap is named."""
    assert order_parts(["w.zimac", "w.zimaa", "w.zimab"]) == ["w.zimaa", "w.zimab", "w.zimac"]
    assert is_part("W.ZIMAB")
    assert not is_part("w.zim")
    for names in (["w.zimaa", "w.zimac"], ["w.zimab"], ["w.zimaa", "v.zimab"], ["w.zimaa", "w.zim"]):
        with pytest.raises(ArchiveInvalid) as caught:
            order_parts(names)
        assert ".zimab" in caught.value.hint
