"""Keyword search in a pack's FTS5 index (the 15-column table of FORMATS.md 1.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property

from cairn.errors import DocumentNotFound, PackInvalid
from cairn.index.lexical_query import match_expression, storable
from cairn.index.lexical_schema import COLUMNS, RANGES, TABLE, TOKENIZER
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.passages.words import is_word

_RANK = f"bm25({TABLE}, {', '.join(str(weight) for _, _, weight in COLUMNS)})"
# bm25 is lower for better; equal scores keep the order of the documents.
_SEARCH = f"SELECT rowid, {_RANK} FROM {TABLE} WHERE {TABLE} MATCH ? ORDER BY 2, 1 LIMIT ?"
_READ = (
    "SELECT passage_id, document_id, title, language, collection, license, locator, body, "
    f"passage_sha256, token_estimate, ordinal FROM {TABLE} WHERE rowid = ?"
)


class LexicalIndex:
    """Reads an index through a connection that stays the caller's, read-only or not.

    ``source_id`` goes into the passages. The connection must be in autocommit mode
    (``isolation_level=None``) and may be ``immutable=1``: only ``temp`` is written, in memory.
    """

    def __init__(self, connection: sqlite3.Connection, source_id: str) -> None:
        self._db = connection
        self._source_id = source_id
        self._frequencies: dict[str, int] = {}
        # Without this SQLite would put temporary tables into files beside a read-only database.
        self._db.execute("PRAGMA temp_store = MEMORY")

    def search(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """At most ``limit`` rows by bm25, best first, ties by row; scores are negated bm25.

        No query raises: what has no letter or digit is ignored, and what is left is quoted.
        Raises PackInvalid when the index itself cannot be read.
        """
        expression = match_expression(query)
        if not expression or limit <= 0:
            return []
        try:
            rows = self._db.execute(_SEARCH, (expression, limit)).fetchall()
        except sqlite3.DatabaseError as error:
            raise _unreadable(error) from error
        return [Hit(rowid - 1, -score) for rowid, score in rows]

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows in the order asked; raises DocumentNotFound for a missing one."""
        return [self._passage(row) for row in rows]

    def _passage(self, row: int) -> Passage:
        try:
            found = self._db.execute(_READ, (row + 1,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise _unreadable(error) from error
        if found is None:
            raise DocumentNotFound(f"The library has no passage number {row + 1}.")
        (passage_id, document_id, title, language, collection, licence, locator, body, sha256,
         tokens, ordinal) = found  # fmt: skip
        return Passage(
            passage_id=passage_id,
            document_id=document_id,
            source_id=self._source_id,
            title=title,
            language=language,
            collection=collection,
            licence=licence,
            locator=locator,
            text=body,
            sha256=sha256,
            token_estimate=int(tokens),
            ordinal=int(ordinal),
            row=row,
        )

    @cached_property
    def passage_count(self) -> int:
        """Rows of the index."""
        # The docsize table has a few bytes a row; counting the table itself would read all texts.
        (count,) = self._db.execute(f"SELECT count(*) FROM {TABLE}_docsize").fetchone()
        return int(count)

    def document_rows(self, document_id: str) -> range:
        """Rows of a document's passages in reading order; empty when it has none."""
        first, count = self._ranges.get(document_id, (0, 0))
        return range(first, first + count)

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        has_ranges = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if self._db.execute(has_ranges, (RANGES,)).fetchone():
            rows = self._db.execute(f"SELECT document_id, first_row, row_count FROM {RANGES}")
        else:
            # A published pack: one scan, kept. Its documents' rows are consecutive.
            rows = self._db.execute(
                f"SELECT document_id, min(rowid) - 1, count(*) FROM {TABLE} GROUP BY document_id"
            )
        return {name: (first, count) for name, first, count in rows}

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs; 0 for unknown words and for what is no word.

        A term that the tokenizer parts (``don't``; Hindi at its vowel signs) gets the frequency of
        its rarest part, an upper bound. Answers are kept: the index never changes.
        """
        wanted = list(dict.fromkeys(terms))
        missing = [term for term in wanted if term not in self._frequencies]
        if missing:
            parts = self._tokens(missing)
            for term in missing:
                counts = [self._count(token) for token in parts.get(term, ())]
                self._frequencies[term] = min(counts, default=0)
        return {term: self._frequencies[term] for term in wanted}

    def _count(self, token: str) -> int:
        self._ensure_helpers()
        found = self._db.execute("SELECT doc FROM temp.cairn_vocabulary WHERE term = ?", (token,))
        row = found.fetchone()
        return int(row[0]) if row else 0

    def _tokens(self, terms: list[str]) -> dict[str, list[str]]:
        """Each term's tokens, by the index's own tokenizer: a scratch index in ``temp`` parts them."""
        self._ensure_helpers()
        rows = [(row, storable(term)) for row, term in enumerate(terms) if is_word(term)]
        self._db.executemany("INSERT INTO temp.cairn_scratch(rowid, term) VALUES (?, ?)", rows)
        found: dict[str, list[str]] = {}
        for token, row in self._db.execute("SELECT term, doc FROM temp.cairn_scratch_tokens"):
            found.setdefault(terms[row], []).append(token)
        self._db.execute("INSERT INTO temp.cairn_scratch(cairn_scratch) VALUES ('delete-all')")
        return found

    def _ensure_helpers(self) -> None:
        for name, using in (
            ("cairn_vocabulary", f"fts5vocab('main', '{TABLE}', 'row')"),
            ("cairn_scratch", f"fts5(term, content = '', tokenize = '{TOKENIZER}')"),
            ("cairn_scratch_tokens", "fts5vocab('temp', 'cairn_scratch', 'instance')"),
        ):
            self._db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING {using}")


def _unreadable(error: sqlite3.DatabaseError) -> PackInvalid:
    return PackInvalid(
        f"The keyword index cannot be read: {error}.", hint="Verify the pack or install it again."
    )
