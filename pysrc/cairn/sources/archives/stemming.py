"""Stems as the indexes have them: snowballstemmer 2.2.0, one language loaded at a time.

That version equals the stemmers of Xapian 1.4 (FORMATS.md 2.5); later ones do not. Its package
imports all languages, 0.7 s in a browser, so the module of one language is loaded past it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from cairn.sources.archives.language import STEMMERS, stemmer_code

_ALIAS = "_cairn_snowball"
_DIGITS = frozenset("0123456789")

Stem = Callable[[str], str]


def stemmer(language: str) -> Stem:
    """The stemming function for an archive's language code; the identity where there is none."""
    code = stemmer_code(language)
    return _load(code) if code else _same


def _same(word: str) -> str:
    return word


@cache
def _load(code: str) -> Stem:
    name = STEMMERS[code]
    module = import_module(f"{_package()}.{name}_stemmer")
    stem: Stem = getattr(module, f"{name.capitalize()}Stemmer")().stemWord
    return _undoubled(stem) if code == "fi" else stem


def _package() -> str:
    """A package without content whose modules are those of snowballstemmer."""
    if _ALIAS not in sys.modules:
        spec = find_spec("snowballstemmer")
        if spec is None or not spec.submodule_search_locations:
            raise ModuleNotFoundError("snowballstemmer")
        package = ModuleType(_ALIAS)
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules[_ALIAS] = package
    return _ALIAS


def _undoubled(stem: Stem) -> Stem:
    """Finnish in Xapian: a doubled digit at the end loses one, as doubled consonants do."""

    def stem_and_undouble(word: str) -> str:
        stemmed = stem(word)
        if len(stemmed) > 1 and stemmed[-1] == stemmed[-2] and stemmed[-1] in _DIGITS:
            return stemmed[:-1]
        return stemmed

    return stem_and_undouble
