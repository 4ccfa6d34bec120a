"""A pack of which only some rows are searched."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from cairn.index.rows import Rows
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.sources.types import Document, VectorModel

if TYPE_CHECKING:
    from cairn.sources.packs.source import PackSource


class NarrowedPack:
    """Implements :class:`cairn.sources.types.Source`; scores are those of the whole pack."""

    kind: Literal["pack"] = "pack"

    def __init__(self, pack: PackSource, rows: Rows) -> None:
        self._pack = pack
        self._rows = rows

    @property
    def id(self) -> str:
        """The pack's."""
        return self._pack.id

    @property
    def title(self) -> str:
        """The pack's."""
        return self._pack.title

    @property
    def mode(self) -> str:
        """The pack's."""
        return self._pack.mode

    @property
    def vector_model(self) -> VectorModel | None:
        """The pack's."""
        return self._pack.vector_model

    @property
    def passage_count(self) -> int:
        """The pack's: how much a word tells does not depend on a filter."""
        return self._pack.passage_count

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """The pack's."""
        return self._pack.document_frequency(terms)

    def completion(self, prefix: str) -> str:
        """The pack's."""
        return self._pack.completion(prefix)

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs; absent ones are left out."""
        return self._pack.vocabulary(words)

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""
        return self._pack.words_beginning(prefix, limit)

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """At most ``limit`` of the rows by bm25, best first, ties by row."""
        return self._pack.search_words(query, limit, self._rows)

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """At most ``limit`` of the rows by cosine, best first, ties by row; [] without vectors."""
        return self._pack.search_vector(query, limit, self._rows)

    async def search_vector_in_steps(self, query: array[float], limit: int) -> list[Hit]:
        """As :meth:`search_vector`, letting others run in between."""
        return await self._pack.search_vector_in_steps(query, limit, self._rows)

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """A positive multiple of each passage's vector, in the order asked; [] without vectors."""
        return self._pack.vector_values(rows)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows, in the order asked."""
        return self._pack.passages(rows)

    def document(self, document_id: str) -> Document:
        """Read and verify; raises DocumentNotFound or DocumentCorrupt."""
        return self._pack.document(document_id)
