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
from cairn.passages.embedding import embedding_text
from cairn.passages.ids import Occurrences
from cairn.passages.indexing import further_terms, indexed_text
from cairn.passages.types import Passage
from cairn.sources.packs.indexing import cut
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
    document = task.document
    passages = list(cut(task.source_id, document.entry, document.text, document.spans))
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


def _rows(passages: Sequence[Passage]) -> Iterator[CompactRow]:
    start = 0
    occurrences = Occurrences()
    for passage in passages:
        texts = (passage.text, passage.title, passage.locator, passage.collection)
        length = len(passage.text.encode())
        yield CompactRow(
            words=(*map(indexed_text, texts), further_terms(passage.language, *texts)),
            start=start,
            length=length,
            locator=passage.locator,
            token_estimate=min(passage.token_estimate, 0xFFFF),
            occurrence=min(occurrences.next(passage.locator, passage.sha256), 0xFFFF),
            digest=bytes.fromhex(passage.sha256)[:16],
        )
        start += length
