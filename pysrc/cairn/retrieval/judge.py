"""The relevance floor: does the library cover this question at all?

A logistic model gives the probability that the candidates answer the question, from

* the best **cosine** of E5-small (language-neutral, see :mod:`cairn.retrieval.neutral`), which lives
  in .70 to .90 and says little alone: some questions are near to everything;
* its **lead** over the tenth best: in what it covers, a library has few passages that stand out;
* the best **coverage**, the share of the question's informative words, weighted by rarity, that one
  passage has; it counts as far as the nearest eight passages are in the question's language.

Fitted by penalised maximum likelihood on 1,281 searches with E5-small (q8): field-qa (1,626
passages in en es it), xquad (240 English paragraphs; one half of them in five languages; one half in
English mixed with the other half in another language), and each collection asked the other's
questions. AUROC, each fifth judged by the other four, off-topic questions: cosine alone .899, with
lead .926, with coverage .943; field-qa's own 40 answerable against 6 unanswerable questions .992;
questions whose paragraph was taken out while its neighbours stayed .906.

=========================================  =========  =========  =========
share of the questions                     matched    weak       no_match
=========================================  =========  =========  =========
field-qa, answerable (40)                  .95        .05        .00
field-qa, unanswerable (6)                 .00        .33        .67
field-qa, off-topic (264)                  .07        .15        .78
xquad, answerable, mostly another          .85        .08        .07
language (264)
xquad, answerable, same language (135)     .93        .02        .04
mixed library, answer in another           .71        .15        .14
language (108)
mixed library, off-topic (184)             .17        .30        .53
xquad, off-topic (46)                      .22        .15        .63
xquad, only neighbours left (130)          .32        .14        .54
=========================================  =========  =========  =========

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

MATCHED = 0.5
WEAK = 0.3
"""Least probability of each outcome."""

COVERAGE_MATCHED = 0.5
COVERAGE_WEAK = 0.3
"""Floors without E5."""

_COSINE, _CENTRE = 54.2, 0.82
_LEAD, _LEAD_RANK = 50.2, 10
_COVERAGE, _SAME_LANGUAGE, _NEAREST, _CONSTANT = 4.96, -3.13, 8, -0.26


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
        same = _same_language(analysis, scored[:_NEAREST])
        value = probability([c.semantic_score for c in scored], coverage, same)
        matched, weak = MATCHED, WEAK
    if value >= matched:
        return "matched"
    return "weak" if value >= weak else "no_match"


def probability(cosines: Sequence[float], coverage: float, same_language: float) -> float:
    """That the candidates answer the question, 0..1.

    ``cosines`` best first, at least one; ``same_language`` is the share of the nearest passages that
    are in the question's language.
    """
    lead = cosines[0] - cosines[min(_LEAD_RANK, len(cosines)) - 1]
    value = _COSINE * (cosines[0] - _CENTRE) + _LEAD * lead + _CONSTANT
    value += same_language * (_COVERAGE * coverage + _SAME_LANGUAGE)
    return 1 / (1 + math.exp(-value))


def _same_language(analysis: Analysis, nearest: Sequence[Candidate]) -> float:
    """Share of these passages in the question's language, where words must agree too.

    A doubtful guess counts as the same language.
    """
    if analysis.language == UNKNOWN:
        return 1.0
    same = (UNKNOWN, analysis.language)
    return sum(c.passage.language in same for c in nearest) / len(nearest)
