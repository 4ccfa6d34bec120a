"""What retrieval may ask of any searchable source, whatever its format."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from cairn.index.rows import Filters
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage

OWN_DOCUMENTS = "documents-"
"""How the ids of the person's collections begin."""


@dataclass(frozen=True, slots=True)
class VectorModel:
    """Which embedder made a source's vectors; a query vector must come from the same weights."""

    id: str
    revision: str
    dtype: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document read back from its source and verified against its hash."""

    source_id: str
    document_id: str
    title: str
    language: str
    collection: str
    licence: str
    source_url: str
    references: tuple[tuple[str, str], ...]  # (title, url)
    sha256: str
    text: str


class Source(Protocol):
    """A pack, an archive or the person's documents, ready to be searched."""

    @property
    def id(self) -> str:
        """Stable id, unique among active sources."""

    @property
    def title(self) -> str:
        """Name for people."""

    @property
    def kind(self) -> Literal["pack", "archive", "documents"]:
        """What it is: it decides which reader opens its citations."""

    @property
    def mode(self) -> str:
        """How its keyword hits are reported, a retrieval mode."""

    @property
    def vector_model(self) -> VectorModel | None:
        """The model of its vectors, None when it has none."""

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """At most ``limit`` rows by bm25, best first, ties by row."""

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """At most ``limit`` rows by cosine, best first, ties by row; [] without vectors."""

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows, in the order asked."""

    def document(self, document_id: str) -> Document:
        """Read and verify; raises DocumentNotFound or DocumentCorrupt."""


Counts = Counter[tuple[str, str]]
"""Passages by (language, collection)."""


@runtime_checkable
class Narrowing(Protocol):
    """A source that applies filters inside its queries and counts what they would let through."""

    def narrowed(self, filters: Filters) -> Source | None:
        """The part of it that passes; None when nothing does."""

    def counts(self, query: LexicalQuery, documents: frozenset[str]) -> Counts:
        """How many passages (of ``documents``, of all when empty) have words that tell."""


@runtime_checkable
class Completing(Protocol):
    """A source that knows its words."""

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs."""

    def completion(self, prefix: str) -> str:
        """The most frequent word that begins so, "" when there is none."""


@runtime_checkable
class Stepping(Protocol):
    """A source whose vectors are compared in steps, between which a stop is heard."""

    async def search_vector_in_steps(self, query: array[float], limit: int) -> list[Hit]:
        """As :meth:`Source.search_vector`."""


@runtime_checkable
class Valued(Protocol):
    """A source that gives the vectors of single passages."""

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """A positive multiple of each passage's vector, in the order asked; [] without vectors."""


@runtime_checkable
class Growing(Protocol):
    """A source whose passages may not all have their vectors yet."""

    @property
    def vectors_complete(self) -> bool:
        """Whether all have: only then do vectors alone rank it."""


def vectors_complete(source: Source) -> bool:
    """Whether every passage of a source with vectors has one."""
    return source.vectors_complete if isinstance(source, Growing) else True


async def search_vector(source: Source, query: array[float], limit: int) -> list[Hit]:
    """Ask a source's vectors, in steps where it can."""
    if isinstance(source, Stepping):
        return await source.search_vector_in_steps(query, limit)
    return source.search_vector(query, limit)
