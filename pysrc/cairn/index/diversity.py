"""Which of the ranked passages are kept: few, of several documents, none said twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from cairn.passages.scripts import has_cjk
from cairn.passages.types import Passage
from cairn.passages.words import grams, words

Reason = Literal["", "per_document", "duplicate", "limit"]

KEPT = 8
PER_DOCUMENT = 2
NEAR_DUPLICATE = 0.6  # Jaccard of word shingles from which two passages say the same
_SHINGLE = 3  # words


def drop_reasons(
    passages: Sequence[Passage],
    *,
    limit: int = KEPT,
    per_document: int = PER_DOCUMENT,
    near_duplicate: float = NEAR_DUPLICATE,
    same: Callable[[int, int], bool] = lambda one, other: False,
) -> list[Reason]:
    """Why each passage, best first, is not kept; "" for those that are.

    ``duplicate``: it nearly repeats a better kept one, of whatever document; ``per_document``: its
    document already has its share; ``limit``: enough are kept. ``same(one, other)`` tells of
    passages by number whether they say the same in other words.
    """
    kept: dict[int, frozenset[tuple[str, ...]]] = {}
    of_document: dict[tuple[str, str], int] = {}
    reasons: list[Reason] = []
    for number, passage in enumerate(passages):
        document = (passage.source_id, passage.document_id)
        if len(kept) >= limit:
            reasons.append("limit")
            continue
        if of_document.get(document, 0) >= per_document:
            reasons.append("per_document")
            continue
        own = shingles(passage.text)
        if any(jaccard(own, text) >= near_duplicate or same(number, n) for n, text in kept.items()):
            reasons.append("duplicate")
            continue
        kept[number] = own
        of_document[document] = of_document.get(document, 0) + 1
        reasons.append("")
    return reasons


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of three words (characters for CJK) of a text; a shorter text is one run."""
    units: list[str] = []
    for word in words(text):
        units.extend(grams(word, (1,)) if has_cjk(word) else (word,))
    if not units:
        return frozenset()
    last = max(1, len(units) - _SHINGLE + 1)
    return frozenset(tuple(units[i : i + _SHINGLE]) for i in range(last))


def jaccard(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """Shared part of two sets, 0 to 1; 0 when either is empty."""
    if not a or not b:
        return 0.0
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
