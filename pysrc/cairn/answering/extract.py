"""The extractive answer: one to four sentences, quoted as they stand, each with its citation.

It is on screen before any model runs, and it is all there is without one. A sentence is chosen for
the words of the question it has (weighted, inflections included), for the rank of its passage, for
standing early in it, and for a figure when the question asks for one. It must be readable alone:
no heading, no table row, no question, nothing that opens by pointing back ("This …", "They …").

When question and passages share no words (a question in another language), the passages were found
by meaning; then their first readable sentences are quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from cairn.passages.sentences import sentences
from cairn.passages.words import fold, normalise
from cairn.protocol import QuoteInfo
from cairn.retrieval.overlap import Weights, keys
from cairn.retrieval.types import Candidate

MAX_QUOTES = 4
MAX_CHARS = 700
"""Characters of all quotes together: what is read at a glance."""

PASSAGES = 5
"""Kept passages that are looked at, best first."""

SHORTEST, LONGEST = 24, 420
"""Characters of a sentence that can be quoted (CJK: a third)."""

_NEW_WORDS = 0.12
"""Share of the question's weight a further sentence must add, or see :data:`_STRONG`."""

_STRONG = 0.75
"""A further sentence with this part of the best score is quoted although it adds no new word."""

_CJK_SHORTEST = 8

_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)|^[^a-zà-ÿ\u0370-\uffff]*$")
_SENTENCE_END = re.compile(r"[.!?…。！？؟۔।][\"'”’»›)\]）」』】*_]*$")
_LEADS_ON = re.compile(r"[?？؟:：][\"'”’»)*_]*$")  # a question, or a line that announces others
_ASKS_FIGURE = re.compile(
    r"\bhow (?:long|many|much|far|often|hot|cold|deep|high|old|big|tall|fast)\b"
    r"|\bat what\b|\bwhat (?:dose|temperature|depth)"
    r"|\bcu[aá]nt[oa]s?\b|\bcombien\b|\bwie (?:lange|viele?|weit|oft|hoch|tief)\b"
    r"|\bquant[oiae]s?\b|\bсколько\b|كم\b"
    r"|多少|几|幾|多久|多长|何(?:分|度|回|時間|日)|कितन",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d|\b(?:one|two|three|four|five|six|ten|twelve)\b", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-z])[.)]\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sentence:
    n: int  # citation number
    start: int
    text: str
    keys: frozenset[str]
    score: float
    share: float


def extract(question: str, kept: Sequence[Candidate], weights: Weights) -> list[QuoteInfo]:
    """Quotes for a question: at most four, best passage first, in text order inside a passage.

    ``weights`` are those of the question's words. [] when nothing quotable was kept.
    """
    pool = [s for n, c in enumerate(kept[:PASSAGES], start=1) for s in _sentences(question, n, c, weights)]
    pool.sort(key=lambda s: (-s.score, s.n, s.start))
    chosen: list[_Sentence] = []
    seen: set[str] = set()
    for sentence in pool:
        if len(chosen) == MAX_QUOTES:
            break
        if _worth(sentence, chosen, seen, weights):
            chosen.append(sentence)
            seen |= sentence.keys
    order = {n: i for i, n in enumerate(dict.fromkeys(s.n for s in chosen))}
    chosen.sort(key=lambda s: (order[s.n], s.start))
    return [QuoteInfo(text=s.text, n=s.n) for s in chosen]


def _worth(sentence: _Sentence, chosen: list[_Sentence], seen: set[str], weights: Weights) -> bool:
    """Whether one more sentence says something more, and still fits."""
    if not chosen:
        return True
    if sum(len(s.text) for s in chosen) + len(sentence.text) > MAX_CHARS:
        return False
    if any(_alike(sentence.keys, s.keys) for s in chosen):
        return False
    best = chosen[0]
    if not best.share:  # found by meaning alone: one sentence each of the two best passages
        return len(chosen) < 2 and sentence.n not in {s.n for s in chosen}
    added = weights.share(sentence.keys | seen) - weights.share(seen)
    return added >= _NEW_WORDS or sentence.score >= _STRONG * best.score


def _sentences(question: str, n: int, candidate: Candidate, weights: Weights) -> list[_Sentence]:
    passage = candidate.passage
    text = passage.text
    spans = sentences(text, passage.language)
    figure = _ASKS_FIGURE.search(question) is not None
    context = set(keys(f"{passage.title} {passage.locator}"))
    found: list[_Sentence] = []
    for index, (start, end) in enumerate(spans):
        quote = _LIST_NUMBER.sub("", text[start:end])
        if not _readable(quote):
            continue
        own = frozenset(keys(quote))
        share = weights.share(own)
        # Words that the title or heading has already said count half: the sentence need not repeat them.
        told = share + 0.5 * (weights.share(own | context) - share) if share else 0.0
        score = told + 0.25 / n + 0.06 / (1 + index)
        if figure and _DIGIT.search(quote):
            score += 0.15
        found.append(_Sentence(n, start, " ".join(quote.split()), own, score, share))
    return found


def _readable(text: str) -> bool:
    """Whether a sentence can stand alone."""
    wide = sum(char > "\u2e80" for char in text) * 2 > len(text)
    shortest, longest = (_CJK_SHORTEST, LONGEST // 2) if wide else (SHORTEST, LONGEST)
    if len(text) < shortest or len(text) > longest:
        return False
    if _HEADING.match(text) or text.count("|") > 1 or "\t" in text or _LEADS_ON.search(text):
        return False
    if _pointing().match(fold(normalise(text.lstrip("*_\"“«'")))):
        return False
    return bool(_SENTENCE_END.search(text)) or len(text) > 2 * SHORTEST


@cache
def _pointing() -> re.Pattern[str]:
    """Openings that point at something before the sentence."""
    file = resources.files("cairn.answering").joinpath("data", "openings.json")
    openings = json.loads(file.read_text(encoding="utf-8"))
    spaced: list[str] = []
    unspaced: list[str] = []
    for language, words in openings.items():
        (unspaced if language in ("zho", "jpn") else spaced).extend(map(re.escape, words))
    return re.compile(rf"(?:{'|'.join(spaced)})\b|{'|'.join(unspaced)}")


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= 0.7 * max(1, min(len(one), len(other)))
