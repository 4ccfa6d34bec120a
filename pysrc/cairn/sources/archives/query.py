"""A query as libzim's parser sees it: words, runs of CJK characters, what joins them (FORMATS.md 2.4).

There are no operators, quotes or wildcards: every sign only separates or joins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cache

_PHRASE_SIGNS = frozenset(".-/:\\@")
_INFIXES = dict.fromkeys("'&·״‧") | {"’": "'", "‛": "'"}
_DIGIT_INFIXES = dict.fromkeys(",.;։؍߸⁄︐︓︔") | {"\u037e": ";"}
_IGNORED = frozenset("\u200b\u200c\u200d\u2060\ufeff")
_SUFFIX = re.compile(r"[+#]{1,3}")
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2eff\u3000-\u9fff\ua700-\ua71f\uac00-\ud7af\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0002a6df\U0002f800-\U0002fa1f]"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or CJK run of a query.

    ``gap`` is what stands before it (since the token before). ``suffix`` are signs that belong to
    it only if the index has the word with them: the ``++`` of ``c++``.
    """

    text: str
    cjk: bool
    gap: str
    suffix: str = ""

    @property
    def glued(self) -> bool:
        """Whether it makes an implicit phrase with the token before: ``foo-bar``."""
        return bool(self.gap) and _PHRASE_SIGNS.issuperset(self.gap)

    @property
    def grams(self) -> list[str]:
        """Single characters and pairs of a CJK run; the text alone of a word."""
        if not self.cjk:
            return [self.text]
        found = []
        for index, char in enumerate(self.text):
            found.append(char)
            found.append(self.text[index : index + 2])
        return found[:-1]


def tokenise(text: str) -> list[Token]:
    """The tokens of a normalised query, in order."""
    tokens: list[Token] = []
    at = gap_start = 0
    while at < len(text):
        if not _is_word(text[at]):
            at += 1
            continue
        gap = text[gap_start:at]
        if _CJK.match(text[at]):
            end = at
            while end < len(text) and _is_word(text[end]) and _CJK.match(text[end]):
                end += 1
            tokens.append(Token(text[at:end], True, gap))
        else:
            word, end = _word(text, at)
            match = _SUFFIX.match(text, end)
            suffix = match[0] if match and not _is_word_at(text, match.end()) else ""
            tokens.append(Token(word, False, gap, suffix))
            end += len(suffix)
        at = gap_start = end
    return tokens


def _word(text: str, at: int) -> tuple[str, int]:
    """The word that begins at ``at``, its infixes kept, and where it ends."""
    chars = []
    while at < len(text):
        char = text[at]
        if _is_word(char):
            if _CJK.match(char):
                break
            chars.append(char)
        else:
            if not _is_word_at(text, at + 1):
                break
            if char in _IGNORED:
                at += 1
                continue
            digits = _is_digit(text[at - 1]) and _is_digit(text[at + 1])
            infixes = _DIGIT_INFIXES if digits else _INFIXES
            if char not in infixes:
                break
            chars.append(infixes[char] or char)
        at += 1
    return "".join(chars), at


def without_stop_words(tokens: list[Token], stop_words: Container[str]) -> list[Token]:
    """Tokens that are searched for: stop words dropped, unless nothing else is meant.

    A run is words with only white space between them. A run of two or more stop words is kept, so
    are the parts of implicit phrases and a query of one word.
    """
    if len(tokens) == 1:
        return tokens
    kept: list[Token] = []
    for run in _runs(tokens):
        wanted = [token for token, joined in run if joined or token.text not in stop_words]
        kept += wanted if wanted or len(run) < 2 else [token for token, _ in run]
    return kept


def _runs(tokens: list[Token]) -> list[list[tuple[Token, bool]]]:
    """Runs of (token, whether it is part of an implicit phrase)."""
    runs: list[list[tuple[Token, bool]]] = []
    for index, token in enumerate(tokens):
        joined = token.glued or (index + 1 < len(tokens) and tokens[index + 1].glued)
        if index and (token.gap.isspace() or token.glued or _continues(token.gap, len(runs[-1]))):
            runs[-1].append((token, joined))
        else:
            runs.append([(token, joined)])
    return runs


def _continues(gap: str, words: int) -> bool:
    """A phrase sign and a space do not end a run that already has two words."""
    return words >= 2 and gap[:1] in _PHRASE_SIGNS and gap[1:].isspace()


def index_terms(tokens: list[Token], stem: Callable[[str], str], exists: Callable[[str], bool]) -> list[str]:
    """What to look up in an index of stems: one term a word, n-grams of CJK runs; repeats kept."""
    terms = []
    for token in tokens:
        if token.suffix and exists(token.text + token.suffix):
            terms.append(token.text + token.suffix)
        else:
            terms += [stem(gram) for gram in token.grams]
    return terms


@cache
def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LMN" or category == "Pc"


def _is_word_at(text: str, at: int) -> bool:
    return at < len(text) and _is_word(text[at])


def _is_digit(char: str) -> bool:
    return unicodedata.category(char) == "Nd"
