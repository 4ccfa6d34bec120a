"""Writes a pack's keyword index: the same passages give the same bytes (FORMATS.md 1.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from cairn.index.lexical_schema import COLUMN_NAMES, METADATA_KEYS, RANGES, TABLE, create_tables
from cairn.passages.types import Passage
from cairn.passages.words import search_terms

_INSERT = (
    f"INSERT INTO {TABLE}(rowid, {', '.join(COLUMN_NAMES)}) "
    f"VALUES ({', '.join('?' * (len(COLUMN_NAMES) + 1))})"
)


class LexicalWriter:
    """Fills an empty database; rows must come in order, a document's rows together."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode = DELETE", "synchronous = FULL", "temp_store = MEMORY",
                       "secure_delete = ON"):  # fmt: skip
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("BEGIN")
        create_tables(self._db)
        self._ranges: dict[str, tuple[int, int]] = {}
        self._next = 0

    def add(self, passage: Passage, *, source_url: str, reader_url: str) -> None:
        """Append one passage; raises ValueError when its row is not the next one."""
        if passage.row != self._next:
            raise ValueError(f"row {passage.row} does not follow row {self._next - 1}")
        first, count = self._ranges.get(passage.document_id, (passage.row, 0))
        if first + count != passage.row:
            raise ValueError(f"the passages of {passage.document_id} are not together")
        self._ranges[passage.document_id] = (first, count + 1)
        self._next += 1
        terms = search_terms(passage.title, passage.collection, passage.locator, passage.text)
        row = (
            passage.row + 1, passage.passage_id, passage.document_id, passage.source_id,
            passage.title, passage.language, passage.collection, source_url, passage.licence,
            passage.locator, passage.text, terms, passage.sha256, passage.token_estimate,
            passage.ordinal, reader_url,
        )  # fmt: skip
        self._db.execute(_INSERT, row)

    def close(self) -> None:
        """Let go of the database, finished or not."""
        self._db.close()

    def finish(self, metadata: Mapping[str, str]) -> int:
        """Write ``corpus_metadata`` (the keys of FORMATS.md 1.3), optimise, close; return the rows."""
        self._db.executemany(
            "INSERT INTO corpus_metadata VALUES (?, ?)", [(key, metadata[key]) for key in METADATA_KEYS]
        )
        self._db.executemany(
            f"INSERT INTO {RANGES} VALUES (?, ?, ?)",
            [(name, first, count) for name, (first, count) in sorted(self._ranges.items())],
        )
        self._db.execute(f"INSERT INTO {TABLE}({TABLE}) VALUES ('optimize')")
        self._db.execute("COMMIT")
        # Pages freed by the merge would stay as zeros in every pack.
        self._db.execute("VACUUM")
        self._db.close()
        return self._next
