"""How far a passage supports a sentence: shared words, weighted by how much they tell, and figures.

``support`` is the weighted share of the sentence's content words that the passage has: 0.7 of it
from the best run of three sentences, 0.3 from the whole passage, so that words scattered over a
page do not add up to a statement. A word weighs ``rarity`` over the sentences of all evidence: what
every sentence says ("water") tells little, a word that no passage has weighs most and counts
against. Where a number of the sentence is missing in the passage, or stands there with another
unit, support is halved and the sentence is not confirmed; the citation stays, so that the person
can look the figure up.

Nothing here reads meaning: a sentence that turns a statement round in the same words ("do not
boil") is caught only by its negation, which is a word like others and must be in the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cairn.answering.numbers import Quantity, disagreeing, is_figure, quantities
from cairn.passages.sentences import sentences
from cairn.passages.stopwords import stop_words
from cairn.passages.types import Passage
from cairn.retrieval.overlap import Weights, keys_of, plain_words, rarity

CITED = 0.4
"""Shared words from which a sentence gets a citation. Measured on 236 random sentences of field-qa's
English passages against three passages: from one of them 1.0; from another passage of the same
document median .12, 95 % below .41; from anywhere else median .05, 95 % below .18."""

CONFIRMED = 0.55
"""Shared words from which a cited sentence counts as confirmed; figures must agree as well."""

_RUN = 3
_LEAST_KEYS = 2


@dataclass(frozen=True, slots=True)
class Support:
    """The passage that best supports a sentence."""

    n: int  # its citation number, 0 when none reaches :data:`CITED`
    share: float  # 0..1
    confirmed: bool


@dataclass(frozen=True, slots=True)
class _Source:
    n: int
    runs: tuple[frozenset[str], ...]
    all: frozenset[str]
    quantities: tuple[Quantity, ...]


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
        found = set(content_keys(sentence, self._stopped))
        numbers = quantities(sentence)
        if len(found) < _LEAST_KEYS and not numbers:
            return None
        weights = Weights({key: rarity(self._runs, self._counted[key]) for key in found})
        claimed = set(claimed)
        best = Support(0, 0.0, False)
        best_rank = 0.0
        for source in self._sources:
            share, agree = _share(source, weights, numbers)
            support = share if agree else share / 2
            rank = support + (0.05 if source.n in claimed else 0.0)
            if rank > best_rank:
                best_rank = rank
                cited = share >= CITED
                confirmed = cited and agree and share >= CONFIRMED
                best = Support(source.n if cited else 0, round(support, 3), confirmed)
        return best


def _source(n: int, passage: Passage, stopped: frozenset[str]) -> _Source:
    heading = frozenset(content_keys(f"{passage.title} {passage.locator}", stopped))
    each = [
        set(content_keys(passage.text[a:b], stopped)) for a, b in sentences(passage.text, passage.language)
    ]
    last = max(1, len(each) - _RUN + 1)
    runs = tuple(frozenset().union(heading, *each[i : i + _RUN]) for i in range(last))
    numbers = tuple(quantities(f"{passage.locator}\n{passage.text}"))
    return _Source(n, runs, frozenset().union(*runs), numbers)


def _share(source: _Source, weights: Weights, numbers: list[Quantity]) -> tuple[float, bool]:
    """Shared words (0..1), and whether every figure stands in the passage too."""
    run = max((weights.share(run) for run in source.runs), default=0.0)
    share = 0.7 * run + 0.3 * weights.share(source.all) if weights.total else 1.0
    return share, not disagreeing(numbers, source.quantities)
