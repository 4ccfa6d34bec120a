"""From what a person typed to what is looked for.

Nothing here raises, whatever the text: it is cut at 4,000 characters, FTS5 syntax is only
characters, and the index quotes every term again. Understood are ``"a phrase"`` (in the quotation
marks of many languages) and ``-word``; all other signs separate words.

The words kept as *terms* are those that are no stop words of the question's language and no part of
asking itself ("how do I", "please tell me"); when none is left, the words themselves. Negations
stay: "not breathing" is not "breathing" (the stop word lists leave them out on purpose). A run of
CJK characters becomes its bigrams, which our packs and those we read have indexed.

English inflections are *not* added to the query. Tried on field-qa (27 English questions, nDCG@10,
keyword index alone): terms as typed .468; with every form of the same stem in the index .427.
Inflections count in :mod:`cairn.retrieval.overlap`, where coverage and quotes are decided.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from cairn.index.types import LexicalQuery
from cairn.passages.languages import UNKNOWN
from cairn.passages.scripts import HAN, has_cjk
from cairn.passages.stopwords import stop_words
from cairn.passages.words import fold, grams, is_word, normalise, words
from cairn.protocol import MAX_QUESTION_CHARS
from cairn.retrieval.language import guess_language
from cairn.retrieval.overlap import bare

MAX_TERMS = 24
MAX_PHRASES = 4
MAX_EXCLUDED = 8
SURE = 0.25
"""Confidence from which a language guess is believed. On 3,160 questions in en es ar hi zh, 99.4 %
were guessed right and 1.3 % fell below this."""

_PHRASE = re.compile('["“”„‟«»「」『』]([^"“”„‟«»「」『』\\n]{1,200})["“”„‟«»「」『』]')
_EXCLUDED = re.compile(r"(?<!\S)-(?=[^\W\d_])([^\s\"“”„«»]{1,80})")
_NOISE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question, understood as far as words go."""

    question: str  # the whole question, cleaned: what is embedded and shown to a generator
    language: str  # ISO 639-3, "und" when the guess is not sure enough
    confidence: float  # of the guess, 0..1
    terms: tuple[str, ...]  # informative words and CJK bigrams, at most 24
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    respelled: bool = False  # whether cairn.retrieval.spelling has seen it

    @property
    def shown(self) -> str:
        """What is searched, for people: phrases, words, exclusions."""
        quoted = [f"“{phrase}”" for phrase in self.phrases]
        return " ".join([*quoted, *_joined(self.terms), *(f"-{word}" for word in self.excluded)])

    def forms(self, term: str) -> tuple[str, ...]:
        """A term and what else is looked for instead of it."""
        return (term, *self.alternatives.get(term, ()), *self.synonyms.get(term, ()))

    def lexical(self) -> LexicalQuery:
        """The query for a keyword index."""
        others = [word for term in self.terms for word in self.forms(term)[1:]]
        return LexicalQuery(tuple(_unique([*self.terms, *others])), self.phrases, self.excluded)


def analyse(question: str) -> Analysis:
    """Understand a question; never raises."""
    text = _clean(question)
    phrases = _phrases(text)
    asked = _EXCLUDED.sub(" ", text)
    excluded = _unique(w for match in _EXCLUDED.finditer(text) for w in words(match[1]))[:MAX_EXCLUDED]
    all_words = words(asked)
    guess = guess_language(normalise(asked), all_words)
    terms = _terms(all_words, guess.language, guess.confidence)
    if not terms and not phrases:
        excluded = []  # "-word" alone: look for the word rather than for nothing
        terms = _terms(words(text), guess.language, guess.confidence)
    return Analysis(
        question=text,
        language=guess.language if guess.confidence >= SURE else UNKNOWN,
        confidence=guess.confidence,
        terms=tuple(_most_telling(terms)),
        phrases=tuple(phrases),
        excluded=tuple(w for w in excluded if w not in terms),
    )


def _clean(question: str) -> str:
    text = question[:MAX_QUESTION_CHARS].encode("utf-8", "replace").decode("utf-8")
    text = unicodedata.normalize("NFC", _NOISE.sub("", text))
    return " ".join(text.split())


def _phrases(text: str) -> list[str]:
    """Quoted words, at least two (CJK: characters); a single quoted word is a term like any other."""
    found = []
    for match in _PHRASE.finditer(text):
        inside = words(match[1])
        if len(inside) > 1 or (inside and has_cjk(inside[0]) and len(inside[0]) > 1):
            found.append(" ".join(inside))
    return _unique(found)[:MAX_PHRASES]


def _terms(all_words: list[str], language: str, confidence: float) -> list[str]:
    asking = _asking()
    listed = stop_words(language if confidence >= SURE else "eng")
    folded = {fold(word) for word in listed}
    kept: list[str] = []
    for word in all_words:
        if has_cjk(word):
            kept += _cjk_terms(word)
        elif not (word in listed or fold(word) in folded or word in asking):
            kept.append(bare(word))
    if not kept:  # nothing but stop words: better those than nothing
        kept = [part for w in all_words for part in (grams(w, (2,)) if has_cjk(w) else [w]) or [w]]
    return _unique(word for word in kept if is_word(word))


def _cjk_terms(run: str) -> list[str]:
    """Bigrams of what is left of a run when the asking is taken out; of the run itself if nothing."""
    parts = [part for part in _cjk_asking().split(run) if part]
    found = [gram for part in parts for gram in (grams(part, (2,)) if len(part) > 1 else [])]
    return found or [part for part in parts if len(part) == 1]


@cache
def _asking_data() -> dict[str, list[str]]:
    file = resources.files("cairn.retrieval").joinpath("data", "asking.json")
    data: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return data


@cache
def _asking() -> frozenset[str]:
    """Words of asking itself; what the person wants is told by the others."""
    return frozenset(w for words_ in _asking_data().values() for w in words_ if not has_cjk(w))


@cache
def _cjk_asking() -> re.Pattern[str]:
    """The same inside CJK runs, and Japanese particles behind a word that is not in hiragana."""
    strings = [w for words_ in _asking_data().values() for w in words_ if has_cjk(w)]
    strings.sort(key=len, reverse=True)
    return re.compile("|".join(strings) + rf"|(?<=[{HAN}ァ-ヺー])[をはがのにでともか](?![ぁ-ん])")


def _most_telling(terms: list[str]) -> list[str]:
    """At most 24 terms in their order: numbers and long words tell most without an index at hand."""
    if len(terms) <= MAX_TERMS:
        return terms
    order = sorted(range(len(terms)), key=lambda i: (-_telling(terms[i]), i))
    kept = set(order[:MAX_TERMS])
    return [term for i, term in enumerate(terms) if i in kept]


def _telling(term: str) -> int:
    return 8 if has_cjk(term) or any(char.isdigit() for char in term) else min(len(term), 12)


def _joined(terms: tuple[str, ...]) -> list[str]:
    """Overlapping CJK bigrams joined again, to be read: 河水 水净 净化 → 河水净化."""
    shown: list[str] = []
    for term in terms:
        if shown and len(term) == 2 and has_cjk(term) and has_cjk(shown[-1]) and shown[-1][-1] == term[0]:
            shown[-1] += term[1]
        else:
            shown.append(term)
    return shown


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
