"""Filters for sources that cannot apply them inside their queries (archives): afterwards, hit by hit."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from cairn.index.rows import Filters
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.sources.types import Counts, Document, Narrowing, Source, Valued, VectorModel

COUNTED = 40
"""Hits that are counted of such a source."""


def narrowed(source: Source, filters: Filters) -> Source | None:
    """The part of a source that passes; None when it is known that nothing does."""
    if filters.empty:
        return source
    return source.narrowed(filters) if isinstance(source, Narrowing) else Sifted(source, filters)


def counts(source: Source, query: LexicalQuery, documents: frozenset[str]) -> Counts:
    """How many passages of a source have words that tell, by language and collection."""
    if isinstance(source, Narrowing):
        return source.counts(query, documents)
    found = source.passages([hit.row for hit in source.search_words(query, COUNTED)])
    return Counter((p.language, p.collection) for p in found if not documents or p.document_id in documents)


class Sifted:
    """Implements :class:`cairn.sources.types.Source` over another one."""

    def __init__(self, source: Source, filters: Filters) -> None:
        self._source = source
        self._filters = filters

    @property
    def id(self) -> str:
        """The source's."""
        return self._source.id

    @property
    def title(self) -> str:
        """The source's."""
        return self._source.title

    @property
    def kind(self) -> Literal["pack", "archive", "documents"]:
        """The source's."""
        return self._source.kind

    @property
    def mode(self) -> str:
        """The source's."""
        return self._source.mode

    @property
    def vector_model(self) -> VectorModel | None:
        """The source's."""
        return self._source.vector_model

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """Those of the source's first ``limit`` hits that pass."""
        return self._passing(self._source.search_words(query, limit))

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """Those of the source's first ``limit`` hits that pass."""
        return self._passing(self._source.search_vector(query, limit))

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """Of the source, where it gives them."""
        return self._source.vector_values(rows) if isinstance(self._source, Valued) else []

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows, in the order asked."""
        return self._source.passages(rows)

    def document(self, document_id: str) -> Document:
        """Read and verify; raises DocumentNotFound or DocumentCorrupt."""
        return self._source.document(document_id)

    def _passing(self, hits: list[Hit]) -> list[Hit]:
        passages = self._source.passages([hit.row for hit in hits])
        passes = self._filters.passes
        return [
            hit
            for hit, p in zip(hits, passages, strict=True)
            if passes(p.language, p.collection, p.document_id)
        ]
