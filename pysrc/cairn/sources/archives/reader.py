"""The one port of archives, "read n bytes at an offset", and its adapters.

A picked file costs 2 ms per read in a browser whatever its size up to about 200 kB (FORMATS.md
2.6), so reads are merged: :class:`CachedReader` fetches runs of missing pages at once and
:func:`read_ranges` joins neighbouring ranges. Offsets are Python ints and may pass 4 GiB.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from cairn.errors import ArchiveInvalid
from cairn.sources.archives.guard import damaged

PAGE = 65_536
MERGE_GAP = 131_072
"""Bytes read for nothing that are cheaper than one more read."""

MERGE_LIMIT = 1_048_576


class ByteReader(Protocol):
    """Bytes at offsets: a file, a slice of one, or several as one address space."""

    @property
    def size(self) -> int:
        """Bytes there are."""

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes; raises ArchiveInvalid when they are not all there."""


def check_range(size: int, offset: int, length: int) -> None:
    """Raise ArchiveInvalid unless [offset, offset + length) lies inside ``size`` bytes."""
    if offset < 0 or length < 0 or offset + length > size:
        raise damaged(f"{length} bytes at {offset} lie outside its {size} bytes")


class BytesReader:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.size, offset, length)
        return self._data[offset : offset + length]


class FileReader:
    """A file that stays where it is, by path or as an open seekable binary file."""

    def __init__(self, file: str | Path | BinaryIO) -> None:
        try:
            self._file = _open(file) if isinstance(file, str | Path) else file
            self.size = self._file.seek(0, 2)
        except OSError as error:
            raise _unreadable(error) from error

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.size, offset, length)
        parts = []
        try:
            self._file.seek(offset)
            while length:
                part = self._file.read(length)
                if not part:
                    raise damaged(f"the file ended {length} bytes early")
                parts.append(part)
                length -= len(part)
        except (OSError, ValueError) as error:  # ValueError: closed
            raise _unreadable(error) from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Close the file; later reads raise ArchiveInvalid."""
        self._file.close()


class SliceReader:
    """A part of another reader: an archive embedded in a file, a database inside an archive."""

    def __init__(self, inner: ByteReader, offset: int, length: int) -> None:
        check_range(inner.size, offset, length)
        self._inner = inner
        self._offset = offset
        self.size = length

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.size, offset, length)
        return self._inner.read(self._offset + offset, length)


class JoinedReader:
    """Several parts, in their order, as one address space (``x.zimaa``, ``x.zimab`` …)."""

    def __init__(self, parts: Sequence[ByteReader]) -> None:
        self._parts = list(parts)
        self._starts = [0, *accumulate(part.size for part in self._parts)]
        self.size = self._starts[-1]

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.size, offset, length)
        found = []
        index = max(0, bisect_right(self._starts, offset) - 1)
        while length:
            inside = offset - self._starts[index]
            take = min(length, self._parts[index].size - inside)
            if take:
                found.append(self._parts[index].read(inside, take))
            offset += take
            length -= take
            index += 1
        return found[0] if len(found) == 1 else b"".join(found)


class CachedReader:
    """Pages of another reader, the least recently used dropped first.

    Reads of more than an eighth of the cache pass by it. Invariant: ``len(pages) * PAGE <= limit``.
    """

    def __init__(self, inner: ByteReader, limit: int = 8 * 1_048_576) -> None:
        self.inner = inner
        self.size = inner.size
        self._most = max(8, limit // PAGE)
        self._pages: OrderedDict[int, bytes] = OrderedDict()

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.size, offset, length)
        if length > self._most * PAGE // 8:
            return self.inner.read(offset, length)
        first, last = offset // PAGE, max(offset, offset + length - 1) // PAGE
        if length == 0:
            return b""
        if first == last and first in self._pages:
            self._pages.move_to_end(first)
            data = self._pages[first]
        else:
            data = b"".join(self._fetch(first, last))
        inside = offset - first * PAGE
        return data[inside : inside + length]

    def _fetch(self, first: int, last: int) -> list[bytes]:
        missing = [page for page in range(first, last + 1) if page not in self._pages]
        if missing:
            start, end = missing[0] * PAGE, min((missing[-1] + 1) * PAGE, self.size)
            data = self.inner.read(start, end - start)
            for page in range(missing[0], missing[-1] + 1):
                self._pages[page] = data[(page - missing[0]) * PAGE : (page - missing[0] + 1) * PAGE]
        found = []
        for page in range(first, last + 1):
            self._pages.move_to_end(page)
            found.append(self._pages[page])
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)
        return found


def read_ranges(reader: ByteReader, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
    """Read (offset, length) ranges given in ascending order, near ones with one read."""
    found: list[bytes] = []
    index = 0
    while index < len(ranges):
        start = ranges[index][0]
        end = start + ranges[index][1]
        stop = index + 1
        while stop < len(ranges):
            offset, length = ranges[stop]
            if offset - end > MERGE_GAP or max(end, offset + length) - start > MERGE_LIMIT:
                break
            end = max(end, offset + length)
            stop += 1
        data = reader.read(start, end - start)
        found += [data[o - start : o - start + n] for o, n in ranges[index:stop]]
        index = stop
    return found


def _open(path: str | Path) -> BinaryIO:
    """Unbuffered: pages are cached above, where the cache is bounded."""
    return cast(BinaryIO, Path(path).open("rb", buffering=0))


def _unreadable(error: Exception) -> ArchiveInvalid:
    return ArchiveInvalid(
        "The archive's file can no longer be read: it was moved, changed or access was refused.",
        hint="Choose the file again.",
        retryable=True,
    )
