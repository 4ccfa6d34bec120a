"""``library.db``: collections, documents and their passages. One connection, used from one thread.

A document becomes visible in one statement, when its status turns to ``completed``: passages of
others are in the tables but are given to nobody (:meth:`LibraryDatabase.hidden_rows`). Every method
that writes is one transaction and raises StorageFull or StorageUnavailable when it cannot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cairn.errors import DocumentNotFound
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.schema import LIBRARY_FILE, MIGRATIONS, create_table, table
from cairn.sources.documents.text import Headings
from cairn.storage import migrations
from cairn.storage.ports import Files
from cairn.storage.state import typed_errors

_DOCUMENT = (
    "number, id, collection, path, title, renamed, kind, language, original, bytes, status, reason, hint,"
    " code, done, total, characters, passages, headings, text_sha256, scanned, notes, batch,"
    " added_ms, changed_ms"
)
_COLLECTION = "number, id, name, description, settings, model, added_ms"
_WRITABLE = frozenset(_DOCUMENT.replace(" ", "").split(",")) - {"number"}
CACHE_KIB = 8_192


class LibraryDatabase:
    """Typed access to ``library.db``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @classmethod
    async def open(cls, files: Files) -> LibraryDatabase:
        """Open (or create) and migrate the database; raises StorageUnavailable or StorageFull."""
        path = await files.ensure(LIBRARY_FILE, companions=(LIBRARY_FILE + "-journal",))
        with typed_errors():
            connection = sqlite3.connect(path, isolation_level=None)
            try:
                # The journal exists ahead and is emptied, not deleted (see cairn.storage.state).
                for pragma in (
                    "journal_mode = TRUNCATE",
                    "synchronous = FULL",
                    "temp_store = MEMORY",
                    "secure_delete = ON",
                    f"cache_size = -{CACHE_KIB}",
                ):
                    connection.execute(f"PRAGMA {pragma}")
                migrations.apply(connection, MIGRATIONS)
            except BaseException:
                connection.close()
                raise
        return cls(connection)

    def close(self) -> None:
        """Close the connection; the object is not used afterwards."""
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; nothing may be awaited inside."""
        with typed_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query."""
        with typed_errors():
            return self.connection.execute(sql, tuple(values)).fetchall()

    # --- collections -----------------------------------------------------------------------------

    def collections(self) -> list[Collection]:
        """Every collection, the oldest first."""
        found = self.rows(f"SELECT {_COLLECTION} FROM collections ORDER BY number")
        return [Collection(r[0], r[1], r[2], r[3], json.loads(r[4]), r[5], r[6]) for r in found]

    def add_collection(self, identifier: str, name: str, description: str, now: float) -> Collection:
        """Create a collection with its empty index."""
        with self.transaction() as db:
            row = db.execute(
                "INSERT INTO collections (id, name, description, added_ms) VALUES (?, ?, ?, ?)",
                (identifier, name, description, now),
            )
            number = int(row.lastrowid or 0)
            create_table(db, number)
        return Collection(number, identifier, name, description, {}, "", now)

    def change_collection(self, number: int, **values: Any) -> None:
        """Set ``name``, ``description``, ``settings`` (a dict) or ``model``."""
        if "settings" in values:
            values["settings"] = json.dumps(values["settings"], ensure_ascii=False, sort_keys=True)
        unknown = values.keys() - {"name", "description", "settings", "model"}
        if unknown:
            raise ValueError(f"a collection has no {sorted(unknown)}")
        with self.transaction() as db:
            for name, value in values.items():
                db.execute(f"UPDATE collections SET {name} = ? WHERE number = ?", (value, number))

    def remove_collection(self, number: int) -> None:
        """Delete a collection with everything in it, at once."""
        with self.transaction() as db:
            db.execute(f"DROP TABLE {table(number)}")
            for name in ("places", "vectors", "documents", "gone"):
                db.execute(f"DELETE FROM {name} WHERE collection = ?", (number,))
            db.execute("DELETE FROM collections WHERE number = ?", (number,))

    # --- documents -------------------------------------------------------------------------------

    def documents(self, where: str = "1", values: Sequence[Any] = ()) -> list[DocumentRow]:
        """Documents that meet a condition of ours, in the order they were added."""
        found = self.rows(f"SELECT {_DOCUMENT} FROM documents WHERE {where} ORDER BY number", values)
        return [_document(row) for row in found]

    def document(self, number: int) -> DocumentRow:
        """One document by number; raises DocumentNotFound when it was deleted."""
        found = self.documents("number = ?", (number,))
        if not found:
            raise DocumentNotFound("This document is no longer in the library.")
        return found[0]

    def add_documents(self, documents: Iterable[DocumentRow]) -> None:
        """Record new documents; their numbers are given here."""
        with self.transaction() as db:
            for document in documents:
                insert_document(db, document)

    def change_document(self, number: int, **values: Any) -> None:
        """Set columns of a document."""
        with self.transaction() as db:
            update_document(db, number, **values)

    def next_batch(self) -> int:
        """A number for the next time that files are added."""
        return int(self.rows("SELECT coalesce(max(batch), 0) + 1 FROM documents")[0][0])

    # --- passages --------------------------------------------------------------------------------

    def hidden_rows(self, collection: int) -> frozenset[int]:
        """Rows (0-based) of passages that belong to no completed document."""
        found = self.rows(
            "SELECT p.row FROM places p LEFT JOIN documents d ON d.number = p.document"
            " WHERE p.collection = ? AND (d.number IS NULL OR d.status <> 'completed')",
            (collection,),
        )
        return frozenset(row - 1 for (row,) in found)

    def extent(self, collection: int) -> tuple[int, int]:
        """The highest row (0-based, -1 without any) and the number of rows of a collection."""
        [(top, count)] = self.rows(
            "SELECT coalesce(max(row), 0) - 1, count(*) FROM places WHERE collection = ?", (collection,)
        )
        return int(top), int(count)


