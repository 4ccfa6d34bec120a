"""From what each retriever found to the passages that are kept.

**Fusion** is reciprocal rank fusion with k = 60 and equal weights (Cormack, Clarke and Büttcher
2009: score = sum over lists of 1 / (k + rank)) of two lists: all keyword hits, and all passages that
E5 scored, by cosine + :data:`AGREEMENT` × coverage. The second term is small against the cosine and
does two things: of translations of one text, the one in the question's language comes first; and
among passages that mean about the same, those that say it in the question's words do.

A keyword list must not outvote meaning when it is about other things, as happens when question and
passages differ in language and share only names and loan words. So, when meaning is there, keyword
hits with a coverage below :data:`HIT_FLOOR` do not vote, and none of them votes when even the best
covers less than :data:`LIST_FLOOR` of the question. A hit without a vote stays a candidate as far
as meaning finds it.

nDCG@10 with E5-small q8, one setting for all (xquad: 264 questions, every twelfth):

===========================================  =============  =============  =============
set                                          keywords       meaning        both
===========================================  =============  =============  =============
field-qa (40 questions; plain RRF .475)      .336           .462           .478
xquad en → en (plain RRF .982)               .941           .993           .993
xquad es, ar → en (plain RRF .887, .754)     .566, .070     .979, .738     .979, .738
xquad hi, zh → en                            .156, .129     .880, .778     .880, .778
library in five languages, en, es            .954, .934     .986, .935     .986, .956
the same, ar, hi, zh                         .85 .92 .97    .84 .96 .95    .85 .95 .95
answer in English, distractors in es, ar     –              .949, .728     .949, .681
the same, hi, zh                             –              .697, .714     .697, .714
===========================================  =============  =============  =============

**Several sources.** Cosines of one model are comparable, so all scored passages form one list.
bm25 scores of different indexes are not: their lists are merged head by head, the head that covers
more of the question first, which keeps each list's own order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cairn.index.diversity import drop_reasons
from cairn.index.fusion import reciprocal_rank_fusion
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.judge import judge
from cairn.retrieval.overlap import Weights
from cairn.retrieval.types import Candidate, Mode, SearchResult

CONSIDERED = 80
LIST_FLOOR = 0.5
HIT_FLOOR = 0.2
AGREEMENT = 0.04


@dataclass(slots=True)
class Ranked:
    """The lists to be fused, each best first. A passage is one Candidate object in all of them."""

    lexical: list[list[Candidate]]  # per source
    semantic: list[list[Candidate]] = field(default_factory=list)  # per source with vectors
    reranked: list[Candidate] = field(default_factory=list)  # keyword hits that E5 has scored


def rank(ranked: Ranked, analysis: Analysis, weights: Weights) -> SearchResult:
    """Fuse, diversify, judge. Sets ranks, ``fused`` and ``dropped`` of the candidates."""
    words = merge(ranked.lexical)
    meaning = sorted(
        [c for found in ranked.semantic for c in found] + ranked.reranked,
        key=lambda c: -(c.semantic_score + AGREEMENT * c.coverage),
    )
    for position, candidate in enumerate(words, start=1):
        candidate.lexical_rank = position
    for position, candidate in enumerate(meaning, start=1):
        candidate.semantic_rank = position
    considered = _fuse(words, meaning)[:CONSIDERED]
    for candidate, reason in zip(considered, drop_reasons([c.passage for c in considered]), strict=True):
        candidate.dropped = reason
    kept = [c for c in considered if not c.dropped]
    return SearchResult(
        query=analysis.shown,
        mode=mode_of(ranked),
        outcome=judge(analysis, considered),
        kept=kept,
        considered=considered,
        weights=dict(weights.by_key),
    )


def _fuse(words: list[Candidate], meaning: list[Candidate]) -> list[Candidate]:
    """All candidates, best first; those without a vote at the end, in keyword order."""
    voters = voting(words) if meaning else words
    by_id = {id(c): c for c in (*words, *meaning)}
    fused = reciprocal_rank_fusion([[id(c) for c in meaning], [id(c) for c in voters]])
    for key, score in fused:
        by_id[key].fused = score
    ranked = {key for key, _ in fused}
    silent = [c for c in words if id(c) not in ranked]
    for candidate in silent:
        candidate.fused = 0.0
    return [by_id[key] for key, _ in fused] + silent


def merge(lists: Sequence[list[Candidate]]) -> list[Candidate]:
    """Merge keyword lists head by head, the better covering head first; ties in source order."""
    heads = [0] * len(lists)
    merged: list[Candidate] = []
    while True:
        open_lists = [i for i, items in enumerate(lists) if heads[i] < len(items)]
        if not open_lists:
            return merged
        best = max(open_lists, key=lambda i: (lists[i][heads[i]].coverage, -heads[i], -i))
        merged.append(lists[best][heads[best]])
        heads[best] += 1


def voting(words: Sequence[Candidate]) -> list[Candidate]:
    """The keyword hits that may vote beside meaning (see the module)."""
    if max((c.coverage for c in words), default=0.0) < LIST_FLOOR:
        return []
    return [c for c in words if c.coverage >= HIT_FLOOR]


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
