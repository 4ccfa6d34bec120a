"""The extractive answer: one to four sentences, quoted as they stand, each with its citation.

It is on screen before any model writes, and it is all there is without one. A sentence is chosen for
the words of the question it has (weighted, inflections included), for the rank of its passage, for
standing early in it, and for a figure when the question asks for one. Where no sentence has most of
the question's words (a question in another language, or in other words) and E5 is there, the best
dozen by these signs are compared with the question by meaning, within :data:`MEANING_MS`.

A quote must be readable alone: no heading, no table row, no question, nothing that opens by pointing
back ("This …", "They …"). White space is the only thing changed in it.

When question and passages share no words and there is no E5, the passages' first readable
sentences are quoted.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from cairn.passages.sentences import sentences
from cairn.passages.words import fold, normalise
from cairn.protocol import QuoteInfo, Style
from cairn.retrieval.overlap import Weights, keys
from cairn.retrieval.types import Candidate

MAX_QUOTES: dict[Style, int] = {"short": 4, "detailed": 8}
MAX_CHARS: dict[Style, int] = {"short": 700, "detailed": 1_600}
"""Characters of all quotes together: what is read at a glance, and what is read."""

PASSAGES = 5
"""Kept passages that are looked at, best first."""

ENOUGH_WORDS = 0.55
"""Share of the question's words in one sentence from which words decide alone: they are surer than
the cosine of two short texts, and cost nothing."""

SHORTLIST = 12
_BY_PASSAGE = (6, 4, 2)
"""Sentences of the three best passages that are compared where no word is shared."""

MEANING_MS = 600.0
"""Time for comparing sentences by meaning: a sentence takes 40 ms on two threads of WebAssembly."""

PATIENT_MS = 2_000.0
"""The same where no word is shared: by words alone the quotes would be a guess, and a draft by the
order of the passages is on screen already."""

MEANING_BATCH = 4
MEANING_WEIGHT = 8.0
"""Score lost by 1.0 of cosine below the nearest sentence: .05 less costs .4."""

MEANING_SPREAD = 0.05
MEANT_TOGETHER = 0.2
"""How much worse than the best a further quote may score."""

SHORTEST, LONGEST = 24, 420
"""Characters of a sentence that can be quoted (CJK: a third)."""

_NEW_WORDS: dict[Style, float] = {"short": 0.12, "detailed": 0.06}
"""Share of the question's weight a further sentence must add, or see :data:`_STRONG`."""

_STRONG = 0.75
"""A further sentence with this part of the best score is quoted although it adds no new word."""

UNSTOPPED = 80
"""Characters from which running text without a full stop is no heading."""

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
_SUCH = re.compile(r"\bsuch (?!as\b|an?\b)", re.IGNORECASE)  # "such water": said of what stood before
_LISTED = re.compile(r"^[ \t>]*[-*+•‣▪–·][ \t]+\Z", re.MULTILINE)
_LIST_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-z])[.)]\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sentence:
    n: int  # citation number
    document: tuple[str, str]  # source and document
    ordinal: int  # of the passage in its document
    start: int
    text: str
    keys: frozenset[str]
    score: float
    share: float


Embed = Callable[[Sequence[str]], "Awaitable[list[array[float]]]"]


