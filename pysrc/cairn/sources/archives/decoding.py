"""Streaming decompression of clusters: as many bytes as asked, no more, whatever the input claims."""

from __future__ import annotations

import importlib
import lzma
from collections.abc import Callable
from typing import Any, Protocol

from cairn.errors import ArchiveUnsupported
from cairn.sources.archives.guard import damaged

XZ, ZSTD = 4, 5
_OBSOLETE = {2: "zlib", 3: "bzip2"}
_XZ_MEMORY = 256 * 1_048_576


class Decompressor(Protocol):
    """What lzma and compression.zstd have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def open_decompressor(codec: int) -> Decompressor:
    """A decompressor for a cluster's codec number; raises ArchiveUnsupported for obsolete ones."""
    if codec == XZ:
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    if codec == ZSTD:
        decompressor: Decompressor = _zstd().ZstdDecompressor()
        return decompressor
    if codec in _OBSOLETE:
        raise ArchiveUnsupported(
            f"The archive is compressed with {_OBSOLETE[codec]}, which ZIM gave up years ago.",
            hint="Look for a newer edition of it.",
        )
    raise damaged(f"no compression has the number {codec}")


class Inflating:
    """A compressed stream, decoded as far as anybody needed it.

    ``source(n)`` gives up to ``n`` further compressed bytes, b"" at the end of the file.
    """

    def __init__(self, codec: int, source: Callable[[int], bytes], first_read: int, cap: int) -> None:
        self._decompressor = open_decompressor(codec)
        self._source = source
        self._step = first_read
        self._cap = cap
        self.data = bytearray()

    def need(self, length: int) -> bytearray:
        """At least ``length`` decoded bytes; raises ArchiveInvalid when the stream has fewer."""
        if length > self._cap:
            raise ArchiveUnsupported(
                f"A part of the archive is larger than {self._cap >> 20} MB unpacked.",
                hint="This entry cannot be opened here; the rest of the archive can.",
            )
        while len(self.data) < length:
            self._more(length - len(self.data))
        return self.data

    def _more(self, wanted: int) -> None:
        decompressor = self._decompressor
        if decompressor.eof:
            raise damaged("a cluster ends early")
        compressed = b""
        if decompressor.needs_input:
            compressed = self._source(self._step)
            self._step = min(2 * self._step, 1_048_576)
            if not compressed:
                raise damaged("a compressed cluster runs into the end of the file")
        try:
            self.data += decompressor.decompress(compressed, max(wanted, 65_536))
        except (lzma.LZMAError, EOFError, MemoryError, ValueError) as error:
            raise damaged("a cluster cannot be decompressed") from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise damaged("a cluster cannot be decompressed") from error


def _zstd() -> Any:
    """The standard library's zstd, or its backport on CPython before 3.14."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ArchiveUnsupported(
        "This Python cannot read archives compressed with zstd.",
        hint="Use Python 3.14, or install backports.zstd.",
    )
