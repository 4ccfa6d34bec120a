"""Exact top-k over a vector file, with or without numpy, with identical results.

Both ways find every row whose approximate score could be among the best k, then rank those few by
the exact :func:`cairn.index.vectors.score`; so ids and order never depend on the way taken.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterator, Sequence
from operator import mul
from pathlib import Path
from types import ModuleType

from cairn.index.types import Hit
from cairn.index.vectors import VectorFile, query_norm, score

# Larger than any rounding error of a float64 dot product of 4,096 terms, smaller than any
# difference that matters.
MARGIN = 1e-9


class VectorIndex:
    """A vector file that can be searched; keeps small files in memory, reads large ones in blocks."""

    KEPT_BYTES = 32 << 20

    def __init__(self, path: str | Path) -> None:
        self._file = VectorFile(path)
        self.header = self._file.header
        self._kept: list[tuple[int, bytes]] | None = None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._kept = None

    def search(self, query: array[float], limit: int) -> list[Hit]:
        """At most ``limit`` rows by cosine, best first, ties by row.

        Raises ValueError when the query has other dimensions. [] for a zero query.
        """
        if len(query) != self.header.dimensions:
            raise ValueError(f"query of {len(query)} dimensions for {self.header.dimensions}")
        length = query_norm(query)
        limit = min(limit, self.header.count)
        if limit <= 0 or not length:
            return []
        numpy_way = _numpy_way()
        if numpy_way:
            rows = numpy_way.best_rows(self._blocks(), self._file.norms, query, limit, MARGIN)
        else:
            rows = best_rows(self._blocks(), self._file.norms, query, limit, MARGIN)
        exact = [(-self._score(query, length, row), row) for row in rows]
        return [Hit(row, -value) for value, row in heapq.nsmallest(limit, exact)]

    def values(self, rows: Sequence[int]) -> list[array[int]]:
        """The int8 values of these rows, any positive multiple of the vectors, in the order asked."""
        return self._file.values(rows)

    def _score(self, query: array[float], length: float, row: int) -> float:
        values = array("b", self._file.rows(row, 1))
        return score(query, length, values, self._file.norms[row])

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        if self._kept is None and self.header.count * self.header.dimensions <= self.KEPT_BYTES:
            self._kept = list(self._file.blocks())
        return iter(self._kept) if self._kept is not None else self._file.blocks()


def best_rows(
    blocks: Iterator[tuple[int, bytes]],
    norms: array[float],
    query: array[float],
    limit: int,
    margin: float,
) -> list[int]:
    """Rows that could be among the best ``limit``, in plain Python; fine for a few thousand rows."""
    length = query_norm(query)
    dimensions = len(query)
    scores: list[tuple[float, int]] = []
    for first, data in blocks:
        values = array("b", data)
        for index in range(len(values) // dimensions):
            row = values[index * dimensions : (index + 1) * dimensions]
            value = sum(map(mul, query, row)) / (length * norms[first + index])
            scores.append((value, first + index))
    floor = min(heapq.nlargest(limit, scores))[0] - margin
    return [row for value, row in scores if value >= floor]


def _numpy_way() -> ModuleType | None:
    """The numpy implementation when numpy is installed; asked each time, it may come later."""
    try:
        from cairn.index import vectors_numpy
    except ImportError:
        return None
    return vectors_numpy
