"""From a question in a conversation to one that can be understood alone, by rules.

A question leans on the turns before it when it opens like a continuation ("and", "what about",
"¿y", "а если", "那 … 呢"), when it points at something it does not name ("How do I use them?"), or
when hardly a word of it tells ("What types are there?"). Then

* a **continuation** is put behind the question it continues, the last one that could be understood
  alone: "How much water does an adult need a day? for a child?";
* any other gets the **topic** of the turn before, its telling words, in brackets: "How do I use them?
  (new commands version 6.15.0)".

Measured on mtrag-conv (96 conversations, nDCG@10, E5-small q8 and keywords): last turn .731, these
rules .751, rewritten by a person .757 (docs/reports).

Words, not grammar: no word is replaced or removed but the opening, so nothing is lost when a rule is
wrong. The words are in ``data/followups.json``; a question whose language cannot be told is taken
to be in that of the turn before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from cairn.answering.conversation import PastTurn
from cairn.passages.languages import UNKNOWN
from cairn.passages.scripts import has_cjk
from cairn.passages.stopwords import stop_words
from cairn.passages.words import fold, normalise, words
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.overlap import keys_of
from cairn.retrieval.routing import route

FEW, SOME = 2, 3
"""Telling words up to which a name, and a question that opens or points back, lean on what was before."""

TOPIC_WORDS = 5
SHORT = 5
"""Words up to which the language of a question cannot be told from its own words."""

CHATTY = 3
"""Telling words up to which a sentence before the question is taken for chat."""

LONGEST = 500
"""Characters of an earlier question that are carried."""

_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+s?")
_SENTENCE = re.compile(r"(?<=[.!?。！？؟।])\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What is searched for in place of the question."""

    query: str
    rewritten: bool  # it says more than the question
    why: str  # for the debug panel
    details: dict[str, Any] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"query": self.query, "rewritten": self.rewritten, "why": self.why, **self.details}


def standalone(question: str, history: Sequence[PastTurn], query: str | None = None) -> Rewrite:
    """The query to search with; ``query`` is the person's own, which nothing overrides."""
    if query is not None and query.strip():
        return Rewrite(query, False, "the person's own query")
    before = [turn for turn in history if _telling(turn.query, "") and route(turn.query).route != "chat"]
    if not before:
        return Rewrite(question, False, "as asked" if history else "first question")
    language = _language(question, before[-1])
    look = _look(question, language)
    why = _leaning(look)
    if not why:
        return Rewrite(look.text, False, "it can be understood alone")
    if look.opened:
        base = _base(before)
        return Rewrite(f"{base} {look.rest}", True, why, {"continues": base})
    topic = _topic(before[-1], look)
    if not topic:
        return Rewrite(look.text, False, f"{why}, but nothing to carry")
    return Rewrite(f"{look.text} ({topic})", True, why, {"topic": topic})


def tells(text: str) -> list[str]:
    """The words that say what a text is about."""
    return _telling(text, "")


