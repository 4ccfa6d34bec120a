"""Bytes that lie elsewhere as a binary file, for :mod:`zipfile` and whoever else wants one."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

from cairn.sources.archives.reader import ByteReader


class Seekable(io.RawIOBase):
    """A read-only file over bytes at offsets; what reading them raises goes through."""

    def __init__(self, source: ByteReader) -> None:
        super().__init__()
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._source.size}[whence]
        if base + offset < 0:
            raise OSError("before the start of the file")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        length = max(0, min(len(buffer), self._source.size - self._at))
        if length:
            buffer[:length] = self._source.read(self._at, length)
            self._at += length
        return length


def as_file(source: ByteReader, buffer: int = 1 << 16) -> BinaryIO:
    """A buffered binary file over bytes at offsets; ``buffer`` in bytes."""
    return cast(BinaryIO, io.BufferedReader(Seekable(source), buffer))