class Extractor:
    """Quotes for one question from its kept passages; ``weights`` are those of its words."""

    def __init__(
        self, question: str, kept: Sequence[Candidate], weights: Weights, style: Style = "short"
    ) -> None:
        self._weights = weights
        self._most, self._room, self._added = MAX_QUOTES[style], MAX_CHARS[style], _NEW_WORDS[style]
        self._figure = _ASKS_FIGURE.search(question) is not None
        looked_at = kept[:PASSAGES]
        self._ranks = ranks = dict[tuple[str, str], int]()  # of documents, by their best passage
        for n, candidate in enumerate(looked_at, start=1):
            ranks.setdefault((candidate.passage.source_id, candidate.passage.document_id), n)
        self._pool = [
            sentence
            for n, candidate in enumerate(looked_at, start=1)
            for sentence in _sentences(question, n, candidate, weights, ranks)
        ]
        self._meant = False

    @property
    def needs_meaning(self) -> bool:
        """Whether no sentence has most of the question's words."""
        return bool(self._pool) and max(s.share for s in self._pool) < ENOUGH_WORDS

    async def add_meaning(self, query: array[float], embed: Embed, clock: Callable[[], float]) -> None:
        """Keep the dozen best sentences and weigh them by meaning too.

        Those not reached within :data:`MEANING_MS` (:data:`PATIENT_MS` where question and sentences
        share no word) are dropped. Raises what ``embed`` raises; the
        pool is then as it was.
        """
        shortlist = self._shortlist()
        cosines: list[float] = []
        began = clock()
        limit = MEANING_MS if self._shared else PATIENT_MS
        while len(cosines) < len(shortlist) and (not cosines or clock() - began < limit):
            batch = shortlist[len(cosines) : len(cosines) + MEANING_BATCH]
            for vector in await embed([sentence.text for sentence in batch]):
                cosines.append(sum(a * b for a, b in zip(query, vector, strict=True)))
        nearest = max(cosines, default=0.0)
        self._pool = [
            replace(sentence, score=sentence.score - MEANING_WEIGHT * (nearest - cosine))
            for sentence, cosine in zip(shortlist, cosines, strict=False)
            if cosine >= nearest - MEANING_SPREAD
        ]
        self._meant = True

    def quotes(self) -> list[QuoteInfo]:
        """At most four, best document first, in the order of its text; [] without any."""
        chosen: list[_Sentence] = []
        seen: set[str] = set()
        for sentence in sorted(self._pool, key=lambda s: (-s.score, s.n, s.start)):
            if len(chosen) == self._most:
                break
            if self._worth(sentence, chosen, seen):
                chosen.append(sentence)
                seen |= sentence.keys
        # A document that the search put first is read first, unless another has the figure asked for.
        best: dict[tuple[str, str], float] = {}
        for s in chosen:
            first = 0.0 if self._figure or self._meant else 0.25 / self._ranks[s.document]
            best[s.document] = max(s.score + first, best.get(s.document, s.score + first))
        chosen.sort(key=lambda s: (-best[s.document], s.document, s.ordinal, s.start))
        return [QuoteInfo(text=s.text, n=s.n) for s in chosen]

    def choices(self, most: int) -> list[QuoteInfo]:
        """The ``most`` best sentences, in the order of the passages: what a model may choose from."""
        best = sorted(self._pool, key=lambda s: (-s.score, s.n, s.start))[:most]
        unlike = [s for i, s in enumerate(best) if not any(_alike(s.keys, o.keys) for o in best[:i])]
        return [QuoteInfo(text=s.text, n=s.n) for s in sorted(unlike, key=lambda s: (s.n, s.start))]

    def _shortlist(self) -> list[_Sentence]:
        """The best by words and place, and the first two readable sentences of every passage.

        Where no word is shared, words and place say nothing: the sentences of the best passage come
        first, those with a figure before the others when a figure is asked for.
        """
        if not self._shared:
            pool = sorted(self._pool, key=lambda s: (s.n, -self._tells_figure(s), s.start))
            per = {n: [s for s in pool if s.n == n] for n in dict.fromkeys(s.n for s in pool)}
            taken = [s for found, most in zip(per.values(), _BY_PASSAGE, strict=False) for s in found[:most]]
            return list(dict.fromkeys([*taken, *pool]))[:SHORTLIST]
        ranked = sorted(self._pool, key=lambda s: (-s.score, s.n, s.start))
        openings: list[_Sentence] = []
        for n in dict.fromkeys(s.n for s in self._pool):
            openings += [s for s in self._pool if s.n == n][:2]
        return list(dict.fromkeys([*ranked[: SHORTLIST // 2], *openings, *ranked]))[:SHORTLIST]

    @property
    def _shared(self) -> bool:
        """Whether any sentence has a word of the question."""
        return any(sentence.share for sentence in self._pool)

    def _tells_figure(self, sentence: _Sentence) -> bool:
        return self._figure and _DIGIT.search(sentence.text) is not None

    def _worth(self, sentence: _Sentence, chosen: list[_Sentence], seen: set[str]) -> bool:
        """Whether one more sentence says something more, and still fits."""
        if not chosen:
            return True
        if sum(len(s.text) for s in chosen) + len(sentence.text) > self._room:
            return False
        if any(_alike(sentence.keys, s.keys) for s in chosen):
            return False
        best = chosen[0]
        if self._meant:
            return sentence.score >= best.score - MEANT_TOGETHER
        if not best.share:  # nothing but the order of passages: one sentence each of the two best
            return len(chosen) < 2 and sentence.n not in {s.n for s in chosen}
        added = self._weights.share(sentence.keys | seen) - self._weights.share(seen)
        return added >= self._added or sentence.score >= _STRONG * best.score


def _sentences(
    question: str, n: int, candidate: Candidate, weights: Weights, ranks: Mapping[tuple[str, str], int]
) -> list[_Sentence]:
    passage = candidate.passage
    told_in = (passage.source_id, passage.document_id)
    text = passage.text
    spans = sentences(text, passage.language)
    figure = _ASKS_FIGURE.search(question) is not None
    context = set(keys(f"{passage.title} {passage.locator}"))
    found: list[_Sentence] = []
    for index, (start, end) in enumerate(spans):
        quote = _LIST_NUMBER.sub("", text[start:end])
        listed = len(quote) < end - start or _LISTED.search(text, 0, start) is not None
        if not _readable(quote, listed):
            continue
        own = frozenset(keys(quote))
        share = weights.share(own)
        credit = _context_credit(passage.ordinal, len(found))
        told = share + credit * (weights.share(own | context) - share) if share or credit == 1 else 0.0
        # The opening of a document speaks for all of it, so it has the rank of its best passage.
        opens = passage.ordinal == 0 and not found
        score = told + 0.25 / (ranks[told_in] if opens else n) + 0.06 / (1 + index)
        if figure and _DIGIT.search(quote):
            score += 0.15
        line = " ".join(quote.split())
        found.append(_Sentence(n, told_in, passage.ordinal, start, line, own, score, share))
    return found


def _context_credit(ordinal: int, position: int) -> float:
    """How far words of title and heading count for a sentence that does not repeat them.

    The opening of a document says in short what the title names; the opening of any passage is
    closest to its heading.
    """
    if ordinal == 0 and position == 0:
        return 1.0
    return 0.75 if position == 0 or (ordinal == 0 and position == 1) else 0.5


def _readable(text: str, listed: bool) -> bool:
    """Whether a sentence can stand alone; ``listed``: it is an item of a list, which needs no stop."""
    wide = sum(char > "\u2e80" for char in text) * 2 > len(text)
    shortest, longest = (_CJK_SHORTEST, LONGEST // 2) if wide else (SHORTEST, LONGEST)
    if len(text) < shortest or len(text) > longest:
        return False
    if _HEADING.match(text) or text.count("|") > 1 or "\t" in text or _LEADS_ON.search(text):
        return False
    if _SUCH.search(text):
        return False
    if _pointing().match(fold(normalise(text.lstrip("*_\"“«'")))):
        return False
    return bool(_SENTENCE_END.search(text)) or listed or len(text) >= UNSTOPPED


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
