"""Tables of ``library.db``: the person's collections, documents and passages.

Every collection has an FTS5 table of its own, ``passages_<number>``, in the columns of a pack's
(FORMATS.md 1.3), so that a keyword search of it touches nothing else, and deleting it is one
statement. What a passage is beyond its words is in ``places``; its vector, once there is one, in
``vectors``. A row has the same number in all three.
"""

from __future__ import annotations

import sqlite3

from cairn.index.lexical_schema import COLUMNS, TOKENIZER

LIBRARY_FILE = "library.db"

MIGRATIONS: tuple[str, ...] = (
    # 1: collections, documents (with the queue: a document is imported by its status), passages
    """
    CREATE TABLE collections (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        description TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{}',
        model TEXT NOT NULL DEFAULT '',
        added_ms REAL NOT NULL
    );
    CREATE TABLE originals (
        sha256 TEXT PRIMARY KEY,
        bytes INTEGER NOT NULL,
        added_ms REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        collection INTEGER NOT NULL REFERENCES collections (number),
        path TEXT NOT NULL,
        title TEXT NOT NULL,
        renamed INTEGER NOT NULL DEFAULT 0,
        kind TEXT NOT NULL,
        language TEXT NOT NULL DEFAULT 'und',
        original TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'skipped')),
        reason TEXT NOT NULL DEFAULT '',
        hint TEXT NOT NULL DEFAULT '',
        code TEXT NOT NULL DEFAULT '',
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER NOT NULL DEFAULT 0,
        characters INTEGER NOT NULL DEFAULT 0,
        passages INTEGER NOT NULL DEFAULT 0,
        headings TEXT NOT NULL DEFAULT '[]',
        text_sha256 TEXT NOT NULL DEFAULT '',
        scanned TEXT NOT NULL DEFAULT '[]',
        notes TEXT NOT NULL DEFAULT '[]',
        batch INTEGER NOT NULL DEFAULT 0,
        added_ms REAL NOT NULL,
        changed_ms REAL NOT NULL
    );
    CREATE INDEX documents_by_collection ON documents (collection, path);
    CREATE INDEX documents_by_id ON documents (id);
    CREATE INDEX documents_by_original ON documents (original);
    CREATE TABLE places (
        collection INTEGER NOT NULL,
        row INTEGER NOT NULL,
        document INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        start INTEGER NOT NULL,
        length INTEGER NOT NULL,
        first_page INTEGER NOT NULL,
        last_page INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (collection, row)
    ) WITHOUT ROWID;
    CREATE INDEX places_by_document ON places (document, ordinal);
    CREATE TABLE vectors (
        collection INTEGER NOT NULL,
        row INTEGER NOT NULL,
        data BLOB NOT NULL,
        norm REAL NOT NULL,
        PRIMARY KEY (collection, row)
    ) WITHOUT ROWID;
    CREATE TABLE gone (
        document INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL
    );
    """,
)
"""Append only, like those of ``state.db``. ``gone``: documents that were deleted; their passages are
invisible from that moment and are swept away in the background."""


def table(collection: int) -> str:
    """Name of the FTS5 table of a collection, by its number."""
    return f"passages_{int(collection)}"


def create_table(db: sqlite3.Connection, collection: int) -> None:
    """Create the keyword index of a new collection."""
    columns = ", ".join(name if indexed else f"{name} UNINDEXED" for name, indexed, _ in COLUMNS)
    db.execute(f"CREATE VIRTUAL TABLE {table(collection)} USING fts5({columns}, tokenize = '{TOKENIZER}')")
