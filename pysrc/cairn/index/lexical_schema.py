"""The FTS5 table that a pack's keyword index is, exactly as FORMATS.md 1.3 has it."""

from __future__ import annotations

import re
import sqlite3

TABLE = "passages"
TOKENIZER = "unicode61 remove_diacritics 2"

# In this order: bm25 weights and old readers go by position. UNINDEXED columns are stored only.
COLUMNS: tuple[tuple[str, bool, float], ...] = (
    # name, indexed, bm25 weight
    ("passage_id", False, 0.0),
    ("document_id", False, 0.0),
    ("source_id", False, 0.0),
    ("title", True, 7.0),
    ("language", False, 0.0),
    ("collection", True, 2.0),
    ("source", False, 0.0),
    ("license", False, 0.0),
    ("locator", True, 4.0),
    ("body", True, 1.0),
    ("search_terms", True, 0.6),
    ("passage_sha256", False, 0.0),
    ("token_estimate", False, 0.0),
    ("ordinal", False, 0.0),
    ("reader_url", False, 0.0),
)
COLUMN_NAMES = tuple(name for name, _, _ in COLUMNS)
METADATA_KEYS = ("schemaVersion", "corpusId", "version", "contentSha256", "documentCount")

# Ours beside the published tables, so that a document's passages are found without a scan.
RANGES = "passage_ranges"

_OPTION = re.compile(r"\b(content\w*|detail|prefix|columnsize)\s*=", re.IGNORECASE)
_PUBLISHED = {
    "corpus_metadata",
    TABLE,
    *(f"{TABLE}_{part}" for part in ("data", "idx", "content", "docsize", "config")),
}


def create_tables(db: sqlite3.Connection) -> None:
    """Create the empty tables of a pack's index."""
    columns = ", ".join(name if indexed else f"{name} UNINDEXED" for name, indexed, _ in COLUMNS)
    db.execute("CREATE TABLE corpus_metadata(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
    db.execute(f"CREATE VIRTUAL TABLE {TABLE} USING fts5({columns}, tokenize = '{TOKENIZER}')")
    db.execute(
        f"CREATE TABLE {RANGES}(document_id TEXT PRIMARY KEY, first_row INTEGER NOT NULL, "
        "row_count INTEGER NOT NULL) WITHOUT ROWID"
    )


def schema_fault(db: sqlite3.Connection) -> str:
    """What is wrong with the tables of an index somebody else made, "" when they are as they must be.

    Views, triggers, further tables and other columns are faults: a pack's database is only read,
    and nothing in it may run.
    """
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name"):
        if kind == "index" and sql is None:
            continue  # the automatic index of a PRIMARY KEY
        if kind != "table" or name not in _PUBLISHED | {RANGES}:
            return f"it has the {kind} {name}, which does not belong there"
    present = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if "corpus_metadata" not in present or TABLE not in present:
        return f"it lacks the table {TABLE} or corpus_metadata"
    (sql,) = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (TABLE,)).fetchone()
    if "fts5" not in str(sql).lower() or TOKENIZER not in " ".join(str(sql).split()):
        return f"{TABLE} is not an FTS5 table with the tokenizer {TOKENIZER}"
    if _OPTION.search(str(sql)):
        return f"{TABLE} has FTS5 options that the format does not know"
    columns = tuple(row[1] for row in db.execute(f"PRAGMA table_info({TABLE})"))
    if columns != COLUMN_NAMES:
        return f"{TABLE} has other columns than {', '.join(COLUMN_NAMES)}"
    return ""
