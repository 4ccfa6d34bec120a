"""Writes a pack's ZIP: the same members give the same bytes, and index members lie aligned.

A stored member starts at a multiple of 64 KiB (padding in the extra field of its local header), so
that a browser opens it in place as a slice of the one file. Dates, systems and modes are fixed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from cairn.sources.packs import zipformat as z

_CHUNK = 1 << 20
_VERSION = 20  # 2.0: the first with deflate


@dataclass(frozen=True, slots=True)
class _Entry:
    name: bytes
    method: int
    crc: int
    packed: int
    plain: int
    offset: int


class ZipWriter:
    """Appends members to a file that is empty; :meth:`finish` writes the directory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._entries: list[_Entry] = []

    def add_stored(self, name: str, source: BinaryIO, *, align: bool) -> None:
        """Append a file as it is; ``source`` is read twice, since the header needs its CRC."""
        crc = size = 0
        for piece in _pieces(source):
            crc = zlib.crc32(piece, crc)
            size += len(piece)
        self._header(name, z.STORED, crc, size, size, align=align)
        for piece in _pieces(source):
            self._file.write(piece)

    def add_deflated(self, name: str, data: bytes) -> None:
        """Append a member compressed; raises ValueError above 4 GiB."""
        deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = deflate.compress(data) + deflate.flush()
        self._header(name, z.DEFLATED, zlib.crc32(data), len(packed), len(data), align=False)
        self._file.write(packed)

    def add_packed(self, name: str, source: BinaryIO, crc: int, plain: int) -> None:
        """Append a member that is deflated already; ``crc`` and ``plain`` are those of its content."""
        packed = source.seek(0, 2)
        self._header(name, z.DEFLATED, crc, packed, plain, align=False)
        for piece in _pieces(source):
            self._file.write(piece)

    def add_placed(self, name: str, method: int, crc: int, packed: int, plain: int, *, align: bool) -> None:
        """Write a member's header and step over its data, which are somewhere already."""
        self._header(name, method, crc, packed, plain, align=align)
        self._file.seek(packed, 1)

    def _header(self, name: str, method: int, crc: int, packed: int, plain: int, *, align: bool) -> None:
        raw = name.encode()
        offset = self._file.tell()
        extra = _padding(offset + z.LOCAL.size + len(raw)) if align else b""
        self._entries.append(_Entry(raw, method, crc, packed, plain, offset))
        header = z.LOCAL.pack(
            z.LOCAL_MAGIC, _VERSION, z.UTF8_NAME, method, 0, z.DOS_EPOCH_DATE,
            crc, packed, plain, len(raw), len(extra),
        )  # fmt: skip
        self._file.write(header + raw + extra)

    def size_with(self, name: str, length: int) -> int:
        """Size of the whole file if one more stored member of ``length`` bytes ended it."""
        names = [entry.name for entry in self._entries] + [name.encode()]
        directory = sum(z.CENTRAL.size + len(raw) for raw in names)
        member = z.LOCAL.size + len(names[-1]) + length
        return self._file.tell() + member + directory + z.END.size

    def finish(self) -> int:
        """Write the central directory; return the size of the whole file in bytes."""
        start = self._file.tell()
        for entry in self._entries:
            self._file.write(
                z.CENTRAL.pack(
                    z.CENTRAL_MAGIC, z.UNIX << 8 | _VERSION, _VERSION, z.UTF8_NAME, entry.method,
                    0, z.DOS_EPOCH_DATE, entry.crc, entry.packed, entry.plain, len(entry.name),
                    0, 0, 0, 0, z.REGULAR_FILE << 16, entry.offset,
                )
                + entry.name
            )  # fmt: skip
        length = self._file.tell() - start
        count = len(self._entries)
        self._file.write(z.END.pack(z.END_MAGIC, 0, 0, count, count, length, start, 0))
        return self._file.tell()


def _padding(position: int) -> bytes:
    """An extra field that moves what follows to the next multiple of the alignment."""
    gap = -position % z.ALIGNMENT
    if gap == 0:
        return b""
    if gap < 4:
        # Its own header is 4 bytes. Packs write their indexes first, where this cannot happen:
        # the gap then depends on the name alone, and SQLite files are multiples of 4,096.
        raise ValueError("a member cannot be aligned right behind this one")
    return z.PADDING_FIELD.to_bytes(2, "little") + (gap - 4).to_bytes(2, "little") + bytes(gap - 4)


def _pieces(source: BinaryIO) -> Iterable[bytes]:
    source.seek(0)
    while piece := source.read(_CHUNK):
        yield piece
