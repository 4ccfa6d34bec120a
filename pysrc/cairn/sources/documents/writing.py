"""Passages into the tables of a collection, a unit of a document in one transaction."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from cairn.index.lexical_schema import COLUMN_NAMES
from cairn.passages.ids import passage_id, passage_sha256
from cairn.passages.words import search_terms
from cairn.sources.documents.database import LibraryDatabase, update_document
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.schema import table
from cairn.sources.documents.source import OWN
from cairn.sources.documents.text import Headings, Piece

_MARKS = ", ".join("?" * (len(COLUMN_NAMES) + 1))


class Gone(Exception):
    """The document was cancelled or deleted while it was worked on: nothing of it is wanted."""


class DocumentWriter:
    """Appends the units of one document, from where it was left; nobody sees them before the end."""

    def __init__(self, database: LibraryDatabase, collection: Collection, document: DocumentRow) -> None:
        self._db = database
        self._collection = collection
        self._document = document
        self._table = table(collection.number)
        rows = database.rows(
            f"SELECT t.locator, t.passage_sha256 FROM places p JOIN {self._table} t ON t.rowid = p.row"
            " WHERE p.document = ?",
            (document.number,),
        )
        self._seen = Counter((locator, sha256) for locator, sha256 in rows)

    def add(
        self,
        pieces: Sequence[Piece],
        headings: Headings,
        *,
        done: int,
        total: int,
        scanned: Sequence[int] = (),
    ) -> None:
        """Write a unit; raises Gone, StorageFull or StorageUnavailable, and then nothing was written."""
        document = self._document
        seen = self._seen.copy()
        every = sorted({*document.scanned, *scanned})
        with self._db.transaction() as db:
            require(db, document)
            [(last,)] = db.execute(
                "SELECT coalesce(max(row), 0) FROM places WHERE collection = ?", (self._collection.number,)
            )
            for offset, piece in enumerate(pieces, start=1):
                self._insert(db, last + offset, document.passages + offset - 1, piece, seen)
            added = sum(len(piece.text) for piece in pieces)
            update_document(
                db,
                document.number,
                title=document.title,
                language=document.language,
                done=done,
                total=total,
                headings=headings,
                scanned=every,
                characters=document.characters + added,
                passages=document.passages + len(pieces),
            )
        self._seen = seen
        document.characters += added
        document.passages += len(pieces)
        document.done, document.total, document.scanned = done, total, every

    def _insert(
        self, db: sqlite3.Connection, row: int, ordinal: int, piece: Piece, seen: Counter[tuple[str, str]]
    ) -> None:
        document = self._document
        sha256 = passage_sha256(piece.text)
        occurrence = seen[piece.locator, sha256]
        seen[piece.locator, sha256] += 1
        name = passage_id(document.id, piece.locator, sha256, occurrence)
        terms = search_terms(document.title, self._collection.name, piece.locator, piece.text)
        values = (
            row, name, document.id, self._collection.id, document.title, document.language,
            self._collection.name, "", OWN, piece.locator, piece.text, terms, sha256, piece.tokens,
            ordinal, "",
        )  # fmt: skip
        db.execute(f"INSERT INTO {self._table}(rowid, {', '.join(COLUMN_NAMES)}) VALUES ({_MARKS})", values)
        db.execute(
            "INSERT INTO places (collection, row, document, ordinal, start, length, first_page, last_page,"
            " tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._collection.number,
                row,
                document.number,
                ordinal,
                piece.start,
                len(piece.text),
                piece.first_page,
                piece.last_page,
                piece.tokens,
            ),
        )


def require(db: sqlite3.Connection, document: DocumentRow) -> None:
    """Raise Gone unless the document is still being imported (inside the caller's transaction)."""
    found = db.execute(
        "SELECT 1 FROM documents WHERE number = ? AND status = 'pending'", (document.number,)
    ).fetchone()
    if found is None:
        raise Gone


def discard(db: sqlite3.Connection, document: int, collection: int) -> None:
    """Delete a document's record; its passages, invisible from now on, are swept away later."""
    db.execute("DELETE FROM documents WHERE number = ?", (document,))
    db.execute("INSERT OR IGNORE INTO gone (document, collection) VALUES (?, ?)", (document, collection))
