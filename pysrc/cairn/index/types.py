"""Queries and hits of the ranking structures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """An analysed keyword query: plain lower-case NFKC words and CJK n-grams, never FTS5 syntax.

    The index quotes every term itself. ``terms`` are alternatives (OR), ``phrases`` must each match
    as adjacent words, ``excluded`` must not match. Empty ``terms`` and ``phrases`` find nothing.
    """

    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.terms and not self.phrases


@dataclass(frozen=True, slots=True)
class Hit:
    """A row found by one retriever; higher score is better (bm25 is negated, cosine as it is)."""

    row: int  # 0-based: FTS rowid - 1 = row of the vector file
    score: float
