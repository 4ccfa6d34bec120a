"""A source's vectors, ready to be searched: by the vector kernel where it can, else from the file.

A kernel is filled at the first search, so that opening a library costs nothing. What it keeps of a
file (:data:`cairn.index.kernel.Keep`) depends on the room that is left: all values, or one bit a
dimension with the likely rows read from the file and scored exactly. Ids, order and scores are the
same either way, but for the few rows that codes can miss.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cairn.index.kernel import Keep, VectorKernel, VectorLayout, run_in_steps
from cairn.index.kernel_file import FileKernel
from cairn.index.types import Hit
from cairn.index.vector_search import VectorIndex
from cairn.index.vectors import HEADER_BYTES, VectorHeader, read_header

Way = Literal["rows", "codes", "file", "unused"]
"""How a file is searched: values or codes in the kernel, or read by Python; nothing was asked yet."""

ROOM_BYTES = 256 << 20
"""Memory for values of all files together, where nothing is known of the device."""

_LANES = 16  # the kernel takes dimensions by sixteens


@dataclass(slots=True)
class VectorRoom:
    """The kernel that a library's sources share, and how much they may keep in it.

    Without a kernel every file is searched by Python.
    """

    kernel: VectorKernel | None = None
    budget: int = ROOM_BYTES
    kind: str = "python"
    ways: dict[str, Way] = field(default_factory=dict)  # key of a file -> how it is searched
    used: dict[str, int] = field(default_factory=dict)  # key -> bytes of its values

    def keep(self, key: str, layout: VectorLayout) -> Keep:
        """What fits of a file beside the others."""
        wanted = layout.rows * layout.dimensions
        others = sum(size for name, size in self.used.items() if name != key)
        return "rows" if others + wanted <= self.budget else "codes"


class StoredVectors:
    """The vectors of one file. Raises PackInvalid when it is none, at once or at the first search."""

    def __init__(self, path: str, key: str, room: VectorRoom) -> None:
        """``key`` names the file in the kernel and must be its own."""
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            self.header: VectorHeader = read_header(file.read(HEADER_BYTES), size)
        self._path = path
        self._key = key
        self._room = room
        self._file: _FileVectors | None = None
        self._loaded = False
        if room.kernel is None or self.header.dimensions % _LANES:
            self._read_by_python()
        else:
            room.ways[key] = "unused"

    def close(self) -> None:
        """Give up memory and file; harmless when closed."""
        if self._loaded and self._room.kernel is not None:
            self._room.kernel.unload(self._key)
        if self._file is not None:
            self._file.close()
        self._loaded = False
        self._file = None
        self._room.ways.pop(self._key, None)
        self._room.used.pop(self._key, None)

    def search(self, query: array[float], limit: int, allowed: bytes | None = None) -> list[Hit]:
        """At most ``limit`` rows by cosine, best first, ties by row; of ``allowed`` when given.

        Raises ValueError when the query has other dimensions. [] for a zero query.
        """
        kernel = self._ready()
        if kernel is None:
            return self._by_python(query, limit, allowed)
        return kernel.search(self._key, query, limit, allowed)

    async def search_in_steps(
        self,
        query: array[float],
        limit: int,
        allowed: bytes | None = None,
        pause: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(0),
    ) -> list[Hit]:
        """As :meth:`search`, letting others run every few milliseconds; ends when cancelled there."""
        kernel = self._ready()
        if kernel is None:
            return self._by_python(query, limit, allowed)
        return await run_in_steps(kernel.begin(self._key, query, limit, allowed), pause)

    def values(self, rows: Sequence[int]) -> list[array[int]]:
        """The int8 values of these rows, in the order asked: read from the file, 384 bytes a row."""
        size = self.header.dimensions
        with Path(self._path).open("rb") as file:
            found = []
            for row in rows:
                file.seek(self.header.vector_offset + row * size)
                found.append(array("b", file.read(size)))
        return found

    def _ready(self) -> VectorKernel | None:
        """The kernel with this file in it; None when the file is read by Python."""
        if self._file is None and not self._loaded:
            self._load()
        return self._room.kernel if self._loaded else None

    def _load(self) -> None:
        room, kernel = self._room, self._room.kernel
        layout = VectorLayout.of(self.header)
        wanted = room.keep(self._key, layout)
        for keep in dict.fromkeys((wanted, "codes")):
            try:
                if kernel is not None:
                    kernel.load(self._key, self._path, layout, keep)
                    self._loaded = True
                    room.ways[self._key] = "rows" if keep == "rows" else "codes"
                    room.used[self._key] = layout.rows * layout.dimensions if keep == "rows" else 0
                    return
            except MemoryError:
                continue
        self._read_by_python()

    def _read_by_python(self) -> None:
        self._file = _FileVectors(self._path, VectorLayout.of(self.header))
        self._room.ways[self._key] = "file"

    def _by_python(self, query: array[float], limit: int, allowed: bytes | None) -> list[Hit]:
        if self._file is None:
            raise ValueError("these vectors are closed")
        return self._file.search(query, limit, allowed)


class _FileVectors:
    """Searched by Python, with numpy once it is there."""

    def __init__(self, path: str, layout: VectorLayout) -> None:
        self._path = path
        self._layout = layout
        self._index = VectorIndex(path)
        self._filtered: FileKernel | None = None

    def close(self) -> None:
        self._index.close()
        if self._filtered is not None:
            self._filtered.unload("")

    def search(self, query: array[float], limit: int, allowed: bytes | None) -> list[Hit]:
        if allowed is None:
            return self._index.search(query, limit)
        if self._filtered is None:
            self._filtered = FileKernel("python")
            self._filtered.load("", self._path, self._layout)
        return self._filtered.search("", query, limit, allowed)
