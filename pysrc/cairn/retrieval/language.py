"""Which language a question is in: by its script, then by its stop words and letters.

A question is too short for a statistical model and often has no stop word at all ("CPR infant"), so
the guess comes with a confidence, and callers treat a doubtful one as unknown. A stop word counts
less the more languages of the same script have it ("de": ten of them); letters that only a few
languages use count like one word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from cairn.passages.languages import UNKNOWN
from cairn.passages.stopwords import stop_words
from cairn.passages.words import fold


class Guess(NamedTuple):
    """A language (ISO 639-3, "und" when nothing points to one) and how sure that is, 0..1."""

    language: str
    confidence: float


# First and last code point, then the languages written in it, the commonest first.
_SCRIPTS: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x024F, "latin"),
    (0x1E00, 0x1EFF, "latin"),
    (0x0370, 0x03FF, "ell"),
    (0x0400, 0x052F, "rus ukr bul"),
    (0x0530, 0x058F, "hye"),
    (0x0590, 0x05FF, "heb"),
    (0x0600, 0x077F, "ara fas urd"),
    (0xFB50, 0xFEFF, "ara fas urd"),
    (0x0900, 0x097F, "hin mar"),
    (0x0980, 0x09FF, "ben"),
    (0x0A80, 0x0AFF, "guj"),
    (0x0B80, 0x0BFF, "tam"),
    (0x0C00, 0x0C7F, "tel"),
    (0x0E00, 0x0E7F, "tha"),
    (0x1200, 0x139F, "amh"),
    (0x3040, 0x30FF, "jpn"),
    (0xAC00, 0xD7AF, "kor"),
    (0x1100, 0x11FF, "kor"),
    (0x3400, 0x9FFF, "zho"),
)
_LATIN = (
    "eng spa fra por deu ita nld tur ind swa pol vie ron swe nor dan fin ces slk hun hrv slv lit lav est"
    " cat eus gle afr msa tgl yor"
)
_LETTERS = {
    "¿¡ñ": "spa", "ß": "deu", "äöü": "deu fin swe est tur hun", "ãõ": "por", "ğışİ": "tur", "çœêèàù": "fra",
    "łąęśźż": "pol", "åæø": "nor dan", "å": "swe", "řůě": "ces", "őű": "hun", "ășțâî": "ron",
    "đơưạếộ": "vie", "іїєґ": "ukr", "ыэё": "rus", "ъ": "bul rus", "پچژگ": "fas urd", "ٹڈڑےں": "urd",
    "čšž": "hrv slv ces slk lit lav", "ọẹṣ": "yor", "ळ": "mar",
}  # fmt: skip
_SURE_BY_SCRIPT = 0.9
_FIRST_OF_SCRIPT = 0.4
_LEAST_POINTS = 0.4


@cache
def _folded(language: str) -> frozenset[str]:
    """Stop words with and without diacritics: people type either."""
    listed = stop_words(language)
    return listed | {fold(word) for word in listed}


def _script(words: Sequence[str]) -> str:
    counted: Counter[str] = Counter()
    for char in "".join(words):
        code = ord(char)
        for first, last, languages in _SCRIPTS:
            if first <= code <= last:
                counted[languages] += 1
                break
    if counted["jpn"]:  # kana settle it: Han alone may be either
        counted["jpn"] += counted.pop("zho", 0)
    return counted.most_common(1)[0][0] if counted.total() else ""


def guess_language(text: str, words: Sequence[str]) -> Guess:
    """Guess from the text (lower case, for its letters) and its words; never raises."""
    script = _script(words)
    if not script:
        return Guess(UNKNOWN, 0.0)
    languages = (_LATIN if script == "latin" else script).split()
    if len(languages) == 1:
        return Guess(languages[0], _SURE_BY_SCRIPT)
    points: dict[str, float] = dict.fromkeys(languages, 0.0)
    for word in words:
        having = [language for language in languages if word in _folded(language)]
        for language in having:
            points[language] += 1 / len(having)
    letters = set(text)
    for some, ones in _LETTERS.items():
        having = [language for language in ones.split() if language in languages]
        if letters.intersection(some):
            for language in having:
                points[language] += 1 / len(having)
    if sum(points.values()) < _LEAST_POINTS:
        return Guess(UNKNOWN, 0.0) if script == "latin" else Guess(languages[0], _FIRST_OF_SCRIPT)
    (best, most), *others = [(p, points[p]) for p in sorted(languages, key=lambda p: -points[p])]
    second = others[0][1] if others else 0.0
    return Guess(best, min(1.0, (most - second) / most * min(1.0, most / 0.8)))
