"""Stems as the indexes have them: snowballstemmer 2.2.0, one language loaded at a time.

That version equals the stemmers of Xapian 1.4 (FORMATS.md 2.5); later ones do not. Its package
imports all languages, 0.7 s in a browser, so the module of one language is loaded past it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from cairn.errors import ArchiveUnsupported
from cairn.sources.archives.language import STEMMERS, stemmer_code

_ALIAS = "_cairn_snowball"
_DIGITS = frozenset("0123456789")

KNOWN_STEMS = 16_384
"""Stems that are remembered, about 2 MB: a stem costs a millisecond in a browser, 40 titles a query."""

Stem = Callable[[str], str]


def stemmer(language: str) -> Stem:
    """The stemming function for an archive's language code; the identity where there is none.

    Raises ArchiveUnsupported when snowballstemmer is not installed.
    """
    code = stemmer_code(language)
    return _load(code) if code else _same


def _same(word: str) -> str:
    return word


@cache
def _load(code: str) -> Stem:
    name = STEMMERS[code]
    module = import_module(f"{_package()}.{name}_stemmer")
    stem: Stem = getattr(module, f"{name.capitalize()}Stemmer")().stemWord
    if code in _DIGITS_FROM:
        stem = _undoubled(stem, _DIGITS_FROM[code])
    return lru_cache(KNOWN_STEMS)(stem)


def _package() -> str:
    """A package without content whose modules are those of snowballstemmer."""
    if _ALIAS not in sys.modules:
        spec = find_spec("snowballstemmer")
        if spec is None or not spec.submodule_search_locations:
            # Searching without stems would find nothing and say nothing.
            raise ArchiveUnsupported(
                "The word stems that this archive's index needs are not installed.",
                hint="Titles can still be searched. Reload the app to install the missing part.",
            )
        package = ModuleType(_ALIAS)
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules[_ALIAS] = package
    return _ALIAS


def _undoubled(stem: Stem, begins: Callable[[str], int]) -> Stem:
    """In Xapian a doubled digit at the end of some words loses one, as doubled consonants do."""

    def stem_and_undouble(word: str) -> str:
        stemmed = stem(word)
        last = len(stemmed) - 1
        doubled = last > 0 and stemmed[last] in _DIGITS and stemmed[last] == stemmed[last - 1]
        return stemmed[:last] if doubled and last >= begins(word) else stemmed

    return stem_and_undouble


def _danish_region(word: str) -> int:
    """Where Danish endings may begin: after the first consonant that follows a vowel, at least 3."""
    match = _DANISH.match(word)
    return max(3, match.end()) if match else len(word)


_DANISH = re.compile(r"[^aeiouyæåø]*[aeiouyæåø]+[^aeiouyæåø]")
_DIGITS_FROM: dict[str, Callable[[str], int]] = {"fi": lambda _: 0, "da": _danish_region}
