"""The tables of a compact index: words and places, no texts (docs/pack-format.md).

``passages`` is an FTS5 table without content: its postings say in which row a word stands, and the
text of a row is a span of the pack's texts. ``body`` is the first column because FTS5 writes no
column number for the first, which saves two bytes for every word of every passage.
"""

from __future__ import annotations

import sqlite3
import struct
from dataclasses import dataclass

from cairn.index.lexical_schema import RANGES, TABLE

# Vowel signs and other marks belong to words: without Mn and Mc Hindi words fall apart.
TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
COLUMNS: tuple[tuple[str, float], ...] = (
    ("body", 1.0),
    ("title", 7.0),
    ("locator", 4.0),
    ("collection", 2.0),
    ("search_terms", 0.6),
)
WEIGHTS = ", ".join(str(weight) for _, weight in COLUMNS)

RECORDS = "passage_records"
LOCATORS = "locators"
BLOCKS = "text_blocks"
RECORDS_PER_ROW = 64
RECORD = struct.Struct("<IIIHH16s")  # the fields of Record
RECORD_BYTES = RECORD.size

SMALL_TEXT = 4 << 20
"""Below this many bytes of text, small pages: the space left in the last of each counts more than reads."""
_PAGES = {True: (1024, 8000), False: (4096, 4050)}

_TABLES = (
    "CREATE TABLE corpus_metadata(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    f"CREATE VIRTUAL TABLE {TABLE} USING fts5({', '.join(name for name, _ in COLUMNS)}, "
    f"content = '', tokenize = \"{TOKENIZER}\")",
    f"CREATE TABLE {RANGES}(document_id TEXT PRIMARY KEY, first_row INTEGER NOT NULL, "
    "row_count INTEGER NOT NULL) WITHOUT ROWID",
    f"CREATE TABLE {RECORDS}(number INTEGER PRIMARY KEY, records BLOB NOT NULL)",
    f"CREATE TABLE {LOCATORS}(number INTEGER PRIMARY KEY, locator TEXT NOT NULL)",
    f"CREATE TABLE {BLOCKS}(number INTEGER PRIMARY KEY, ends BLOB NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class Record:
    """Where a passage stands: a span of the texts in bytes, its heading, and 128 bits of its SHA-256."""

    start: int
    length: int
    locator: int
    token_estimate: int
    occurrence: int
    digest: bytes

    def pack(self) -> bytes:
        """Its 32 bytes."""
        return RECORD.pack(
            self.start, self.length, self.locator, self.token_estimate, self.occurrence, self.digest
        )

    @classmethod
    def unpack(cls, data: bytes) -> Record:
        """From its 32 bytes; raises struct.error for another length."""
        return cls(*RECORD.unpack(data))


def open_empty(path: str, text_bytes: int) -> sqlite3.Connection:
    """Create the empty tables for a pack with so many bytes of text; a transaction is open."""
    db = sqlite3.connect(path, isolation_level=None)
    page, posting_page = _PAGES[text_bytes < SMALL_TEXT]
    for pragma in (f"page_size = {page}", "journal_mode = OFF", "synchronous = OFF", "temp_store = MEMORY"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("BEGIN")
    for statement in _TABLES:
        db.execute(statement)
    db.execute(f"INSERT INTO {TABLE}({TABLE}, rank) VALUES ('pgsz', ?)", (posting_page,))
    return db


def compact_fault(db: sqlite3.Connection) -> str:
    """What is wrong with the tables of a compact index somebody else made, "" when nothing is.

    Every table must be declared to the letter as ours are; views, triggers and indexes are faults.
    """
    expected = _declared()
    found = {name: (kind, sql) for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master")}
    for name, (kind, _) in sorted(found.items()):
        if name not in expected:
            return f"it has the {kind} {name}, which does not belong there"
    for name, declared in expected.items():
        if name not in found:
            return f"it lacks the table {name}"
        if found[name] != declared:
            return f"its table {name} is not declared as the format has it"
    settings = dict(db.execute(f"SELECT k, v FROM {TABLE}_config"))
    if settings.pop("version", None) != 4 or set(settings) - {"pgsz"}:
        return f"{TABLE} has FTS5 settings that the format does not know"
    return ""


def _declared() -> dict[str, tuple[str, str | None]]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in _TABLES:
            db.execute(statement)
        return {
            name: (kind, sql) for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master")
        }
    finally:
        db.close()
