"""Comparing words of a question, a passage and a sentence: keys, weights, shares.

A *key* is what two inflections of a word have in common: the word without diacritics and without
a light ending; of a CJK run its bigrams. Keys are for comparing texts that are at hand, never for
asking an index. They are cheap rather than right (``stem("nursing") == stem("nurse")``); both sides are
cut in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from cairn.passages.scripts import CJK, MARKS, has_cjk
from cairn.passages.types import Passage
from cairn.passages.words import fold, grams, normalise, words

_ENGLISH_ENDINGS = (
    ("ies", "y"), ("ing", ""), ("edly", ""), ("ed", ""),
    ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("es", "e"), ("s", ""),
)  # fmt: skip
_SHORTEST_STEM = 3
_SPECIAL = re.compile(f"[{MARKS}{CJK}]")
_PLAIN_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+|(?<=\d)[.,](?=\d)[^\W_]+)*")
_KEPT = re.compile(r"(?:ss|us|is|eed|^[^aeiouy]+ing)$")  # glass, virus, crisis, bleed, string
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|un|dell|nell|all|sull|dall|quell)'(?=[^\W\d_]{2})")


def stem(word: str) -> str:
    """A folded word without the endings of English inflection and of Romance plurals.

    >>> [stem(w) for w in ("boils", "boiled", "boiling", "burns", "quemaduras", "stopped")]
    ['boil', 'boil', 'boil', 'burn', 'quemadur', 'stop']
    """
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    for ending, instead in _ENGLISH_ENDINGS:
        base = word[: -len(ending)]
        if not word.endswith(ending) or len(base) < _SHORTEST_STEM or _KEPT.search(word):
            continue
        word = base + instead
        if ending in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "lsz":
            word = word[:-1]
        break
    if len(word) > 4 and word[-1] in "aeio":
        word = word[:-1]
    return word


def bare(word: str) -> str:
    """A word without an elided article or preposition before it and a possessive behind it.

    >>> [bare(w) for w in ("l'eau", "dell'acqua", "child's", "don't", "o'clock")]
    ['eau', 'acqua', 'child', "don't", "o'clock"]
    """
    if "'" not in word:
        return word
    return _ELISION.sub("", word).removesuffix("'s") or word


@lru_cache(maxsize=20_000)
def keys_of(word: str) -> tuple[str, ...]:
    """Keys of one word of :func:`cairn.passages.words.words`: a stem, or the bigrams of a CJK run."""
    if has_cjk(word):
        return tuple(grams(word, (2,))) or (word,)
    return (stem(fold(bare(word))),)


def keys(text: str) -> list[str]:
    """Keys of all words of a text, in order, repeated as they occur."""
    return [key for word in plain_words(text) for key in keys_of(word)]


def plain_words(text: str) -> list[str]:
    """:func:`cairn.passages.words.words`, four times as fast for text without CJK and marks.

    A search compares some eighty passages with its question while the person waits.
    """
    text = normalise(text)
    return words(text) if _SPECIAL.search(text) else _PLAIN_WORD.findall(text)


class Weights:
    """How much each key of a question (or of a sentence) tells; unknown keys tell nothing."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.by_key = {key: weight for key, weight in weights.items() if weight > 0}
        self.total = sum(self.by_key.values())

    def share(self, found: Iterable[str]) -> float:
        """Weighted share (0..1) of the keys that occur in ``found``; 0 without any key."""
        if not self.total:
            return 0.0
        present = self.by_key.keys() & found if isinstance(found, set) else self.by_key.keys() & set(found)
        return sum(self.by_key[key] for key in present) / self.total

    def coverage(self, passage: Passage) -> float:
        """The share found in a passage's title, locator and text."""
        return self.share(set(keys(f"{passage.title}\n{passage.locator}\n{passage.text}")))


def rarity(documents: int, having: int) -> float:
    """Inverse document frequency as in BM25 (Robertson and Spärck Jones 1976, with + 1 inside the
    logarithm as in Lucene, so that it stays positive): ``ln(1 + (N - n + 0.5) / (n + 0.5))``.
    """
    having = min(having, documents)
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))
