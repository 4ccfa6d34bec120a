"""Words of a text, as the keyword index and the query analysis both see them.

A word is NFKC, lower case, of letters, digits and their marks; an apostrophe or a decimal point
inside it stays (``don't``, ``3.5``). A run of CJK characters is one "word", which :func:`grams`
cuts into 1-, 2- and 3-grams; a gram never reaches across a skipped character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from cairn.passages.scripts import CJK, MARKS, has_cjk

_LETTER = rf"(?:[^\W_]|[{MARKS}])"
_WORD = re.compile(rf"[^\W_]{_LETTER}*(?:['’.,](?=[^\W_]){_LETTER}+)*")
_INNER_STOP = re.compile(r"(?<!\d)[.,]|[.,](?!\d)")
_CJK_OR_NOT = re.compile(rf"[{CJK}]+|[^{CJK}]+")
_HAS_WORD_CHARACTER = re.compile(r"[^\W_]")
GRAM_SIZES = (1, 2, 3)


def normalise(text: str) -> str:
    """NFKC, lower case, one kind of apostrophe."""
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def words(text: str) -> list[str]:
    """Words in their order; a CJK run is one item. Emoji and signs are no words."""
    return list(_words(normalise(text)))


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        # "end.Start" and "a,b" are two words; "3.5" and "1,000" are one.
        for word in _INNER_STOP.split(match.group()):
            if not word:
                continue
            if has_cjk(word):
                yield from (run for run in _CJK_OR_NOT.findall(word) if is_word(run))
            else:
                yield word


def is_word(text: str) -> bool:
    """Whether there is a letter or digit in it, so that a full-text index can find it."""
    return _HAS_WORD_CHARACTER.search(text) is not None


def grams(run: str, sizes: Iterable[int] = GRAM_SIZES) -> list[str]:
    """All n-grams of a CJK run, smallest n first: ``止血法`` → 止 血 法 止血 血法 止血法."""
    return [run[i : i + n] for n in sizes for i in range(len(run) - n + 1)]


def search_terms(*texts: str) -> str:
    """The ``search_terms`` column of FORMATS.md 1.3: words and CJK grams, each once, in order."""
    seen: dict[str, None] = {}
    for text in texts:
        for word in words(text):
            seen[word] = None
            if has_cjk(word):
                seen.update(dict.fromkeys(grams(word)))
    return " ".join(seen)


def fold(word: str) -> str:
    """A word without its diacritics (``calefacción`` → ``calefaccion``), to compare words.

    Only marks that combine with Latin, Greek or Cyrillic letters go (U+0300 to U+036F); vowel signs
    of other scripts carry meaning and stay.
    """
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    kept = "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", kept)
