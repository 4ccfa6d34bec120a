"""The relevance floor: does the library cover this question at all?

A logistic model gives the probability that the candidates answer the question, from

* the best **cosine** of E5-small, which lives in .72 to .92 and says little alone: questions in
  some languages and about some matters are near to everything;
* its **lead** over the tenth best: in what it covers, a library has few passages that stand out;
* the best **coverage**, the share of the question's informative words, weighted by rarity, that one
  passage has; only where question and passages share a language.

Fitted by penalised maximum likelihood on 655 searches with E5-small (q8): field-qa (1,626 passages
in en es it; its 40 questions, and its 6 that it does not answer), xquad (240 English passages; 264
questions in en es ar hi zh), and each collection asked the other's questions as off-topic ones.
AUROC, each fifth judged by the other four: cosine alone .799, with lead .913, with coverage .951;
answerable against unanswerable questions of field-qa alone: cosine .879, all three 1.0 (46 questions).

===============================  =========  =========  =========
share of the questions           matched    weak       no_match
===============================  =========  =========  =========
field-qa, answerable (40)        .97        .03        .00
field-qa, unanswerable (6)       .00        .00        1.00
field-qa, off-topic (264)        .06        .18        .76
xquad, answerable (264)          .86        .07        .07
xquad, off-topic (46)            .30        .05        .65
===============================  =========  =========  =========

Without E5 coverage stands alone (English questions of the same searches: AUROC .964; margins of
bm25 over the tenth hit reach .836, bm25 per term .931 and add nothing): .84 of the answerable and
.07 of the others reach :data:`COVERAGE_MATCHED`. A question in another language than the passages
then finds nothing, which is the truth of a keyword search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cairn.passages.languages import UNKNOWN
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.types import Candidate, Outcome

MATCHED = 0.42
WEAK = 0.22
"""Least probability of each outcome."""

COVERAGE_MATCHED = 0.5
COVERAGE_WEAK = 0.3
"""Floors without E5."""

_COSINE, _CENTRE = 43.8, 0.82
_LEAD, _LEAD_RANK = 86.4, 10
_COVERAGE, _SAME_LANGUAGE, _CONSTANT = 7.15, -5.27, -0.72


def judge(analysis: Analysis, candidates: Sequence[Candidate]) -> Outcome:
    """``matched``: an answer may be written from them; ``weak``: worth quoting, with a warning;
    ``no_match``: the library does not cover the question.
    """
    if not candidates:
        return "no_match"
    coverage = max(c.coverage for c in candidates)
    value, matched, weak = coverage, COVERAGE_MATCHED, COVERAGE_WEAK
    scored = sorted((c for c in candidates if c.semantic_rank), key=lambda c: -c.semantic_score)
    if scored:
        same = _same_language(analysis, scored[0])
        value = probability([c.semantic_score for c in scored], coverage if same else None)
        matched, weak = MATCHED, WEAK
    if value >= matched:
        return "matched"
    return "weak" if value >= weak else "no_match"


def probability(cosines: Sequence[float], coverage: float | None) -> float:
    """That the candidates answer the question, 0..1.

    ``cosines`` best first, at least one; ``coverage`` is None across languages.
    """
    lead = cosines[0] - cosines[min(_LEAD_RANK, len(cosines)) - 1]
    value = _COSINE * (cosines[0] - _CENTRE) + _LEAD * lead + _CONSTANT
    if coverage is not None:
        value += _COVERAGE * coverage + _SAME_LANGUAGE
    return 1 / (1 + math.exp(-value))


def _same_language(analysis: Analysis, nearest: Candidate) -> bool:
    """Whether the nearest passage is in the question's language, so that words must agree too.

    A doubtful guess counts as the same language.
    """
    language = nearest.passage.language
    return UNKNOWN in (analysis.language, language) or analysis.language == language
