"""How far a passage supports a sentence: shared words, figures, negations and opposites.

``share`` is the weighted share of the sentence's content words that the passage has: 0.7 of it from
the best run of three sentences, 0.3 from the whole passage, so that words scattered over a page do
not add up to a statement. A word weighs ``rarity`` over the sentences of all evidence: what every
sentence says ("water") tells little, a word that no passage has weighs most and counts against.

Which passage a sentence is cited from depends on ``share`` alone (:data:`CITED`). Whether it is
*confirmed* is a logistic model of

* ``share``;
* whether a **figure** of the sentence is missing in the passage or stands there with another unit;
* whether a word is **negated** on one side only (:mod:`cairn.answering.polarity`), or its **opposite**
  stands in the best lines in its place.

Fitted and measured by ``tests/eval/support/fit.py`` (see :data:`WORDS` for its figures). A wrong figure
is never confirmed, whatever the model says. The citation stays, so that the person can look it up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cairn.answering.numbers import Quantity, disagreeing, is_figure, quantities
from cairn.answering.polarity import negated, opposites, polar
from cairn.passages.sentences import sentences
from cairn.passages.stopwords import stop_words
from cairn.passages.types import Passage
from cairn.retrieval.overlap import Weights, keys_of, plain_words, rarity

CITED = 0.4
"""Shared words from which a sentence gets a citation. Measured on 236 random sentences of field-qa's
English passages against three passages: from one of them 1.0; from another passage of the same
document median .12, 95 % below .41; from anywhere else median .05, 95 % below .18."""

CONFIRMED = 0.5
"""Probability from which a cited sentence counts as confirmed; figures must agree as well."""

NEAR = 0.95
"""Lines and runs that share nearly as much as the best one: a figure may stand in any of them."""

ALONE = 0.85
"""Part of the best run's share from which a single line says it all, figures included."""

_RUN = 3
_LEAST_KEYS = 2


class Signs(NamedTuple):
    """What speaks for and against a sentence; the order is that of the weights."""

    share: float
    figures: float  # 1 when a figure is missing or has another unit
    negation: float  # 1 when a word is negated on one side only
    opposite: float  # 1 when an opposite stands in its place


WORDS = (-4.24, 6.72, -4.93, -5.55, -5.59)
"""Constant and weights. On the held third of 2,172 pairs (starter pack and field documents in
four languages): AUROC .975; flagged of sentences with another figure .98, another unit 1.0, a turned
negation .88, an opposite .90, of another document 1.0; of supported ones .05, of those in other words
.41: it errs on the side of "not confirmed"."""


@dataclass(frozen=True, slots=True)
class Support:
    """The passage that best supports a sentence."""

    n: int  # its citation number, 0 when none reaches :data:`CITED`
    share: float  # 0..1
    confirmed: bool
    signs: Signs


class _Said(NamedTuple):
    """A sentence that is to be judged."""

    keys: frozenset[str]
    figures: list[Quantity]
    denied: frozenset[str]
    polar: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    n: int
    lines: tuple[frozenset[str], ...]
    polar: tuple[frozenset[str], ...]  # of each line
    runs: tuple[frozenset[str], ...]
    line_figures: tuple[tuple[Quantity, ...], ...]
    run_figures: tuple[tuple[Quantity, ...], ...]
    all: frozenset[str]
    negated: frozenset[str]
    plain: frozenset[str]  # keys of sentences in which they are not negated


def content_keys(text: str, stopped: frozenset[str]) -> list[str]:
    """Keys of the words that say something: no stop words (their lists leave negations in), no single
    letters, and neither numbers nor their units, which :mod:`cairn.answering.numbers` compares.
    """
    return [
        key
        for word in plain_words(text)
        if word not in stopped and not is_figure(word) and not (len(word) == 1 and word.isascii())
        for key in keys_of(word)
    ]


