"""A question that asks several things, taken apart, so that what is not covered can be named.

Only what is certainly two questions is taken apart: two sentences that ask, or one that goes on with
"and" and a question word. Each part must name something of its own.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

from cairn.passages.scripts import has_cjk
from cairn.passages.stopwords import stop_words
from cairn.retrieval.analysis import Analysis, analyse

MOST_PARTS = 3
LEAST_TERMS = 2
"""Telling words of a part: "and how?" is none."""

_SENTENCES = re.compile(r"(?<=[?？؟])\s*(?=\S)")


def parts(analysis: Analysis) -> list[str]:
    """The questions in a question, two or three; [] when it asks one thing, or too many."""
    known = [analysis.language] if analysis.language in _data() else list(_data())
    for language in known:
        found = [
            piece.strip(" ,;")
            for sentence in _SENTENCES.split(analysis.question)
            for piece in _joined(language).split(sentence)
        ]
        if 2 <= len(found) <= MOST_PARTS and all(_tells(piece, language) for piece in found):
            return found
    return []


def _tells(piece: str, language: str) -> bool:
    listed = stop_words(language)
    terms = [term for term in analyse(piece).terms if term not in listed]
    return len(terms) >= LEAST_TERMS or any(has_cjk(term) for term in terms)


@cache
def _joined(language: str) -> re.Pattern[str]:
    data = _data()[language]
    joins, asks = ("|".join(map(re.escape, data[name])) for name in ("joins", "asks"))
    if has_cjk(joins):
        return re.compile(rf"[，,；;]?(?:{joins})(?=[^？?]*(?:{asks}))|[，,；;](?=[^？?]*(?:{asks}))")
    glued = r"\s*" if language in ("ara", "heb") else r"\s+"
    return re.compile(rf"[,;]?\s+(?:{joins}){glued}(?=(?:{asks})(?![^\W_]))", re.IGNORECASE)


@cache
def _data() -> dict[str, dict[str, list[str]]]:
    file = resources.files("cairn.answering").joinpath("data", "parts.json")
    data: dict[str, dict[str, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return data
