"""Questions as people mistype and inflect them, made from those of a collection by rule.

The same question always gets the same change, so that figures of two runs compare. A change falls
on content words (no stop word, at least five characters, letters only): one slip of the hand a
question, or another form of up to two words.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable

from cairn.passages.languages import iso639_3
from cairn.passages.scripts import MARKS, has_cjk
from cairn.passages.stopwords import stop_words

_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*")
_SHORTEST = 5
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEAR = {key: (row[i - 1] if i else "") + row[i + 1 : i + 2] for row in _KEYS for i, key in enumerate(row)}


def typo(text: str, language: str) -> str:
    """One slip in one word: a letter left out, two swapped, one doubled, or the key beside it."""
    rng = _rng("typo", text)
    chosen = _content(text, language)
    if not chosen:
        return text
    match = rng.choice(chosen)
    word = match.group()
    at = rng.randrange(1, len(word) - 1)
    near = _NEAR.get(word[at].lower(), "")
    slips = [
        word[:at] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at] + word[at:],
        word[:at] + rng.choice(near) + word[at + 1 :] if near else word[:at] + word[at + 1 :],
    ]
    slips = [slip for slip in slips if slip != word]
    return text[: match.start()] + rng.choice(slips) + text[match.end() :]


def inflected(text: str, language: str) -> str:
    """Another form of up to two words, by the commonest rules of each language."""
    change = _FORMS.get(iso639_3(language or "en"))
    if change is None:
        return text
    rng = _rng("inflected", text)
    words = [m for m in _content(text, language) if change(m.group()) != m.group()]
    for match in sorted(rng.sample(words, min(2, len(words))), key=lambda m: -m.start()):
        text = text[: match.start()] + change(match.group()) + text[match.end() :]
    return text


VARIANTS: dict[str, Callable[[str, str], str]] = {"typos": typo, "inflections": inflected}


def _rng(kind: str, text: str) -> random.Random:
    return random.Random(hashlib.sha256(f"{kind} {text}".encode()).digest())


def _content(text: str, language: str) -> list[re.Match[str]]:
    stopped = stop_words(language or "eng")
    return [
        m
        for m in _WORD.finditer(text)
        if len(m.group()) >= _SHORTEST and not has_cjk(m.group()) and m.group().lower() not in stopped
    ]


def _swap(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """The first ending that fits, exchanged; "" fits always."""

    def change(word: str) -> str:
        for old, new in pairs:
            if word.endswith(old) and len(word) - len(old) >= 3:
                return word[: len(word) - len(old)] + new
        return word

    return change


def _arabic(word: str) -> str:
    return word[2:] if word.startswith("ال") else "ال" + word


_ROMANCE = _swap(("ciones", "ción"), ("ción", "ciones"), ("es", "e"), ("s", ""), ("", "s"))
_FORMS: dict[str, Callable[[str], str]] = {
    "eng": _swap(
        ("ying", "y"), ("ning", "n"), ("ing", "ed"), ("ied", "y"), ("ed", "ing"), ("ies", "y"),
        ("ches", "ch"), ("shes", "sh"), ("ss", "sses"), ("s", ""), ("y", "ies"), ("e", "es"), ("", "s"),
    ),
    "spa": _ROMANCE, "fra": _swap(("aux", "al"), ("s", ""), ("", "s")), "por": _ROMANCE,
    "ita": _swap(("a", "e"), ("o", "i"), ("e", "i"), ("i", "o")),
    "deu": _swap(("en", "e"), ("e", "en"), ("er", "ern"), ("", "en")),
    "rus": _swap(("ы", "а"), ("а", "ы"), ("ом", ""), ("у", "а"), ("", "ом")),
    "tur": _swap(("lar", ""), ("ler", ""), ("ın", ""), ("in", ""), ("", "ler")),
    "hin": _swap(("ा", "े"), ("े", "ा"), ("ी", "ियाँ"), ("ों", ""), ("", "ों")),
    "ara": _arabic,
}  # fmt: skip
