"""A document made ready for a pack: cut, hashed, embedded. Depends on nothing but the document.

So documents can be prepared in any order, in other processes or on other machines, and the pack
has the same bytes. What goes in and what comes out can be pickled.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from cairn.index.compact_writer import CompactRow
from cairn.index.vectors import quantise
from cairn.passages.chunker import chunk
from cairn.passages.embedding import embedding_text
from cairn.passages.ids import passage_id, passage_sha256
from cairn.passages.indexing import further_terms, indexed_text
from cairn.passages.types import Passage
from cairn.sources.packs.recipe import RecipeDocument

Embed: TypeAlias = "Callable[[Sequence[str]], Sequence[array[float]]]"
"""Texts to unit vectors, one each; the callable adds its model's passage prefix."""
In = TypeVar("In")
Out = TypeVar("Out")
_BATCH = 64


class Spread(Protocol):
    """Applies a function to items wherever it likes; the results come in the order of the items."""

    def __call__(self, work: Callable[[In], Out], items: Iterable[In], /) -> Iterator[Out]:
        """The results in order."""


def in_turn(work: Callable[[In], Out], items: Iterable[In], /) -> Iterator[Out]:
    """The simplest :class:`Spread`: here, one after the other."""
    return map(work, items)


@dataclass(frozen=True, slots=True)
class Task:
    """A document and what to make of it."""

    source_id: str
    document: RecipeDocument
    embed: Embed | None
    compact: bool


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document's passages for one of the two indexes, and their vectors as int8 rows with norms."""

    document_id: str
    passages: tuple[Passage, ...]  # of a published pack; rows count from 0 in each document
    rows: tuple[CompactRow, ...]  # of a compact pack
    vectors: bytes
    norms: array[float]

    @property
    def count(self) -> int:
        """How many passages."""
        return len(self.rows) or len(self.passages)


def prepare(task: Task) -> Prepared:
    """Do the work of one document."""
    passages = cut(task.source_id, task.document)
    vectors, norms = bytearray(), array("f")
    for start in range(0, len(passages) if task.embed else 0, _BATCH):
        batch = passages[start : start + _BATCH]
        assert task.embed is not None
        for vector in task.embed([embedding_text(p.title, p.locator, p.text) for p in batch]):
            values, norm = quantise(vector)
            vectors += values
            norms.append(norm)
    rows = tuple(_rows(passages)) if task.compact else ()
    return Prepared(
        task.document.entry.id, () if task.compact else tuple(passages), rows, bytes(vectors), norms
    )


def cut(source_id: str, document: RecipeDocument) -> list[Passage]:
    """A document's passages; together they are its text, rows count from 0."""
    entry = document.entry
    found: list[Passage] = []
    occurrences: dict[tuple[str, str], int] = {}
    spans = document.spans or chunk(document.text, entry.title, language=entry.language)
    for ordinal, span in enumerate(spans):
        text = document.text[span.start : span.end]
        sha256 = passage_sha256(text)
        occurrence = occurrences.get((span.locator, sha256), 0)
        occurrences[span.locator, sha256] = occurrence + 1
        found.append(
            Passage(
                passage_id=passage_id(entry.id, span.locator, sha256, occurrence),
                document_id=entry.id,
                source_id=source_id,
                title=entry.title,
                language=entry.language,
                collection=entry.collection,
                licence=entry.licence,
                locator=span.locator,
                text=text,
                sha256=sha256,
                token_estimate=span.token_estimate,
                ordinal=ordinal,
                row=ordinal,
            )
        )
    return found


def _rows(passages: Sequence[Passage]) -> Iterator[CompactRow]:
    start = 0
    occurrences: dict[tuple[str, str], int] = {}
    for passage in passages:
        texts = (passage.text, passage.title, passage.locator, passage.collection)
        occurrence = occurrences.get((passage.locator, passage.sha256), 0)
        occurrences[passage.locator, passage.sha256] = occurrence + 1
        length = len(passage.text.encode())
        yield CompactRow(
            words=(*map(indexed_text, texts), further_terms(passage.language, *texts)),
            start=start,
            length=length,
            locator=passage.locator,
            token_estimate=min(passage.token_estimate, 0xFFFF),
            occurrence=min(occurrence, 0xFFFF),
            digest=bytes.fromhex(passage.sha256)[:16],
        )
        start += length
