"""How much each word of a question tells, from how many passages of the sources have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from cairn.passages.scripts import has_cjk
from cairn.passages.words import words
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.overlap import Weights, keys_of, rarity
from cairn.sources.types import Source


@runtime_checkable
class Counted(Protocol):
    """A source that knows how common a word is."""

    @property
    def passage_count(self) -> int:
        """Number of passages."""

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs; 0 for unknown ones."""


def term_weights(analysis: Analysis, sources: Sequence[Source]) -> dict[str, float]:
    """Rarity of the question's terms and of the words of its phrases: :func:`~.overlap.rarity` over
    all sources that count words, else a guess by length (long words are rare).

    A word that no source has keeps its full weight: not finding it is what coverage must tell. One
    that is looked for by other words is as common as they are.
    """
    terms = list(dict.fromkeys([*analysis.terms, *(w for p in analysis.phrases for w in words(p))]))
    counted = [source for source in sources if isinstance(source, Counted)]
    documents = sum(source.passage_count for source in counted)
    if not documents:
        return {term: _by_length(term) for term in terms}
    forms = {term: analysis.forms(term) for term in terms}
    tables = [source.document_frequency(w for words_ in forms.values() for w in words_) for source in counted]
    return {
        term: rarity(documents, sum(table[word] for table in tables for word in words_))
        for term, words_ in forms.items()
    }


def key_weights(terms: Mapping[str, float]) -> Weights:
    """Weights of the keys of these terms."""
    weights: dict[str, float] = {}
    for term, value in terms.items():
        for key in keys_of(term):
            weights[key] = max(weights.get(key, 0.0), value)
    return Weights(weights)


def question_weights(analysis: Analysis, sources: Sequence[Source]) -> Weights:
    """Weights of the keys of the question's terms and phrases."""
    return key_weights(term_weights(analysis, sources))


def _by_length(term: str) -> float:
    return 3.0 if has_cjk(term) else 1.0 + min(len(term), 10) / 2
