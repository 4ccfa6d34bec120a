"""What the debug panel shows of a turn: plain JSON values, no passage text beyond titles."""

from __future__ import annotations

from typing import Any

from cairn.retrieval.analysis import Analysis
from cairn.retrieval.excerpts import matched
from cairn.retrieval.overlap import Weights
from cairn.retrieval.types import Candidate, SearchResult

LISTED = 40
"""Candidates listed at most."""


def describe(analysis: Analysis, found: SearchResult, weights: Weights) -> dict[str, Any]:
    """``analysis``, ``per_source`` candidates with ranks and scores, the ``fused`` list, ``drops``."""
    listed = found.considered[:LISTED]
    per_source: dict[str, list[dict[str, Any]]] = {}
    for candidate in listed:
        per_source.setdefault(candidate.passage.source_id, []).append(describe_candidate(candidate, weights))
    return {
        "analysis": {
            "question": analysis.question,
            "language": analysis.language,
            "confidence": round(analysis.confidence, 3),
            "searched": analysis.shown,
            "terms": list(analysis.terms),
            "phrases": list(analysis.phrases),
            "excluded": list(analysis.excluded),
            "weights": {key: round(weight, 2) for key, weight in weights.by_key.items()},
        },
        "mode": found.mode,
        "outcome": found.outcome,
        "notes": list(found.notes),
        "considered": len(found.considered),
        "per_source": per_source,
        "fused": [_fused(candidate) for candidate in listed],
        "drops": [
            {**_fused(candidate), "reason": candidate.dropped} for candidate in listed if candidate.dropped
        ],
    }


def _fused(candidate: Candidate) -> dict[str, Any]:
    passage = candidate.passage
    return {
        "source": passage.source_id,
        "passage": passage.passage_id,
        "title": passage.title,
        "score": round(candidate.fused, 5),
    }


def describe_candidate(candidate: Candidate, weights: Weights) -> dict[str, Any]:
    """Ranks and scores of one candidate; of those that were kept also the ``words`` that matched."""
    passage = candidate.passage
    words = [] if candidate.dropped else matched(f"{passage.title} {passage.locator} {passage.text}", weights)
    return {
        "document": passage.document_id,
        "passage": passage.passage_id,
        "title": passage.title,
        "locator": passage.locator,
        "mode": candidate.mode,
        "fused": round(candidate.fused, 5),
        "lexical_rank": candidate.lexical_rank,
        "lexical_score": round(candidate.lexical_score, 3),
        "semantic_rank": candidate.semantic_rank,
        "semantic_score": round(candidate.semantic_score, 4),
        "coverage": round(candidate.coverage, 3),
        "dropped": candidate.dropped,
        "words": words,
    }