def sweep(db: sqlite3.Connection, document: int, collection: int, limit: int) -> int:
    """Delete up to ``limit`` passages of a document, inside the caller's transaction."""
    found = db.execute("SELECT row FROM places WHERE document = ? LIMIT ?", (document, limit)).fetchall()
    for name in (table(collection), "places", "vectors"):
        where = "rowid = ?" if name == table(collection) else "collection = ? AND row = ?"
        own = () if name == table(collection) else (collection,)
        db.executemany(f"DELETE FROM {name} WHERE {where}", [(*own, row) for (row,) in found])
    return len(found)


def insert_document(db: sqlite3.Connection, document: DocumentRow) -> None:
    """Record a document and give it its number, inside the caller's transaction."""
    columns = _DOCUMENT.partition(", ")[2]
    marks = ", ".join("?" * len(columns.split(",")))
    cursor = db.execute(f"INSERT INTO documents ({columns}) VALUES ({marks})", _values(document))
    document.number = int(cursor.lastrowid or 0)


def update_document(db: sqlite3.Connection, number: int, **values: Any) -> None:
    """Set columns of a document, inside the caller's transaction."""
    unknown = values.keys() - _WRITABLE
    if unknown:
        raise ValueError(f"a document has no {sorted(unknown)}")
    for name in ("headings", "scanned", "notes"):
        if name in values:
            value = values[name].open if isinstance(values[name], Headings) else values[name]
            values[name] = json.dumps(value, ensure_ascii=False)
    assigned = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE documents SET {assigned} WHERE number = ?", (*values.values(), number))


def _document(row: Sequence[Any]) -> DocumentRow:
    values = dict(zip(_DOCUMENT.replace(" ", "").split(","), row, strict=True))
    values["renamed"] = bool(values["renamed"])
    values["headings"] = Headings(
        [(int(level), str(words)) for level, words in json.loads(values["headings"])]
    )
    values["scanned"] = [int(page) for page in json.loads(values["scanned"])]
    values["notes"] = [str(note) for note in json.loads(values["notes"])]
    return DocumentRow(**values)


def _values(document: DocumentRow) -> tuple[Any, ...]:
    d = document
    return (
        d.id, d.collection, d.path, d.title, int(d.renamed), d.kind, d.language, d.original, d.bytes,
        d.status, d.reason, d.hint, d.code, d.done, d.total, d.characters, d.passages,
        json.dumps(d.headings.open, ensure_ascii=False), d.text_sha256, json.dumps(d.scanned),
        json.dumps(d.notes, ensure_ascii=False), d.batch, d.added_ms, d.changed_ms,
    )  # fmt: skip
