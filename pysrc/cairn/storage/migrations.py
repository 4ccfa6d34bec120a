"""Numbered migrations of ``state.db``: append only, each runs once, in one transaction.

A released migration is never edited. ``apply`` brings any older database to the newest schema;
a database from a newer Cairn is refused, so that a rolled-back app cannot damage it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from cairn.errors import StorageUnavailable

MIGRATIONS: tuple[str, ...] = (
    # 1: settings, and the sources a person has; record is the source's own JSON (paths, manifest)
    """
    CREATE TABLE settings (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE sources (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('pack', 'archive', 'documents')),
        version TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        record TEXT NOT NULL,
        active INTEGER NOT NULL DEFAULT 1,
        added_ms REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    # 2: threads and their turns; words is folded text for searching, record and debug are zlib of JSON
    """
    CREATE TABLE threads (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        words TEXT NOT NULL,
        named INTEGER NOT NULL DEFAULT 0,
        created_ms REAL NOT NULL,
        changed_ms REAL NOT NULL,
        settings TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX threads_by_change ON threads (changed_ms DESC, id);
    CREATE TABLE turns (
        id TEXT PRIMARY KEY,
        thread TEXT NOT NULL,
        position INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        asked_ms REAL NOT NULL,
        words TEXT NOT NULL,
        question TEXT NOT NULL,
        query TEXT NOT NULL,
        answer TEXT NOT NULL,
        record BLOB NOT NULL,
        debug BLOB
    );
    CREATE UNIQUE INDEX turns_in_order ON turns (thread, position);
    """,
    # 3: work that outlives a closed tab; record is the job's own JSON, cursor the bytes that are safe
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        record TEXT NOT NULL,
        cursor INTEGER NOT NULL DEFAULT 0,
        added_ms REAL NOT NULL
    ) WITHOUT ROWID;
    """,
)


def apply(connection: sqlite3.Connection, steps: Sequence[str] | None = None) -> int:
    """Run the migrations this database lacks (of ``state.db``, or ``steps``); return how many ran.

    Raises StorageUnavailable when the database was written by a newer Cairn.
    """
    steps = MIGRATIONS if steps is None else steps
    have = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if have > len(steps):
        raise StorageUnavailable(
            "This library was last used by a newer version of Cairn.",
            hint="Update the app, then open it again. Nothing was changed.",
        )
    for number in range(have, len(steps)):
        # user_version is part of the transaction: a crash leaves the old schema or the new one
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE; {steps[number]} PRAGMA user_version = {number + 1}; COMMIT;"
            )
        except sqlite3.Error:
            connection.rollback()
            raise
    return len(steps) - have
