"""Numbers with their units, so that a sentence and its source can be compared.

"1,000 ml", "1 000 mL" and "1000 millilitres" are one quantity. A comma or point before exactly
three digits is a thousands separator unless the number starts with 0 ("0.125"); any other one is a
decimal sign. Number words up to twelve count only in front of a known unit ("one minute").
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import NamedTuple


class Quantity(NamedTuple):
    """A number as a plain decimal string, and a canonical unit or ""."""

    value: str
    unit: str


_SHORT_UNIT = 3  # "min", "km"; longer names of units are words that say something
_VULGAR = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".333", "⅔": ".667", "⅛": ".125"}
_STEP = re.compile(
    r"^\W*(?:(?:step|paso|étape|schritt|passo|шаг|خطوة|步骤)\s*)?(?:\d{1,2}|[a-z])\s*[.):\]-]\s+",
    re.IGNORECASE,
)
_NUMBER = r"\d+(?:[.,\u202f\u00a0 ']\d{3}(?!\d))*(?:[.,]\d+)?(?:\s?[½¼¾⅓⅔⅛])?|[½¼¾⅓⅔⅛]"
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?:(?P<fraction>\d{{1,2}}/\d{{1,2}})(?![\d/])|(?P<number>{_NUMBER})"
    r"|(?P<word>[^\W\d_]+))"
    r"(?=[\s\u00a0-]{0,2}(?P<unit>[°℃℉%٪]?[^\W\d_]*))"
)
_RANGE = re.compile(r"(\d)\s*(?:–|—|-|\bto\b|\ba\b|\bà\b|\bbis\b|\bund\b|\bor\b|\band\b|\bo\b)\s*(?=\d)")


def quantities(text: str) -> list[Quantity]:
    """The quantities of a sentence in order, a leading list number or "Step 2:" left out.

    Both ends of a range get the unit behind it ("5–10 minutes").
    """
    text = _STEP.sub("", unicodedata.normalize("NFC", text)).lower()
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    text = _RANGE.sub(r"\1 ~ ", text)
    found: list[Quantity] = []
    open_range: list[int] = []
    for match in _QUANTITY.finditer(text):
        unit = _names("units.json").get(match["unit"] or "", "")
        if match["word"] is not None:
            value = _names("numbers.json").get(match["word"], "")
            if value and unit:
                found.append(Quantity(value, unit))
            continue
        value = _fraction(match["fraction"]) if match["fraction"] else _decimal(match["number"])
        found.append(Quantity(value, unit))
        if unit:
            for index in open_range:
                found[index] = Quantity(found[index].value, unit)
        open_range = [*open_range, len(found) - 1] if text[match.end() :].lstrip()[:1] == "~" else []
    return found


def disagreeing(sentence: Iterable[Quantity], source: Iterable[Quantity]) -> list[Quantity]:
    """The sentence's quantities that the source does not have.

    A missing unit on either side agrees with any; two different units never agree.
    """
    known: dict[str, set[str]] = {}
    for value, unit in source:
        known.setdefault(value, set()).add(unit)
    return [
        q for q in sentence
        if q.value not in known or (q.unit and "" not in known[q.value] and q.unit not in known[q.value])
    ]  # fmt: skip


def is_figure(word: str) -> bool:
    """Whether a lower-case word is a number, in digits or written out, or the short name of a unit."""
    if word[0].isdigit() or word in _names("numbers.json"):
        return True
    return len(word) <= _SHORT_UNIT and word in _names("units.json")


@cache
def _names(file: str) -> dict[str, str]:
    """A data file of canonical names and their synonyms, turned round: synonym to canonical name."""
    text = resources.files("cairn.answering").joinpath("data", file).read_text(encoding="utf-8")
    return {name: canonical for canonical, names in json.loads(text).items() for name in names}


def _fraction(text: str) -> str:
    above, below = (int(part) for part in text.split("/"))
    return _trim(f"{above / below:.3f}") if below else text


def _decimal(text: str) -> str:
    extra = 0.0
    if text[-1] in _VULGAR:
        extra, text = float(_VULGAR[text[-1]]), text[:-1].strip()
    text = re.sub(r"[\u202f\u00a0 ']", "", text)
    if not text.startswith("0"):
        text = re.sub(r"[.,](?=\d{3}(?!\d))", "", text)
    text = text.replace(",", ".")
    if extra:
        return _trim(f"{float(text or 0) + extra:.3f}")
    return _trim(text) if "." in text else text.lstrip("0") or "0"


def _trim(text: str) -> str:
    whole, _, part = text.partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
