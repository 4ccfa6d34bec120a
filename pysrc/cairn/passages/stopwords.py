"""Stop words per language, from the package data in ``data/stopwords``."""

from __future__ import annotations

from functools import cache
from importlib import resources

from cairn.passages.languages import iso639_3


@cache
def stop_words(language: str) -> frozenset[str]:
    """NFKC lower-case stop words of a language (ISO 639-1 or -3); empty when there is no list.

    Numbers and negations are left out on purpose: see the README beside the data.
    """
    folder = resources.files("cairn.passages").joinpath("data", "stopwords")
    try:
        text = folder.joinpath(f"{iso639_3(language)}.txt").read_text(encoding="utf-8")
    except FileNotFoundError:
        return frozenset()
    return frozenset(text.split())


@cache
def stop_word_languages() -> tuple[str, ...]:
    """The languages (ISO 639-3, sorted) that have a list."""
    folder = resources.files("cairn.passages").joinpath("data", "stopwords")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name[:-4] for name in names if name.endswith(".txt")))
