"""Which words of a query decide, so that the lists of common ones need not be read from end to end.

FTS5 gives a row, for each phrase i of the expression, ``idf_i * f * (k1 + 1) / (f + K)``: always less
than ``idf_i * (k1 + 1)``, however often the word is there. So when the last hit that counts scores at
least the sum of that bound over the common words, no row that has only common words can come before
it, and ``(all words) AND (rare words)`` finds the same hits as ``all words``. FTS5 then seeks in the
long lists for the rows of the short ones (the argument of MaxScore, Turtle and Flood 1995).

A required word is a phrase of the expression once more, and bm25 sums over phrases. Therefore each
common word is written twice too: the sum is exactly twice that of the plain query.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

EXACT = 10
"""Hits that are those of the plain query, in its order. Later ones may leave out rows with common
words only."""

SHARE = 0.04
LEAST = 2_000
"""A word is common that is in at least this share of the passages, and in so many."""

_K1 = 1.2
_NO_IDF = 1e-6


@dataclass(frozen=True, slots=True)
class Split:
    """The words of a query: one of ``rare`` must be there, ``common`` ones only rank."""

    rare: tuple[str, ...]
    common: tuple[str, ...]
    bound: float  # no row without a rare word scores as much


def split(
    frequencies: Mapping[str, int | None], documents: int, floor: float | None = None, least: int = LEAST
) -> Split | None:
    """The words that decide, from how many of ``documents`` passages have each; None when all must.

    A frequency of None is not known. ``floor`` is a score that the last exact hit is known to reach.
    """
    threshold = max(least, documents * SHARE)
    common = sorted(
        (count, word) for word, count in frequencies.items() if count is not None and count >= threshold
    )
    if floor is not None:
        while common and _bound(common, documents) > floor:
            common.pop(0)
    names = {word for _, word in common}
    rare = tuple(word for word in frequencies if word not in names)
    having = sum(frequencies[word] or 0 for word in rare)
    if not common or having < EXACT:
        return None
    return Split(rare, tuple(word for word in frequencies if word in names), _bound(common, documents))


def _bound(common: list[tuple[int, str]], documents: int) -> float:
    return (_K1 + 1) * sum(inverse_frequency(documents, count) for count, _ in common)


def inverse_frequency(documents: int, having: int) -> float:
    """As FTS5 computes it."""
    value = math.log((documents - having + 0.5) / (having + 0.5))
    return value if value > 0 else _NO_IDF
