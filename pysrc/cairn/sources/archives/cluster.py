"""Clusters and their blobs: uncompressed ones read in place, others decoded as far as needed."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

from cairn.errors import ArchiveUnsupported
from cairn.sources.archives.decoding import Inflating
from cairn.sources.archives.guard import damaged, guarded
from cairn.sources.archives.reader import ByteReader

CLUSTER_CAP = 256 * 1_048_576
"""Decoded bytes of a compressed cluster that are read at most."""

_EXTENDED = 0x10
_UNCOMPRESSED = (0, 1)


class Place(NamedTuple):
    """Where a blob of an uncompressed cluster lies in the archive."""

    offset: int
    length: int


@dataclass(slots=True)
class _Cluster:
    start: int  # of the payload: the offset table, or the compressed stream
    offsets: array[int]  # blob i is [offsets[i], offsets[i + 1]) of the payload
    stream: Inflating | None  # None: uncompressed, read in place

    @property
    def weight(self) -> int:
        return 8 * len(self.offsets) + (len(self.stream.data) if self.stream else 0)


class Clusters:
    """The clusters of an archive; recently used ones stay decoded, ``cache_bytes`` at most."""

    def __init__(self, reader: ByteReader, pointers: int, count: int, cache_bytes: int) -> None:
        self._reader = reader
        self._pointers = pointers
        self.count = count
        self._limit = cache_bytes
        self._open: OrderedDict[int, _Cluster] = OrderedDict()

    def place(self, number: int, blob: int) -> Place | None:
        """Where a blob can be read in place; None when its cluster is compressed."""
        with guarded(f"cluster {number}"):
            cluster = self._cluster(number)
            start, end = self._bounds(cluster, number, blob)
            return None if cluster.stream else Place(cluster.start + start, end - start)

    def length(self, number: int, blob: int) -> int:
        """The bytes a blob has."""
        with guarded(f"cluster {number}"):
            start, end = self._bounds(self._cluster(number), number, blob)
            return end - start

    def blob(self, number: int, blob: int) -> bytes:
        """A blob's bytes; raises ArchiveInvalid or ArchiveUnsupported."""
        with guarded(f"cluster {number}"):
            cluster = self._cluster(number)
            start, end = self._bounds(cluster, number, blob)
            if cluster.stream is None:
                if end - start > CLUSTER_CAP:
                    raise ArchiveUnsupported(
                        f"An entry of {(end - start) >> 20} MB cannot be read at once.",
                        hint="Media this large must be read in parts.",
                    )
                return self._reader.read(cluster.start + start, end - start)
            data = bytes(memoryview(cluster.stream.need(end))[start:end])
            self._shrink(number)
            return data

    def pointer(self, number: int) -> int:
        """Where a cluster begins; raises ArchiveInvalid for one that the archive does not have."""
        if not 0 <= number < self.count:
            raise damaged(f"there is no cluster {number}")
        return int.from_bytes(self._reader.read(self._pointers + 8 * number, 8), "little")

    def _bounds(self, cluster: _Cluster, number: int, blob: int) -> tuple[int, int]:
        if not 0 <= blob < len(cluster.offsets) - 1:
            raise damaged(f"cluster {number} has no blob {blob}")
        return cluster.offsets[blob], cluster.offsets[blob + 1]

    def _cluster(self, number: int) -> _Cluster:
        known = self._open.get(number)
        if known is None:
            known = self._open[number] = self._load(number)
        self._open.move_to_end(number)
        return known

    def _load(self, number: int) -> _Cluster:
        start = self.pointer(number)
        info = self._reader.read(start, 1)[0]
        width = 8 if info & _EXTENDED else 4
        codec = info & 0x0F
        start += 1
        if codec in _UNCOMPRESSED:
            size = int.from_bytes(self._reader.read(start, width), "little")
            _check_table(size, width, number, self._reader.size - start)
            table = self._reader.read(start, size)
            offsets = _offsets(table, width, number)
            if start + offsets[-1] > self._reader.size:
                raise damaged(f"cluster {number} reaches beyond the file")
            return _Cluster(start, offsets, None)
        stream = Inflating(codec, self._source(start), self._ahead(number, start), CLUSTER_CAP)
        size = int.from_bytes(stream.need(width)[:width], "little")
        _check_table(size, width, number, CLUSTER_CAP)
        return _Cluster(start, _offsets(bytes(stream.need(size)[:size]), width, number), stream)

    def _source(self, start: int) -> _Source:
        return _Source(self._reader, start)

    def _ahead(self, number: int, start: int) -> int:
        """How much to read first: up to the next cluster when that is near, as it mostly is."""
        if number + 1 < self.count:
            ahead = self.pointer(number + 1) - start
            if 0 < ahead <= 1_048_576:
                return ahead
        return 65_536

    def _shrink(self, keep: int) -> None:
        total = sum(cluster.weight for cluster in self._open.values())
        while total > self._limit and len(self._open) > 1:
            number = next(iter(self._open))
            if number == keep:
                break
            total -= self._open.pop(number).weight
        while len(self._open) > 1024:
            self._open.popitem(last=False)


class _Source:
    """Further bytes of a compressed stream, up to the end of the file."""

    def __init__(self, reader: ByteReader, at: int) -> None:
        self._reader = reader
        self._at = at

    def __call__(self, length: int) -> bytes:
        length = min(length, self._reader.size - self._at)
        data = self._reader.read(self._at, length)
        self._at += length
        return data


def _check_table(size: int, width: int, number: int, most: int) -> None:
    if size < width or size % width or size > most:
        raise damaged(f"cluster {number} has no valid table of blobs")


def _offsets(table: bytes, width: int, number: int) -> array[int]:
    view = memoryview(table).cast("Q" if width == 8 else "I")
    listed = view.tolist()
    offsets = array("Q", listed)
    if listed != sorted(listed):  # in order already: one pass without a line of Python
        raise damaged(f"cluster {number} has blobs out of order")
    return offsets
