"""Whether a sentence says the contrary of its source in the source's own words.

Two signs, both of words alone: a word that is negated on one side and not on the other, and a word
whose opposite stands in the source in its place. What is negated is taken to be the two telling
words behind the negation, within its clause.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from typing import Any

from cairn.passages.scripts import has_cjk
from cairn.passages.words import fold, normalise
from cairn.retrieval.overlap import keys_of, plain_words

REACH = 2
"""Telling words behind a negation that it negates."""

Keys = Callable[[str], list[str]]
_CLAUSES = re.compile(r"[,;:.!?()،؛。，；：！？–—]+")


def negated(text: str, keys: Keys) -> frozenset[str]:
    """Keys of the words that a negation stands before; ``keys`` gives the telling ones of a text."""
    found: set[str] = set()
    for clause in _CLAUSES.split(normalise(text)):
        words = plain_words(clause)
        for at, word in enumerate(words):
            if has_cjk(word):
                found.update(
                    key
                    for sign in _cjk_negations()
                    for part in word.split(sign)[1:]
                    for key in keys(part[:4])
                )
            elif word in _negations():
                telling = [key for later in words[at + 1 :] for key in keys(later)]
                found.update(telling[:REACH])
    return frozenset(found)


def opposites(found: Iterable[str]) -> frozenset[str]:
    """Keys of the words that mean the opposite of any of these keys."""
    table = _opposites()
    return frozenset(other for key in found for other in table.get(key, ()))


def polar(text: str) -> frozenset[str]:
    """Keys of the words of a text whose opposites are known, stop words ("above") among them."""
    table = _opposites()
    return frozenset(key for word in plain_words(text) for key in keys_of(word) if key in table)


@cache
def _negations() -> frozenset[str]:
    return frozenset(w for data in _data().values() for w in data["negations"] if not has_cjk(w))


@cache
def _cjk_negations() -> tuple[str, ...]:
    return tuple(w for data in _data().values() for w in data["negations"] if has_cjk(w))


@cache
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for data in _data().values():
        for pair in data["opposites"]:
            for a, b in ((pair[0], pair[1]), (pair[1], pair[0])):
                for key in keys_of(fold(a)):
                    table.setdefault(key, set()).update(keys_of(fold(b)))
    return {key: frozenset(others) for key, others in table.items()}


@cache
def _data() -> dict[str, dict[str, list[Any]]]:
    file = resources.files("cairn.answering").joinpath("data", "polarity.json")
    data: dict[str, dict[str, list[Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return data
