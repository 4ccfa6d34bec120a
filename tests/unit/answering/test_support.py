"""The support check on the starter pack's pairs: floors of what it tells apart."""

from __future__ import annotations

from functools import cache

import pytest

from cairn.answering.support import CITED, CONFIRMED, Supporter, probability
from tests.eval.support.fit import auroc, held, passage, signs_of
from tests.eval.support.pairs import Pair, pairs


@cache
def judged() -> list[tuple[Pair, float]]:
    """Held pairs with the probability that they are supported; 0 where a figure is wrong."""
    found = []
    for pair in pairs(shared=False):
        if held(pair):
            signs = signs_of(pair)
            confirmed = signs.share >= CITED and not signs.figures
            found.append((pair, probability(signs) * confirmed))
    return found


def test_there_are_enough_pairs() -> None:
    assert len(pairs(shared=False)) >= 300 and len(judged()) >= 100


def test_supported_sentences_are_told_from_others() -> None:
    scores = [score for _, score in judged()]
    assert auroc(scores, [pair.label == "supported" for pair, _ in judged()]) >= 0.9


@pytest.mark.parametrize(
    ("how", "least"), [("figure", 0.9), ("unit", 0.9), ("negation", 0.7), ("opposite", 0.8)]
)
def test_what_contradicts_is_flagged(how: str, least: float) -> None:
    """Intent: a wrong number above all must never pass as confirmed."""
    scores = [score for pair, score in judged() if pair.how == how]
    assert sum(score < CONFIRMED for score in scores) >= least * len(scores)


def test_what_stands_in_the_passage_is_confirmed() -> None:
    scores = [score for pair, score in judged() if pair.how == "as it stands"]
    assert min(scores) >= CONFIRMED


@pytest.mark.parametrize(
    ("said", "confirmed"),
    [
        ("Boil the water for 1 minute.", True),
        ("Boil the water for one minute.", True),
        ("Boil the water for 3 minutes.", False),
        ("Boil the water for 1 hour.", False),
        ("Do not boil the water for one minute.", False),
        ("Above 2,000 m boil it for 3 minutes.", True),
        ("Below 2,000 m boil it for 3 minutes.", False),
    ],
)
def test_single_sentences(said: str, confirmed: bool) -> None:
    text = "Boil the water for 1 minute. Above 2,000 m boil it for 3 minutes. Let the water cool."
    pair = Pair("", "", "eng", "Water", text, said)
    support = Supporter([(1, passage(pair))]).best(said)
    assert support is not None and support.confirmed is confirmed
