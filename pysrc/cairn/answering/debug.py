"""What the debug panel shows of a turn: plain JSON values, no passage text beyond titles."""

from __future__ import annotations

from typing import Any

from cairn.retrieval.analysis import Analysis
from cairn.retrieval.overlap import Weights
from cairn.retrieval.types import Candidate, SearchResult

LISTED = 40
"""Candidates listed at most."""


def describe(analysis: Analysis, found: SearchResult, weights: Weights) -> dict[str, Any]:
    """Analysis, candidates with ranks and scores, and why each was dropped."""
    return {
        "query": {
            "question": analysis.question,
            "language": analysis.language,
            "confidence": round(analysis.confidence, 3),
            "terms": list(analysis.terms),
            "phrases": list(analysis.phrases),
            "excluded": list(analysis.excluded),
            "weights": {key: round(weight, 2) for key, weight in weights.by_key.items()},
        },
        "mode": found.mode,
        "outcome": found.outcome,
        "notes": list(found.notes),
        "considered": len(found.considered),
        "candidates": [_candidate(c) for c in found.considered[:LISTED]],
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    passage = candidate.passage
    return {
        "source": passage.source_id,
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
    }
