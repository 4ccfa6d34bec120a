"""The part of a passage that shows why it was found, and where the words of the question stand in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from cairn.passages.scripts import has_cjk
from cairn.passages.words import normalise
from cairn.retrieval.overlap import Weights, keys_of

MOST = 260
"""Characters of an excerpt."""

_BEFORE = 40  # characters shown before the first word that counts
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Text of one line, and the ranges to mark in it as (start, end) in code points."""

    text: str
    marks: list[tuple[int, int]]


def excerpt(text: str, weights: Weights, most: int = MOST) -> Excerpt:
    """The ``most`` characters of a passage with the most telling words, cut between words.

    Headings are left out; a passage that is nothing else is shown as it is.
    """
    line = " ".join(_HEADING.sub(" ", text).split()) or " ".join(text.split())
    found = _found(line, weights)
    start, end = _window(line, found, weights, most)
    before, after = ("… " if start else ""), (" …" if end < len(line) else "")
    marks = [
        (s - start + len(before), e - start + len(before)) for s, e, _ in found if start <= s and e <= end
    ]
    return Excerpt(before + line[start:end] + after, _joined(marks))


def matched(text: str, weights: Weights) -> list[str]:
    """Words of a text that are words of the question, each once as it first stands there."""
    seen: dict[str, str] = {}
    for start, end, key in _found(text, weights):
        seen.setdefault(key, text[start:end])
    return list(dict.fromkeys(seen.values()))


def _found(text: str, weights: Weights) -> list[tuple[int, int, str]]:
    """(start, end, key) of each word that counts; CJK by bigrams."""
    wanted = weights.by_key
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if has_cjk(word):
            pairs = [(i, word[i : i + 2]) for i in range(max(1, len(word) - 1))]
            at = match.start()
            found += [(at + i, at + i + len(pair), pair) for i, pair in pairs if pair in wanted]
            continue
        key = _key(word)
        if key in wanted:
            found.append((match.start(), match.end(), key))
    return found


@lru_cache(maxsize=20_000)
def _key(word: str) -> str:
    """The key of one word as it stands in a text; "" when it has none."""
    return next(iter(keys_of(normalise(word))), "")


def _window(line: str, found: list[tuple[int, int, str]], weights: Weights, most: int) -> tuple[int, int]:
    if len(line) <= most:
        return 0, len(line)
    best, start = -1.0, 0
    for first, _, _ in found:
        at = max(0, first - _BEFORE)
        keys = {key for s, e, key in found if at <= s and e <= at + most}
        worth = sum(weights.by_key[key] for key in keys)
        if worth > best:
            best, start = worth, at
    start = min(start, len(line) - most)
    end = start + most
    if start:  # begin at a word
        space = line.find(" ", start, start + _BEFORE)
        start = space + 1 if space >= 0 else start
    if end < len(line):
        space = line.rfind(" ", end - _BEFORE, end)
        end = space if space > start else end
    return start, end


def _joined(marks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks that overlap or touch as one: bigrams of one run."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
