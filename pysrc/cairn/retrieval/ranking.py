"""From what each retriever found to the passages that are kept.

**Calibrated fusion.** Every candidate, whoever found it, is scored by both measures:

    cosine / freed ** 0.2 + 0.14 × wording - distrust + 0.6 × max(0, likeness - 0.85)

* *cosine* of the language-neutral question (:mod:`cairn.retrieval.neutral`); *freed* is the length of
  the passage's vector without the directions of languages, so that a passage is not held back for
  being in some language;
* *wording* (:mod:`cairn.retrieval.wording`), 0 to 1: what names, numbers and rare words tell;
* *distrust*, language agreement as a signal: a passage in the question's language that has none of its
  words (wording below 0.2) loses up to 0.03. Of one in another language nothing can be expected;
* *likeness* to the passage that leads by the first three: translations of it, and little else, pass
  0.85 and come up beside it.

A candidate without a vector gets the least cosine of those that have one. Without meaning at all
wording alone decides; ties keep the order of the keyword hits.

**RRF** (Cormack, Clarke and Büttcher 2009: sum over lists of 1 / (k + rank), k = 60, equal weights)
stays selectable; its two lists are wording and cosine. docs/retrieval.md has the comparison, with
min-max and others, and how the constants were chosen.

**Several sources.** Cosines of one model and wording are comparable across sources, so all passages
form one list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from cairn.index.diversity import drop_reasons
from cairn.index.fusion import reciprocal_rank_fusion
from cairn.models.ports import ModelInfo
from cairn.passages.languages import UNKNOWN
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.judge import judge
from cairn.retrieval.neutral import likeness, model_directions, nearness
from cairn.retrieval.overlap import Weights
from cairn.retrieval.types import Candidate, Fusion, Mode, SearchResult

CONSIDERED = 80
WORDING = 0.14
DISTRUST, EXPECTED = 0.03, 0.2
ALIKE, LIKENESS = 0.6, 0.85
TRANSLATED = 0.92
"""Likeness from which passages in two languages are one: of 100 other pairs 2 reach it, of translations
57 (field-qa)."""


@dataclass(slots=True)
class Ranked:
    """The lists to be fused, each best first. A passage is one Candidate object in all of them."""

    lexical: list[list[Candidate]]  # per source
    semantic: list[list[Candidate]] = field(default_factory=list)  # per source with vectors
    reranked: list[Candidate] = field(default_factory=list)  # keyword hits that E5 has scored
    model: ModelInfo | None = None  # of the vectors


def rank(ranked: Ranked, analysis: Analysis, weights: Weights, fusion: Fusion = "calibrated") -> SearchResult:
    """Fuse, diversify, judge. Sets ranks, ``fused`` and ``dropped`` of the candidates."""
    words = sorted(_unique(ranked.lexical), key=lambda c: -c.wording)
    meaning = sorted(_scored(ranked), key=lambda c: -nearness(c))
    for position, candidate in enumerate(words, start=1):
        candidate.lexical_rank = position
    for position, candidate in enumerate(meaning, start=1):
        candidate.semantic_rank = position
    if fusion == "rrf":
        considered = _by_rank(words, meaning)
    else:
        considered = _by_score(words, meaning, analysis.language, ranked.model)
    considered = considered[:CONSIDERED]
    passages = [candidate.passage for candidate in considered]
    reasons = drop_reasons(passages, same=partial(_translations, considered, ranked.model))
    for candidate, reason in zip(considered, reasons, strict=True):
        candidate.dropped = reason
    kept = [c for c in considered if not c.dropped]
    outcome, relevance = judge(analysis, considered)
    return SearchResult(
        query=analysis.shown,
        mode=mode_of(ranked),
        outcome=outcome,
        relevance=relevance,
        kept=kept,
        considered=considered,
        weights=dict(weights.by_key),
    )


def _unique(lists: Sequence[list[Candidate]]) -> list[Candidate]:
    return list({id(c): c for found in lists for c in found}.values())


def _scored(ranked: Ranked) -> list[Candidate]:
    """All candidates that have a cosine, found by meaning or not."""
    found = _unique([*ranked.semantic, ranked.reranked])
    known = {id(c) for c in found}
    return found + [c for c in _unique(ranked.lexical) if c.place and id(c) not in known]


def _by_rank(words: list[Candidate], meaning: list[Candidate]) -> list[Candidate]:
    by_id = {id(c): c for c in (*words, *meaning)}
    fused = reciprocal_rank_fusion([[id(c) for c in meaning], [id(c) for c in words]])
    for key, score in fused:
        by_id[key].fused = score
    return [by_id[key] for key, _ in fused]


def _by_score(
    words: list[Candidate], meaning: list[Candidate], language: str, model: ModelInfo | None
) -> list[Candidate]:
    everything = _unique([meaning, words])
    if not meaning:
        for candidate in everything:
            candidate.fused = candidate.wording
        return everything
    least = min(map(nearness, meaning))
    for candidate in everything:
        base = nearness(candidate) if candidate.semantic_rank else least
        candidate.fused = base + WORDING * candidate.wording - distrust(candidate, language)
    _lift_translations(everything, model)
    # Rounded, so that the last digit of a sum decides nothing.
    return sorted(everything, key=lambda c: -round(c.fused, 9))


def distrust(candidate: Candidate, language: str) -> float:
    """What a passage loses that has none of the question's words although they share the language."""
    if language not in (UNKNOWN, candidate.passage.language) and candidate.passage.language != UNKNOWN:
        return 0.0
    return DISTRUST * max(0.0, 1.0 - candidate.wording / EXPECTED)


def _lift_translations(candidates: list[Candidate], model: ModelInfo | None) -> None:
    placed = [(c, c.place) for c in candidates if c.place]
    if model is None or not placed:
        return
    _, anchor = max(placed, key=lambda item: item[0].fused)
    if not model_directions(model, len(anchor.values)):
        return  # likeness means nothing where all texts of a language are alike
    alike = likeness([place for _, place in placed], anchor, model)
    for (candidate, _), value in zip(placed, alike, strict=True):
        candidate.fused += ALIKE * max(0.0, value - LIKENESS)


def _translations(candidates: Sequence[Candidate], model: ModelInfo | None, one: int, other: int) -> bool:
    """Whether two candidates say the same in two languages: one of them is enough to read."""
    a, b = candidates[one], candidates[other]
    if model is None or a.place is None or b.place is None or a.passage.language == b.passage.language:
        return False
    if not model_directions(model, len(a.place.values)):
        return False
    return likeness([a.place], b.place, model)[0] >= TRANSLATED


def mode_of(ranked: Ranked) -> Mode:
    """How the search as a whole was ranked: the best that took part.

    By words alone it is an archive's own mode where every hit came from archives.
    """
    if ranked.semantic:
        return "hybrid-full-vector"
    if ranked.reranked:
        return "semantic-reranked"
    modes = {candidate.mode for found in ranked.lexical for candidate in found}
    if modes and modes <= {"xapian-full-text", "title-only"}:
        return "xapian-full-text" if "xapian-full-text" in modes else "title-only"
    return "lexical-fallback"
