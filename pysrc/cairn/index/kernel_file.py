"""The vector kernel without WebAssembly: reads the file in blocks, with numpy or without.

The reference that the WebAssembly kernel is tested against, the twin for CPython, and the fallback
where a file does not fit the kernel (dimensions not a multiple of 16).
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

from cairn.errors import PackInvalid
from cairn.index.kernel import Keep, VectorLayout, check_search, run
from cairn.index.types import Hit
from cairn.index.vector_search import MARGIN, best_rows
from cairn.index.vectors import query_norm, score

Way = Literal["numpy", "python"]
BestRows = Callable[[Iterator[tuple[int, bytes]], "array[float]", "array[float]", int, float], list[int]]
_BLOCK = 1024
_NORM_BYTES = 4


class FileKernel:
    """Implements :class:`cairn.index.kernel.VectorKernel`; keeps the norms in memory, nothing else."""

    def __init__(self, way: Way) -> None:
        """With ``numpy`` it must be installed when a search runs; the results are the same."""
        self._way = way
        self._files: dict[str, _Rows] = {}

    def load(self, key: str, path: str, layout: VectorLayout, keep: Keep = "rows") -> None:
        """Open a file; ``keep`` changes nothing here."""
        rows = _Rows(path, layout)
        self.unload(key)
        self._files[key] = rows

    def unload(self, key: str) -> None:
        """Close the file."""
        if key in self._files:
            self._files.pop(key).close()

    def begin(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> FileScan:
        """Begin a search, which takes one step."""
        rows = self._files[key]
        check_search(rows.layout, query, allowed)
        return FileScan(rows, self._way, query, limit, allowed)

    def search(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> list[Hit]:
        """A whole search."""
        return run(self.begin(key, query, limit, allowed))


class _Rows:
    """The rows and norms of one file."""

    def __init__(self, path: str, layout: VectorLayout) -> None:
        self.layout = layout
        self._file: BinaryIO = Path(path).open("rb")  # noqa: SIM115 - closed by close()
        self.norms = array("f")
        try:
            self._check()
        except PackInvalid:
            self._file.close()
            raise

    def _check(self) -> None:
        layout = self.layout
        ends = (layout.offset + layout.rows * layout.dimensions, layout.norms + layout.rows * _NORM_BYTES)
        if self._file.seek(0, 2) < max(ends):
            raise _invalid("it ends early")
        self._file.seek(layout.norms)
        self.norms.frombytes(self._file.read(layout.rows * _NORM_BYTES))
        if not all(0.0 < norm < math.inf for norm in self.norms):
            raise _invalid("a norm is zero, negative or not a number")

    def close(self) -> None:
        self._file.close()

    def read(self, first: int, count: int = 1) -> bytes:
        self._file.seek(self.layout.offset + first * self.layout.dimensions)
        return self._file.read(count * self.layout.dimensions)

    def blocks(self, rows: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """``(position in rows, raw bytes)`` of the rows asked, in blocks."""
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            if part[-1] - part[0] == len(part) - 1:
                yield first, self.read(part[0], len(part))
            else:
                yield first, b"".join(map(self.read, part))


def _invalid(reason: str) -> PackInvalid:
    return PackInvalid(f"The vector file is not usable: {reason}.", hint="Get the pack again from its maker.")


class FileScan:
    """A search that is done in one step."""

    def __init__(self, rows: _Rows, way: Way, query: array[float], limit: int, allowed: bytes | None) -> None:
        self._search = (rows, way, query, limit, allowed)
        self._hits: list[Hit] = []

    def step(self, rows: int) -> bool:
        """Do all of it."""
        self._hits = _search(*self._search)
        return True

    def hits(self) -> list[Hit]:
        """The result."""
        return self._hits

    def close(self) -> None:
        """Nothing is held."""


def _search(file: _Rows, way: Way, query: array[float], limit: int, allowed: bytes | None) -> list[Hit]:
    rows: Sequence[int] = range(file.layout.rows)
    if allowed is not None:
        rows = [row for row in rows if allowed[row >> 3] >> (row & 7) & 1]
    length = query_norm(query)
    limit = min(limit, len(rows))
    if limit <= 0 or not length:
        return []
    norms = file.norms if allowed is None else array("f", (file.norms[row] for row in rows))
    found = _best_rows(way)(file.blocks(rows), norms, query, limit, MARGIN)
    exact = [(-score(query, length, array("b", file.read(rows[at])), norms[at]), rows[at]) for at in found]
    return [Hit(row, -value) for value, row in heapq.nsmallest(limit, exact)]


def _best_rows(way: Way) -> BestRows:
    if way == "python":
        return best_rows
    from cairn.index import vectors_numpy

    return vectors_numpy.best_rows
