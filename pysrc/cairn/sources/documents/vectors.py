"""The vectors of a collection in memory: as they arrive, in whatever order.

Rows are appended; a row that was deleted is left out of results by the caller's ``hidden`` set and
goes with the next load. The score is that of :mod:`cairn.index.vectors`, exact.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Container, Iterable, Iterator

from cairn.index.types import Hit
from cairn.index.vector_search import MARGIN, best_rows
from cairn.index.vectors import query_norm, score

_BLOCK = 4_096


class CollectionVectors:
    """int8 vectors with their norms and the passages they belong to."""

    def __init__(self, dimensions: int, rows: Iterable[tuple[int, bytes, float]] = ()) -> None:
        """``rows`` are (0-based row, int8 values, their length)."""
        self.dimensions = dimensions
        self._rows = array("q")
        self._norms = array("f")
        self._data = bytearray()
        self._known: set[int] = set()
        for row, data, norm in rows:
            self.add(row, data, norm)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, row: int) -> bool:
        return row in self._known

    def add(self, row: int, data: bytes, norm: float) -> None:
        """Append the vector of a passage that has none yet; raises ValueError when its size is wrong."""
        if len(data) != self.dimensions or not norm > 0.0:
            raise ValueError(f"a vector of {len(data)} bytes and length {norm}")
        if row in self._known:
            return
        self._known.add(row)
        self._rows.append(row)
        self._norms.append(norm)
        self._data += data

    def search(self, query: array[float], limit: int, hidden: Container[int] = ()) -> list[Hit]:
        """At most ``limit`` rows by cosine that are not hidden, best first, ties by row."""
        if len(query) != self.dimensions:
            raise ValueError(f"query of {len(query)} dimensions for {self.dimensions}")
        length = query_norm(query)
        wanted = limit
        while limit > 0 and length and self._rows:
            asked = min(wanted, len(self._rows))
            exact = [self._exact(query, length, at) for at in self._best(query, asked)]
            found = [hit for hit in exact if hit.row not in hidden]
            if len(found) >= limit or asked == len(self._rows):
                return heapq.nsmallest(limit, found, key=lambda hit: (-hit.score, hit.row))
            wanted *= 4
        return []

    def _best(self, query: array[float], limit: int) -> list[int]:
        try:
            from cairn.index.vectors_numpy import best_rows as numpy_rows
        except ImportError:  # numpy comes later, or never
            return best_rows(self._blocks(), self._norms, query, limit, MARGIN)
        return numpy_rows(self._blocks(), self._norms, query, limit, MARGIN)

    def _exact(self, query: array[float], length: float, at: int) -> Hit:
        values = array("b", self._data[at * self.dimensions : (at + 1) * self.dimensions])
        return Hit(self._rows[at], score(query, length, values, self._norms[at]))

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        for first in range(0, len(self._rows), _BLOCK):
            end = min(first + _BLOCK, len(self._rows))
            yield first, bytes(self._data[first * self.dimensions : end * self.dimensions])
