"""Keyword search in a compact index, whose passages are spans of texts that lie elsewhere."""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cairn.errors import DocumentCorrupt, DocumentNotFound, PackInvalid
from cairn.index.compact_schema import (
    LOCATORS,
    RECORD_BYTES,
    RECORDS,
    RECORDS_PER_ROW,
    TOKENIZER,
    WEIGHTS,
    Record,
)
from cairn.index.lexical import LexicalIndex
from cairn.index.lexical_query import Writing
from cairn.index.lexical_schema import RANGES
from cairn.passages.ids import passage_id
from cairn.passages.indexing import expression, tokens_asked
from cairn.passages.scripts import has_cjk
from cairn.passages.types import Passage

ReadText = Callable[[int, int], bytes]
"""``read(start, length)``: bytes of the texts, which stand one after the other."""


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """What a passage takes from its document, and where that stands in the texts, in bytes."""

    id: str
    title: str
    language: str
    collection: str
    licence: str
    start: int
    bytes: int


class CompactIndex(LexicalIndex):
    """A :class:`LexicalIndex` over the tables of :mod:`cairn.index.compact_schema`.

    ``documents`` in the order of the texts. A passage is read through ``read`` and must have the
    hash that its record states.
    """

    weights = WEIGHTS
    tokenizer = TOKENIZER
    writing = Writing(expression, expression)

    def __init__(
        self,
        connection: sqlite3.Connection,
        source_id: str,
        documents: Sequence[DocumentPlace],
        read: ReadText,
    ) -> None:
        super().__init__(connection, source_id)
        self._read_text = read
        self._places = {document.id: document for document in documents}

    def _passage(self, row: int) -> Passage:
        record = self._record(row)
        place, first = self._document_of(row)
        if not place.start <= record.start <= record.start + record.length <= place.start + place.bytes:
            raise _unfit(f"passage {row + 1} stands outside its document")
        data = self._read_text(record.start, record.length)
        sha256 = hashlib.sha256(data)
        if sha256.digest()[:16] != record.digest:
            raise DocumentCorrupt(
                f"A passage of “{place.title}” is not the one that was published.",
                hint="Verify the pack or install it again.",
            )
        locator = self._locator(record.locator)
        return Passage(
            passage_id=passage_id(place.id, locator, sha256.hexdigest(), record.occurrence),
            document_id=place.id,
            source_id=self._source_id,
            title=place.title,
            language=place.language,
            collection=place.collection,
            licence=place.licence,
            locator=locator,
            text=data.decode("utf-8", "replace"),
            sha256=sha256.hexdigest(),
            token_estimate=record.token_estimate,
            ordinal=row - first,
            row=row,
        )

    def _record(self, row: int) -> Record:
        group, place = divmod(row, RECORDS_PER_ROW)
        try:
            found = self._db.execute(
                f"SELECT substr(records, ?, ?) FROM {RECORDS} WHERE number = ?",
                (place * RECORD_BYTES + 1, RECORD_BYTES, group),
            ).fetchone()
            if found is None or not found[0]:
                raise DocumentNotFound(f"The library has no passage number {row + 1}.")
            return Record.unpack(found[0])
        except (sqlite3.DatabaseError, struct.error, TypeError) as error:
            raise _unfit(f"passage {row + 1} has no usable record ({error})") from error

    def _locator(self, number: int) -> str:
        found = self._db.execute(f"SELECT locator FROM {LOCATORS} WHERE number = ?", (number,)).fetchone()
        return str(found[0]) if found else ""

    def _document_of(self, row: int) -> tuple[DocumentPlace, int]:
        """The document of a row and its first row."""
        starts, names = self._order
        number = bisect_right(starts, row) - 1
        place = self._places.get(names[number]) if number >= 0 else None
        if place is None:
            raise _unfit(f"passage {row + 1} is of no document of the pack")
        return place, starts[number]

    @cached_property
    def _order(self) -> tuple[list[int], list[str]]:
        rows = self._db.execute(
            f"SELECT first_row, document_id FROM {RANGES} WHERE row_count > 0 ORDER BY first_row"
        ).fetchall()
        return [int(first) for first, _ in rows], [str(name) for _, name in rows]

    def _asked(self, term: str) -> str:
        return tokens_asked(term)

    def _known_frequencies(self, terms: Sequence[str]) -> dict[str, int | None]:
        counts = super()._known_frequencies(terms)
        return {term: None if _single(term) else count for term, count in counts.items()}

    def _count(self, token: str) -> int:
        """Passages with a token; of a single CJK character an upper bound, from all that begin with it."""
        if not _single(token):
            return super()._count(token)
        self._ensure_helpers()
        (found,) = self._db.execute(
            "SELECT coalesce(sum(doc), 0) FROM temp.cairn_vocabulary WHERE term >= ? AND term < ?",
            (token, chr(ord(token) + 1)),
        ).fetchone()
        return min(int(found), self.passage_count)


def _single(token: str) -> bool:
    """Whether it is one CJK character, which is asked for as the beginning of tokens."""
    return len(token) == 1 and has_cjk(token)


def _unfit(reason: str) -> PackInvalid:
    return PackInvalid(
        f"The keyword index cannot be used: {reason}.", hint="Verify the pack or install it again."
    )
