"""What a question wants: the library, help in an emergency, a text to be written, or just a chat.

A linear model over words and pieces of words (multinomial logistic regression; weights in
``data/routing.json``, fitted by ``tests/eval/routing/fit.py`` on examples in twelve languages).

Only ``chat`` changes what happens: nothing is searched. It is therefore chosen only when the model is
sure (:data:`CHAT`) *and* every word of the question is known from small talk or says nothing
(a stop word): whatever was never said in small talk is a question for the library. In doubt everything
is searched.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, get_args

from cairn.passages.scripts import has_cjk
from cairn.passages.stopwords import stop_word_languages, stop_words
from cairn.passages.words import fold, words
from cairn.protocol import Route

ROUTES: tuple[Route, ...] = get_args(Route)
CHAT = 0.6
"""Least probability of small talk that is not searched."""

LONGEST_CHAT = 10
"""Words of the longest small talk."""

NGRAM = 4


@dataclass(frozen=True, slots=True)
class Routed:
    """A route and how sure it is."""

    route: Route
    probability: float
    why: str

    def described(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"route": self.route, "probability": round(self.probability, 3), "why": self.why}


def route(question: str) -> Routed:
    """What this question wants; never raises."""
    found = [fold(word) for word in words(question)]
    if not found:
        return Routed("library", 0.0, "no words")
    shares = probabilities(features(found))
    best = max(ROUTES, key=lambda name: shares[name])
    if best != "chat":
        return Routed(best, shares[best], "by its words")
    new = [word for word in found if not _known(word)]
    if shares["chat"] < CHAT or new or len(found) > LONGEST_CHAT:
        return Routed("library", shares["chat"], "small talk is not certain " + " ".join(new[:3]))
    return Routed("chat", shares["chat"], "small talk")


def features(found: list[str]) -> set[str]:
    """Words, pairs of words with the ends of the question, and pieces of words.

    ``found`` are folded words; a CJK run counts by its characters and pairs.
    """
    made: set[str] = set()
    for word in found:
        made.add(word)
        if has_cjk(word):
            made.update(word)
            made.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            padded = f"_{word}_"
            made.update("~" + padded[i : i + NGRAM] for i in range(len(padded) - NGRAM + 1))
    line = ["^", *found, "$"]
    made.update(f"{a} {b}" for a, b in itertools.pairwise(line))
    return made


def probabilities(made: Iterable[str]) -> dict[Route, float]:
    """Softmax of the weights of the known features."""
    model = _model()
    scores = list(model["bias"])
    for feature in made:
        for i, weight in enumerate(model["weights"].get(feature, ())):
            scores[i] += weight
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return {name: p / sum(powers) for name, p in zip(ROUTES, powers, strict=True)}


def _known(word: str) -> bool:
    listed = _chat_words()
    return word in listed or (has_cjk(word) and all(char in listed for char in word))


@cache
def _chat_words() -> frozenset[str]:
    listed = set(_model()["chat"])
    for language in stop_word_languages():
        listed.update(map(fold, stop_words(language)))
    return frozenset(listed)


@cache
def _model() -> dict[str, Any]:
    file = resources.files("cairn.retrieval").joinpath("data", "routing.json")
    model: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return model
