"""What retrieval returns: merged candidates and the result of a search."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Literal

from cairn.passages.types import Passage
from cairn.retrieval.neutral import Place

Mode = Literal[
    "hybrid-full-vector", "semantic-reranked", "xapian-full-text", "title-only", "lexical-fallback"
]
Fusion = Literal["calibrated", "rrf"]
"""How lists are merged; see :mod:`cairn.retrieval.ranking`."""

Outcome = Literal["matched", "weak", "no_match"]


@dataclass(slots=True)
class Candidate:
    """A passage with what every retriever said of it; ranks are 1-based, 0 = not found by it."""

    passage: Passage
    fused: float
    lexical_rank: int = 0
    lexical_score: float = 0.0
    semantic_rank: int = 0
    semantic_score: float = 0.0  # cosine
    coverage: float = 0.0  # share of the query's informative words found in the passage
    wording: float = 0.0  # how far it says it in the question's words, 0..1
    place: Place | None = None  # its vector, where there is one and meaning was asked
    mode: Mode = "lexical-fallback"  # how this hit's own source was ranked
    dropped: str = ""  # why it was not kept: "per_document", "duplicate", "limit"


@dataclass(slots=True)
class SearchResult:
    """Outcome of one search over the selected sources."""

    query: str  # what was searched, after analysis
    mode: Mode
    outcome: Outcome
    kept: list[Candidate]  # at most 8, at most 2 per document, best first
    considered: list[Candidate]  # everything fused, best first, with reasons for drops
    timings: dict[str, float] = field(default_factory=dict)  # milliseconds per stage
    notes: list[str] = field(default_factory=list)
    relevance: float = 0.0  # how sure the outcome is, see retrieval.judge
    weights: dict[str, float] = field(default_factory=dict)  # of the query's keys, see retrieval.overlap
    vector: array[float] | None = None  # the question's, language-neutral; None without meaning