def probability(signs: Signs) -> float:
    """That the passage supports the sentence, 0..1."""
    constant, *weights = WORDS
    value = constant + sum(w * s for w, s in zip(weights, signs, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


class Supporter:
    """Compares sentences with the evidence passages of one answer."""

    def __init__(self, passages: Sequence[tuple[int, Passage]]) -> None:
        """``passages``: citation number and passage, as the person can read it."""
        languages = {passage.language for _, passage in passages}
        self._stopped = frozenset().union(*map(stop_words, languages)) or stop_words("eng")
        self._sources = [_source(n, passage, self._stopped) for n, passage in passages]
        counted: Counter[str] = Counter()
        self._runs = 0
        for source in self._sources:
            self._runs += len(source.runs)
            for run in source.runs:
                counted.update(run)
        self._counted = counted

    def best(self, sentence: str, claimed: Iterable[int] = ()) -> Support | None:
        """The best passage for a sentence; None when it says too little to be checked.

        A passage the text itself claimed (:mod:`cairn.answering.citations`) wins a near tie.
        """
        said = self._said(sentence)
        if len(said.keys) < _LEAST_KEYS and not said.figures:
            return None
        weights = self._weights(said)
        claimed = set(claimed)
        best = Support(0, 0.0, False, Signs(0.0, 0.0, 0.0, 0.0))
        best_rank = 0.0
        for source in self._sources:
            signs = _signs(source, weights, said)
            support = signs.share / (1 + signs.figures)
            rank = support + (0.05 if source.n in claimed else 0.0)
            if rank > best_rank:
                best_rank = rank
                cited = signs.share >= CITED
                confirmed = cited and not signs.figures and probability(signs) >= CONFIRMED
                best = Support(source.n if cited else 0, round(support, 3), confirmed, signs)
        return best

    def signs(self, sentence: str, n: int) -> Signs:
        """The signs of a sentence for passage ``n``, which must be among the evidence."""
        said = self._said(sentence)
        source = next(source for source in self._sources if source.n == n)
        return _signs(source, self._weights(said), said)

    def _said(self, sentence: str) -> _Said:
        keys = frozenset(content_keys(sentence, self._stopped))
        denied = negated(sentence, lambda text: content_keys(text, self._stopped))
        return _Said(keys, quantities(sentence), denied, polar(sentence))

    def _weights(self, said: _Said) -> Weights:
        return Weights({key: rarity(self._runs, self._counted[key]) for key in said.keys})


def _source(n: int, passage: Passage, stopped: frozenset[str]) -> _Source:
    heading = frozenset(content_keys(f"{passage.title} {passage.locator}", stopped))
    spans = sentences(passage.text, passage.language) or [(0, len(passage.text))]
    texts = [passage.text[a:b] for a, b in spans]
    each = [frozenset(content_keys(text, stopped)) for text in texts]
    denied = [negated(text, lambda part: content_keys(part, stopped)) for text in texts]
    starts = range(max(1, len(each) - _RUN + 1))
    runs = tuple(frozenset().union(heading, *each[i : i + _RUN]) for i in starts)
    named = quantities(passage.locator)
    return _Source(
        n,
        tuple(each),
        tuple(polar(text) for text in texts),
        runs,
        tuple((*named, *quantities(text)) for text in texts),
        tuple((*named, *quantities("\n".join(texts[i : i + _RUN]))) for i in starts),
        frozenset().union(*runs),
        frozenset().union(*denied),
        frozenset().union(*(line - no for line, no in zip(each, denied, strict=True))),
    )


def _signs(source: _Source, weights: Weights, said: _Said) -> Signs:
    if weights.total:
        shares = [weights.share(run) for run in source.runs]
        lines = [weights.share(line) for line in source.lines]
        share = 0.7 * max(shares) + 0.3 * weights.share(source.all)
    else:
        shares, lines, share = [1.0] * len(source.runs), [1.0] * len(source.lines), 1.0
    alone = [i for i, value in enumerate(lines) if value >= NEAR * max(lines)]
    if max(lines) >= ALONE * max(shares):
        told = [source.line_figures[i] for i in alone]
    else:
        told = [source.run_figures[i] for i, value in enumerate(shares) if value >= NEAR * max(shares)]
    missing = all(disagreeing(said.figures, figures) for figures in told)
    turned = (said.denied & source.plain) - source.negated
    turned |= ((said.keys - said.denied) & source.negated) - source.plain
    there = frozenset().union(*(source.polar[i] for i in alone))
    against = opposites(said.polar - there) & (there - said.polar)
    return Signs(share, float(missing), float(bool(turned)), float(bool(against)))
