"""Sets of rows as ranges: what a filter lets through, for SQL and for the vector kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to; an empty set limits nothing. Languages are ISO 639-3."""

    languages: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()

    @property
    def empty(self) -> bool:
        """Whether everything passes."""
        return not (self.languages or self.collections or self.documents)

    def passes(self, language: str, collection: str, document: str) -> bool:
        """Whether a passage with these facts passes."""
        return (
            (not self.languages or language in self.languages)
            and (not self.collections or collection in self.collections)
            and (not self.documents or document in self.documents)
        )


@dataclass(frozen=True, slots=True)
class Rows:
    """0-based rows as disjoint half-open ranges in ascending order, none touching the next."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, ranges: Iterable[range]) -> Rows:
        """Any ranges, joined where they touch; empty ones are nothing."""
        joined: list[tuple[int, int]] = []
        for first, end in sorted((r.start, r.stop) for r in ranges if len(r)):
            if joined and first <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((first, end))
        return cls(tuple(joined))

    @property
    def count(self) -> int:
        """How many rows."""
        return sum(end - first for first, end in self.ranges)

    def bitmap(self, rows: int) -> bytes:
        """One bit for each of ``rows`` rows, lowest bit first (:func:`cairn.index.kernel.bitmap`)."""
        bits = bytearray((rows + 7) // 8)
        for first, stop in self.ranges:
            end = min(stop, rows)
            while first < end and first & 7:
                bits[first >> 3] |= 1 << (first & 7)
                first += 1
            whole = (end - first) >> 3 if end > first else 0
            bits[first >> 3 : (first >> 3) + whole] = b"\xff" * whole
            for row in range(first + whole * 8, end):
                bits[row >> 3] |= 1 << (row & 7)
        return bytes(bits)
