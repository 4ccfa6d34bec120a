"""Words that no source has, in the forms that the sources do have.

A library's own words are the dictionary: no list of a language could know "dakota hole" or
"Quickclot". Only words unknown to every index are touched, whether other words match or not. First
other forms are looked for (irregular ones in ``data/forms.json``, then words of the same stem: both
count as the word), then what may have been meant: one slip away (a letter left out, added, changed,
or two swapped; Damerau 1964), for words of eight letters and more two. Of several the one in most
passages is taken, slips that keep the first letter before others; it must be a word of passages in
the question's language.

A repaired question is also what is embedded, because E5 reads "wistle" as something else; not when
more than half of its words are unknown, since then it is rather in another language. Scripts whose
words an index parts or joins (vowel signs, Thai, CJK) are left to :mod:`cairn.retrieval.wording`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Protocol, runtime_checkable

from cairn.errors import CairnError
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.languages import UNKNOWN
from cairn.passages.scripts import GREEK_CYRILLIC, HEBREW, LATIN
from cairn.passages.types import Passage
from cairn.passages.words import fold
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.overlap import keys_of

SHORTEST = 4
"""Letters from which a word is repaired; shorter ones have too many neighbours."""

LONG = 8
"""Letters from which two slips are believed."""

FORMS = 4
_STEM, _BEGINNING, _TRIED = 4, 600, 4
_ALPHABETS = (
    (re.compile(f"[{LATIN}]+"), "abcdefghijklmnopqrstuvwxyz"),
    (re.compile("[а-яёіїєґ]+"), "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"),
    (re.compile("[α-ω]+"), "αβγδεζηθικλμνξοπρσςτυφχψω"),
    (re.compile(f"[{HEBREW}]+"), "אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
    (re.compile("[ء-يپچژگکی]+"), "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگکی"),
)
_ALPHABETIC = re.compile(f"[{LATIN}{GREEK_CYRILLIC}{HEBREW}ء-يپچژگکی]+")


@runtime_checkable
class Worded(Protocol):
    """A source whose words can be listed; words are lower case and without diacritics."""

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs; words that do not are left out."""

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """As of any source."""

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """As of any source."""


def respell(analysis: Analysis, sources: Sequence[object]) -> Analysis:
    """The question in words that the sources know; itself where none is missing. Never raises."""
    spelled = [source for source in sources if isinstance(source, Worded)]
    if analysis.respelled or not spelled:
        return analysis
    try:
        return _respelled(analysis, spelled, all_known=len(spelled) == len(sources))
    except CairnError:
        return analysis  # the search itself says what is wrong with the source


def _respelled(analysis: Analysis, sources: Sequence[Worded], *, all_known: bool) -> Analysis:
    words = {term: fold(term) for term in analysis.terms if _repairable(term)}
    known = _vocabulary(sources, words.values())
    unknown = [term for term, word in words.items() if word not in known]
    terms, alternatives, question = list(analysis.terms), dict(analysis.alternatives), analysis.question
    synonyms: dict[str, tuple[str, ...]] = {}
    believed = all_known and (len(unknown) * 2 <= len(terms) or len(terms) == 1)
    for term in unknown:
        forms = _forms(words[term], sources, analysis.language)
        if forms:
            alternatives[term] = forms
        elif others := _synonyms(words[term], sources):
            synonyms[term] = others
        elif meant := _meant(words[term], sources, analysis.language):
            terms[terms.index(term)] = meant
            alternatives[meant] = (term,)
            if believed:
                question = _exchanged(question, term, meant)
    return replace(
        analysis, terms=tuple(dict.fromkeys(terms)), alternatives=alternatives, synonyms=synonyms,
        question=question, respelled=True,
    )  # fmt: skip


def _repairable(term: str) -> bool:
    return len(term) >= SHORTEST and _ALPHABETIC.fullmatch(fold(term)) is not None


def _vocabulary(sources: Sequence[Worded], words: Iterable[str]) -> dict[str, int]:
    wanted, found = list(dict.fromkeys(words)), dict[str, int]()
    for source in sources:
        for word, count in source.vocabulary(wanted).items():
            found[word] = found.get(word, 0) + count
    return found


def _beginning(sources: Sequence[Worded], prefix: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for source in sources:
        for word, count in source.words_beginning(prefix, _BEGINNING).items():
            found[word] = found.get(word, 0) + count
    return found


def _forms(word: str, sources: Sequence[Worded], language: str) -> tuple[str, ...]:
    """Known words that are forms of a word in the question's language, the commonest first."""
    (stem,) = keys_of(word)
    found = _vocabulary(sources, _listed("forms.json").get(word, ()))
    if not found and len(stem) >= _STEM:
        found = {w: n for w, n in _beginning(sources, stem).items() if keys_of(w) == (stem,)}
    found = {w: n for w, n in found.items() if language == UNKNOWN or _said_in(language, w, sources)}
    return _commonest(found)


def _synonyms(word: str, sources: Sequence[Worded]) -> tuple[str, ...]:
    """Known words for the same."""
    return _commonest(_vocabulary(sources, _listed("synonyms.json").get(word, ())))


def _commonest(found: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(found, key=lambda w: (-found[w], w))[:FORMS])


def _meant(word: str, sources: Sequence[Worded], language: str) -> str:
    """The known word that is nearest; "" when none is near, or none in the question's language."""
    found = _vocabulary(sources, one_slip(word))
    if len(word) == SHORTEST:  # only a letter left out, or two swapped: "watr", not "gano" for "mano"
        found = {w: n for w, n in found.items() if len(w) > len(word) or sorted(w) == sorted(word)}
    if not found and len(word) >= LONG:
        near = _beginning(sources, word[:3])
        found = {w: n for w, n in near.items() if abs(len(w) - len(word)) <= 2 and slips(word, w, 2) <= 2}
    likely = sorted(found, key=lambda w: (w[0] != word[0], -found[w], w))[:_TRIED]
    return next((w for w in likely if language == UNKNOWN or _said_in(language, w, sources)), "")


def _said_in(language: str, word: str, sources: Sequence[Worded]) -> bool:
    """Whether one of the best passages with a word is in a language ("rope" is no Spanish word)."""
    query = LexicalQuery((word,))
    return any(
        passage.language in (language, UNKNOWN)
        for source in sources
        for passage in source.passages([hit.row for hit in source.search_words(query, _TRIED)])
    )


def one_slip(word: str) -> list[str]:
    """All strings one slip away from a word, in its own alphabet."""
    letters = next((letters for script, letters in _ALPHABETS if script.fullmatch(word)), "")
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    found = [a + b[1:] for a, b in cuts if b]
    found += [a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1]
    found += [a + letter + b[1:] for a, b in cuts if b for letter in letters]
    found += [a + letter + b for a, b in cuts for letter in letters]
    return [other for other in dict.fromkeys(found) if other != word]


def slips(a: str, b: str, most: int) -> int:
    """Optimal string alignment distance, ``most + 1`` when it is larger than ``most``."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, above[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _exchanged(question: str, term: str, meant: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(term)}(?!\w)", meant, question, flags=re.IGNORECASE)


@cache
def _listed(name: str) -> dict[str, tuple[str, ...]]:
    """Folded word → the other words of its groups in a data file."""
    file = resources.files("cairn.retrieval").joinpath("data", name)
    groups: list[str] = json.loads(file.read_text(encoding="utf-8"))["groups"]
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        words = [fold(word) for word in group.split()]
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(w for w in words if w != word))
    return {word: tuple(others) for word, others in found.items()}
