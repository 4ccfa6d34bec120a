"""The relevance floor: does the library cover this question at all?

A logistic model gives the probability that the candidates answer the question, from

* **nearest**: the best :func:`~cairn.retrieval.neutral.nearness`, which lives in .75 to .95 and says
  little alone: some questions are near to everything;
* **lead** over the tenth best: in what it covers, a library has few passages that stand out;
* **covered**: the best coverage, the share of the question's informative words, weighted by rarity,
  that one passage has; it counts as far as the nearest eight passages are in the question's
  language (**same_language**), and more with the number of words: one word of one is found by chance;
* **words**: how many informative words the question has, eight and more alike.

Coefficients, figures and where they come from stand in ``data/relevance.json``, which
``tests/eval/relevance.py`` makes. The floor for ``matched`` is where 90 % of the answerable
questions to field-qa and the starter pack pass, that for ``weak`` where 96 % do.

Without E5 coverage stands alone (AUROC .964 on English questions): .84 of the answerable and .07 of
the others reach :data:`COVERAGE_MATCHED`. A question in another language than the passages then finds
nothing, which is the truth of a keyword search.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from cairn.passages.languages import UNKNOWN
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.neutral import nearness
from cairn.retrieval.types import Candidate, Outcome

COVERAGE_MATCHED = 0.5
COVERAGE_WEAK = 0.3
"""Floors without E5."""

MATCHED = 0.5
FEATURES = ("nearest", "lead", "covered", "covered_words", "same_language", "words")
_LEAD_RANK, _NEAREST, _WORDS = 10, 8, 8
_CENTRE = 0.84


def judge(analysis: Analysis, candidates: Sequence[Candidate]) -> tuple[Outcome, float]:
    """``matched``: an answer may be written from them; ``weak``: worth quoting, with a warning;
    ``no_match``: the library does not cover the question. Beside it how sure that is: the
    probability of an answer, without E5 the best coverage.
    """
    if not candidates:
        return "no_match", 0.0
    if any(c.semantic_rank for c in candidates):
        value, matched, weak = probability(features(analysis, candidates)), MATCHED, float(_data()["weak"])
    else:
        value, matched, weak = max(c.coverage for c in candidates), COVERAGE_MATCHED, COVERAGE_WEAK
    if value >= matched:
        return "matched", value
    return ("weak" if value >= weak else "no_match"), value


def features(analysis: Analysis, candidates: Sequence[Candidate]) -> list[float]:
    """What the model weighs, in the order of :data:`FEATURES`; one candidate at least has a cosine."""
    scored = sorted((c for c in candidates if c.semantic_rank), key=lambda c: -nearness(c))
    best, last = nearness(scored[0]), nearness(scored[min(_LEAD_RANK, len(scored)) - 1])
    same = _same_language(analysis, scored[:_NEAREST])
    words = min(len(analysis.terms), _WORDS) / _WORDS
    covered = same * max(c.coverage for c in candidates)
    return [best - _CENTRE, best - last, covered, covered * words, same, words]


def probability(values: Sequence[float]) -> float:
    """That the candidates answer the question, 0..1."""
    coefficients: Mapping[str, float] = _data()["coefficients"]
    sum_ = float(_data()["constant"]) + sum(
        coefficients[name] * value for name, value in zip(FEATURES, values, strict=True)
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, sum_))))


@cache
def _data() -> Mapping[str, Any]:
    file = resources.files("cairn.retrieval").joinpath("data", "relevance.json")
    data: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def _same_language(analysis: Analysis, nearest: Sequence[Candidate]) -> float:
    """Share of these passages in the question's language, where words must agree too.

    A doubtful guess counts as the same language.
    """
    if analysis.language == UNKNOWN:
        return 1.0
    same = (UNKNOWN, analysis.language)
    return sum(c.passage.language in same for c in nearest) / len(nearest)