@dataclass(frozen=True, slots=True)
class _Look:
    """A question as the rules see it."""

    text: str  # without thanks and the like before it
    rest: str  # without its opening
    opened: bool  # it opens like a continuation
    telling: list[str]  # words of ``rest`` that say what it is about
    points: bool  # at something it does not name
    asks: bool  # a question or a sentence, more than a name
    defines: bool  # it asks what a name means

    @property
    def size(self) -> int:
        """How many words tell; two CJK characters count as one."""
        return sum((len(word) + 1) // 2 if has_cjk(word) else 1 for word in self.telling)


def _look(question: str, language: str) -> _Look:
    text = _asked(" ".join(question.split()), language)
    rest = _after(text, _opening(language, "openers"))
    opened = bool(rest)
    all_words = words(text)
    data = _data().get(language, {})
    if any(normalise(rest or text).rstrip("?？ ").endswith(end) for end in data.get("endings", ())):
        opened = True
    telling = _telling(rest or text, language)
    return _Look(
        text=text,
        rest=rest or text,
        opened=opened,
        telling=telling,
        points=_contains(all_words, data.get("pointers", ())),
        asks=len(all_words) > len(telling) + 1 or bool(re.search("[?？؟]", text)),
        defines=_after(text, _opening(language, "definitions")) != "" or _ends_defining(text, language),
    )


def _asked(text: str, language: str) -> str:
    """What is asked, without thanks, chat and "can you tell me" before it."""
    text = _after(text, _opening(language, "fillers"), stop=True) or text
    *chat, last = _SENTENCE.split(text)
    asks = re.search("[?？؟]\\s*$", last) is not None
    if chat and asks and all(len(_telling(said, language)) <= CHATTY for said in chat):
        text = last if len(_telling(last, language)) >= FEW else text
    bare = _after(text, _opening(language, "wrappers"))
    return bare if len(_telling(bare, language)) >= FEW else text


def _leaning(look: _Look) -> str:
    """Why the question needs what was before, "" when it does not."""
    if not look.telling:
        return "it names nothing"
    if look.opened and look.size <= SOME:
        return "continuation"
    if look.size > SOME:
        return ""
    if look.points:
        return "it points back"
    if look.defines or any(_ACRONYM.fullmatch(word) for word in look.telling):
        return ""
    return "it says little" if look.size < FEW or (look.asks and look.size == FEW) else ""


def _base(before: Sequence[PastTurn]) -> str:
    """The last query that continues no other one."""
    queries = [turn.query.strip() for turn in before]
    for number in range(len(queries) - 1, 0, -1):
        query = queries[number]
        if not any(query != other and query.startswith(other) for other in queries[:number]):
            return query[:LONGEST]
    return queries[0][:LONGEST]


def _topic(turn: PastTurn, look: _Look) -> str:
    """The telling words of the turn's query that the question has not, in their order."""
    language = _language(turn.query, None)
    own = {key for word in words(look.text) for key in keys_of(word)}
    found: dict[str, None] = {}
    for word in _telling(turn.query, language):
        if not own.issuperset(keys_of(word)):
            found[word] = None
    kept = sorted(found, key=lambda w: -min(len(w), 9) - 9 * any(c.isdigit() for c in w))[:TOPIC_WORDS]
    return " ".join(word for word in found if word in kept)


def _telling(text: str, language: str) -> list[str]:
    """Words that say what a text is about: no stop words, no asking, no pointing."""
    language = language or _language(text, None)
    listed = stop_words(language) or stop_words("eng")
    folded = {fold(word) for word in listed}
    data = _data().get(language, {})
    empty = {w for name in ("pointers", "empty", "openers", "fillers") for w in data.get(name, ())}
    analysis = analyse(text)
    if any(has_cjk(term) for term in analysis.terms):
        return [term for term in _runs(analysis, empty) if term]
    as_written = {normalise(word): word for word in re.findall(r"\w[\w.'’-]*\w|\w", text)}
    return [
        as_written.get(word, word)
        for word in dict.fromkeys(analysis.terms)
        if word not in listed and fold(word) not in folded and word not in empty
    ]


def _runs(analysis: Analysis, empty: set[str]) -> list[str]:
    """CJK terms joined to the runs they were cut from, without what only points."""
    pattern = "|".join(sorted(map(re.escape, empty), key=len, reverse=True))
    return [
        run
        for shown in analysis.shown.split()
        for run in (re.split(pattern, shown) if pattern else [shown])
        if run and not (len(run) == 1 and has_cjk(run))
    ]


def _language(text: str, before: PastTurn | None) -> str:
    """The language of a text; in doubt, and for a few Latin words, that of the turn before; at last
    English.
    """
    language = analyse(text).language
    if before is not None and (language == UNKNOWN or (_latin(text) and len(words(text)) <= SHORT)):
        earlier = analyse(before.query).language
        if earlier == UNKNOWN:
            return _nearest(f"{before.query} {text}")
        if _latin(text) == _latin(before.query):
            return earlier
    return language if language != UNKNOWN else _nearest(text)


def _nearest(text: str) -> str:
    """Of the languages with rules, the one that has most of these words in its lists."""
    found = words(text)

    def known(language: str) -> int:
        listed = stop_words(language).union(*_data()[language].values())
        return sum(word in listed for word in found)

    return max(_data(), key=known)


def _latin(text: str) -> bool:
    return any(char.isalpha() and char < "\u0250" for char in text)


def _contains(found: Sequence[str], listed: Sequence[str]) -> bool:
    cjk = [word for word in found if has_cjk(word)]
    return any(word in listed for word in found) or any(
        part in run for run in cjk for part in listed if has_cjk(part)
    )


def _after(text: str, pattern: re.Pattern[str] | None, *, stop: bool = False) -> str:
    """What follows an opening, "" without one; ``stop``: only behind a comma or the like."""
    match = pattern.match(normalise(text)) if pattern is not None else None
    if match is None or len(normalise(text)) != len(text):
        return ""
    rest = text[match.end() :]
    if stop and not re.match(r"\s*[,.!;:…،。！，]", rest):
        return ""
    return rest.lstrip(" ,.!;:…،。！，")


def _ends_defining(text: str, language: str) -> bool:
    ends = _data().get(language, {}).get("definitions", [])
    return any(normalise(text).rstrip(" ?？؟").endswith(end) for end in ends)


@cache
def _opening(language: str, name: str) -> re.Pattern[str] | None:
    listed = _data().get(language, {}).get(name, [])
    if not listed:
        return None
    listed = sorted(listed, key=len, reverse=True)
    end = "" if any(has_cjk(word) for word in listed) else r"(?![^\W_])"
    return re.compile(rf"[\s¿¡\"'«(]*(?:{'|'.join(map(re.escape, listed))}){end}")


@cache
def _data() -> dict[str, dict[str, list[str]]]:
    file = resources.files("cairn.answering").joinpath("data", "followups.json")
    data: dict[str, dict[str, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return data
