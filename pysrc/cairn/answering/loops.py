"""Recognising a model that has begun to repeat itself."""

from __future__ import annotations

import re
from collections import Counter

from cairn.passages.scripts import HAN, KANA

LONGEST_PERIOD = 48
"""Words in the longest passage whose repetition is noticed."""

LEAST_RUN = 12
"""Repeated words that make a loop at least: "no, no, no" or two equal lines of a list are none."""

_WORD = re.compile(rf"[{HAN}{KANA}]|[^\W_]+")
_SINGLE = re.compile(rf"[{HAN}{KANA}]")


SAME_SENTENCE = 3
"""Times a statement of four words or more may be made before it is a loop ("1. Boil it. 2. Boil it.")."""


class LoopDetector:
    """Counts, for every period, how many words in a row equal the word one period before.

    A loop is twice the period repeated in a row (the text stands there three times). A CJK
    character counts as a word. The verdict falls at the same character however the text is cut.
    """

    def __init__(self) -> None:
        self._words: list[str] = []  # at most LONGEST_PERIOD
        self._runs = [0] * (LONGEST_PERIOD + 1)
        self._said: Counter[tuple[str, ...]] = Counter()
        self._open = ""  # the word the text ended in, which may go on

    def feed(self, text: str) -> int | None:
        """Take more text; how many of its characters complete a loop, None while there is none."""
        before = len(self._open)
        whole = self._open + text
        self._open = ""
        for match in _WORD.finditer(whole):
            if match.end() == len(whole) and not _SINGLE.fullmatch(match.group()):
                self._open = match.group()
            elif self._word(match.group().casefold()):
                return max(0, match.end() - before)
        return None

    def sentence(self, text: str) -> bool:
        """Take a finished statement, its list number left out; whether it was made too often."""
        words = tuple(match.group().casefold() for match in _WORD.finditer(text))
        self._said[words] += 1
        return len(words) >= 4 and self._said[words] >= SAME_SENTENCE

    def _word(self, word: str) -> bool:
        words, looping = self._words, False
        for period in range(1, len(words) + 1):
            if words[-period] == word:
                self._runs[period] += 1
                looping = looping or self._runs[period] >= max(LEAST_RUN, 2 * period)
            else:
                self._runs[period] = 0
        words.append(word)
        del words[:-LONGEST_PERIOD]
        return looping
