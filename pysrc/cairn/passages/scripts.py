"""Character classes by script, as pieces of regular expressions.

Python's ``re`` has no ``\\p{Script=…}``, so the few scripts that passages, token estimates and
words must tell apart are written down once, here. A class is the inside of ``[…]``.
"""

from __future__ import annotations

import re
import unicodedata

LATIN = r"a-zA-Z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\u0300-\u036f"
GREEK_CYRILLIC = r"\u0370-\u037d\u037f-\u052f\u0531-\u0588\u10a0-\u10ff\u1c80-\u1c8f\u1f00-\u1fff"
HEBREW = r"\u0591-\u05bd\u05bf-\u05f2\ufb1d-\ufb4f"
ARABIC = (
    r"\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u08ff"
    r"\ufb50-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc"
)
INDIC = r"\u0900-\u0963\u0971-\u09e5\u09f0-\u0a65\u0a70-\u0ae5\u0af0-\u0b65\u0b70-\u0dff"
SOUTH_EAST_ASIAN = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = r"\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
BOPOMOFO = r"\u3105-\u312f"

CJK = HAN + KANA + HANGUL + BOPOMOFO
"""Scripts that words() cuts into 1-, 2- and 3-grams: spaces do not separate their words."""

_CJK_CHAR = re.compile(f"[{CJK}]")

# Blocks that hold combining marks; scanning only these keeps the import under two milliseconds.
_MARK_BLOCKS = (
    (0x0300, 0x1E00),
    (0x20D0, 0x2100),
    (0x302A, 0x3030),
    (0x3099, 0x309B),
    (0xA66F, 0xAC00),
    (0xFE00, 0xFE30),
)


def _marks() -> str:
    """Combining marks (Mn, Mc, Me) of the blocks above as ranges; ``re`` has no ``\\p{M}``."""
    ranges: list[str] = []
    for first, last in _MARK_BLOCKS:
        begin = -1
        for code in range(first, last + 1):
            mark = code < last and unicodedata.category(chr(code))[0] == "M"
            if mark and begin < 0:
                begin = code
            elif not mark and begin >= 0:
                ranges.append(f"\\u{begin:04x}-\\u{code - 1:04x}")
                begin = -1
    return "".join(ranges)


MARKS = _marks()
"""Combining marks; vowel signs of Devanagari are marks, so a word must not end at one."""


def has_cjk(text: str) -> bool:
    """Whether any character is Han, kana, Hangul or bopomofo."""
    return not text.isascii() and _CJK_CHAR.search(text) is not None


def is_mark(char: str) -> bool:
    """Whether a character combines with the one before it (an accent, a vowel sign)."""
    return char > "\u02ff" and unicodedata.category(char)[0] == "M"
