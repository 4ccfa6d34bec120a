"""Keyword search in a pack's FTS5 index (the 15-column table of FORMATS.md 1.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property

from cairn.errors import DocumentNotFound, PackInvalid
from cairn.index.lexical_query import Writing, match_any, match_expression, storable, usable_terms
from cairn.index.lexical_schema import COLUMNS, RANGES, TABLE, TOKENIZER
from cairn.index.pruning import EXACT, LEAST, split
from cairn.index.rows import Rows
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.passages.words import is_word

# bm25 is lower for better. What differs by rounding is equal, and keeps the order of the documents.
_DIGITS = 9
_SEARCH = (
    f"SELECT rowid, round(bm25({{table}}, {{weights}}) / ?, {_DIGITS}) FROM {{table}} "
    "WHERE {table} MATCH ? {within} ORDER BY 2, 1 LIMIT ?"
)
_ANYWHERE = ""
_BETWEEN = "AND rowid BETWEEN ? AND ?"
_AMONG = (
    "AND rowid <= (SELECT last FROM temp.cairn_allowed WHERE first <= {table}.rowid "
    "ORDER BY first DESC LIMIT 1)"
)
CACHE_BYTES = 16 << 20
"""Pages that SQLite may keep: the lists of the commonest words of 250,000 passages are 2 MB each, and a
query reads them more than once. Small indexes never need as much."""

_PREFIX_LENGTH = 3
_COMPLETIONS = 400
"""Words with a prefix that are counted at most."""
_READ = (
    "SELECT passage_id, document_id, title, language, collection, license, locator, body, "
    "passage_sha256, token_estimate, ordinal FROM {table} WHERE rowid = ?"
)


class LexicalIndex:
    """Reads an index through a connection that stays the caller's, read-only or not.

    ``source_id`` goes into the passages; ``table`` names the index where a database has several. The
    connection must be in autocommit mode (``isolation_level=None``) and may be ``immutable=1``: only
    ``temp`` is written, in memory.
    """

    weights = ", ".join(str(weight) for _, _, weight in COLUMNS)
    tokenizer = TOKENIZER
    writing: Writing | None = None

    def __init__(self, connection: sqlite3.Connection, source_id: str, table: str = TABLE) -> None:
        self._db = connection
        self._source_id = source_id
        self._table = table
        self._vocabulary = "cairn_vocabulary" if table == TABLE else f"cairn_vocabulary_{table}"
        self._frequencies: dict[str, int] = {}
        self._phrases: set[str] = set()  # terms that the tokenizer parts
        self._allowed: Rows | None = None  # what temp.cairn_allowed holds
        # Without this SQLite would put temporary tables into files beside a read-only database.
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute(f"PRAGMA cache_size = -{CACHE_BYTES >> 10}")

    def search(
        self, query: LexicalQuery, limit: int, rows: Rows | None = None, *, common_from: int = LEAST
    ) -> list[Hit]:
        """At most ``limit`` rows by bm25, best first, ties by row; scores are negated bm25.

        Among ``rows`` when given. Words in at least ``common_from`` passages are not read from end to
        end where others decide: the first :data:`~cairn.index.pruning.EXACT` hits are those of the
        plain query. No query raises: what has no letter or digit is ignored, what is left is quoted.
        Raises PackInvalid when the index itself cannot be read.
        """
        expression = match_expression(query, self.writing)
        if not expression or limit <= 0 or (rows is not None and not rows.ranges):
            return []
        try:
            pruned = None if query.phrases else self._pruned(query, limit, rows, common_from)
            return pruned if pruned is not None else self._ranked(expression, 1, limit, rows)
        except sqlite3.DatabaseError as error:
            raise _unreadable(error) from error

    def _pruned(
        self, query: LexicalQuery, limit: int, rows: Rows | None, common_from: int
    ) -> list[Hit] | None:
        """The hits, found through the words that decide; None when all words must be read."""
        if self.passage_count < common_from:
            return None
        frequencies = self._known_frequencies(usable_terms(query))
        floor: float | None = None
        for _ in range(2):
            words = split(frequencies, self.passage_count, floor, common_from)
            if words is None:
                return None
            found = self._ranked(match_any(query, words.rare, words.common, self.writing), 2, limit, rows)
            last = min(EXACT, limit)
            if len(found) < last:
                return None
            floor = found[last - 1].score
            if floor >= words.bound:
                return found
        return None

    def _ranked(self, expression: str, times: int, limit: int, rows: Rows | None) -> list[Hit]:
        """Run an expression in which every word stands so many ``times``."""
        within, bounds = self._within(rows)
        parameters = (float(times), expression, *bounds, limit)
        found = self._db.execute(
            _SEARCH.format(table=self._table, weights=self.weights, within=within), parameters
        )
        return [Hit(rowid - 1, -score) for rowid, score in found.fetchall()]

    def _within(self, rows: Rows | None) -> tuple[str, tuple[int, ...]]:
        """A condition on ``rowid`` and its parameters."""
        if rows is None:
            return _ANYWHERE, ()
        if len(rows.ranges) == 1:
            ((first, end),) = rows.ranges
            return _BETWEEN, (first + 1, end)
        if rows != self._allowed:
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS temp.cairn_allowed(first INTEGER PRIMARY KEY, last INTEGER)"
            )
            self._db.execute("DELETE FROM temp.cairn_allowed")
            self._db.executemany(
                "INSERT INTO temp.cairn_allowed VALUES (?, ?)",
                [(first + 1, end) for first, end in rows.ranges],
            )
            self._allowed = rows
        return _AMONG.format(table=self._table), ()

    def matching(self, query: LexicalQuery, *, common_from: int = LEAST) -> list[int]:
        """Rows that have one of the words that decide (one of all words when none does), ascending.

        Raises PackInvalid when the index cannot be read.
        """
        expression = match_expression(query, self.writing)
        if not expression:
            return []
        if not query.phrases:
            frequencies = self._known_frequencies(usable_terms(query))
            words = split(frequencies, self.passage_count, None, common_from)
            expression = match_any(query, words.rare, (), self.writing) if words else expression
        try:
            found = self._db.execute(
                f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ?", (expression,)
            )
            return [rowid - 1 for (rowid,) in found]
        except sqlite3.DatabaseError as error:
            raise _unreadable(error) from error

    def completion(self, prefix: str) -> str:
        """The most frequent word that begins with an unfinished one; "" when there is none.

        Words are those of the index: lower case, without diacritics.
        """
        tokens = self._tokens([prefix]).get(prefix, []) if is_word(prefix) else []
        if len(tokens) != 1 or len(tokens[0]) < _PREFIX_LENGTH:
            return ""
        self._ensure_helpers()
        rows = self._db.execute(
            f"SELECT term, doc FROM temp.{self._vocabulary} WHERE term >= ? AND term < ? LIMIT ?",
            (tokens[0], tokens[0] + "\U0010ffff", _COMPLETIONS),
        )
        best = max(rows, key=lambda row: (row[1], -len(row[0])), default=("", 0))
        return str(best[0])

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows in the order asked; raises DocumentNotFound for a missing one."""
        return [self._passage(row) for row in rows]

    def _passage(self, row: int) -> Passage:
        try:
            found = self._db.execute(_READ.format(table=self._table), (row + 1,)).fetchone()
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
        (count,) = self._db.execute(f"SELECT count(*) FROM {self._table}_docsize").fetchone()
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
                f"SELECT document_id, min(rowid) - 1, count(*) FROM {self._table} GROUP BY document_id"
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
                if len(parts.get(term, ())) > 1:
                    self._phrases.add(term)
                counts = [self._count(token) for token in parts.get(term, ())]
                self._frequencies[term] = min(counts, default=0)
        return {term: self._frequencies[term] for term in wanted}

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs, as the tokenizer has it; absent ones are left out."""
        return {word: count for word in words if (count := self._count(word))}

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""
        self._ensure_helpers()
        rows = self._db.execute(
            "SELECT term, doc FROM temp.cairn_vocabulary WHERE term >= ? AND term < ? LIMIT ?",
            (prefix, prefix + "\U0010ffff", limit),
        )
        return {str(word): int(count) for word, count in rows}

    def _known_frequencies(self, terms: Sequence[str]) -> dict[str, int | None]:
        """The same, None for terms of which only an upper bound is known."""
        counts = self.document_frequency(terms)
        return {term: None if term in self._phrases else count for term, count in counts.items()}

    def _count(self, token: str) -> int:
        self._ensure_helpers()
        found = self._db.execute(f"SELECT doc FROM temp.{self._vocabulary} WHERE term = ?", (token,))
        row = found.fetchone()
        return int(row[0]) if row else 0

    def _tokens(self, terms: list[str]) -> dict[str, list[str]]:
        """Each term's tokens, by the index's own tokenizer: a scratch index in ``temp`` parts them."""
        self._ensure_helpers()
        rows = [(row, storable(self._asked(term))) for row, term in enumerate(terms) if is_word(term)]
        self._db.executemany("INSERT INTO temp.cairn_scratch(rowid, term) VALUES (?, ?)", rows)
        found: dict[str, list[str]] = {}
        for token, row in self._db.execute("SELECT term, doc FROM temp.cairn_scratch_tokens"):
            found.setdefault(terms[row], []).append(token)
        self._db.execute("INSERT INTO temp.cairn_scratch(cairn_scratch) VALUES ('delete-all')")
        return found

    def _asked(self, term: str) -> str:
        """The text whose tokens a term is counted by."""
        return term

    def _ensure_helpers(self) -> None:
        for name, using in (
            (self._vocabulary, f"fts5vocab('main', '{self._table}', 'row')"),
            ("cairn_scratch", f'fts5(term, content = "", tokenize = "{self.tokenizer}")'),
            ("cairn_scratch_tokens", "fts5vocab('temp', 'cairn_scratch', 'instance')"),
        ):
            self._db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING {using}")


def _unreadable(error: sqlite3.DatabaseError) -> PackInvalid:
    return PackInvalid(
        f"The keyword index cannot be read: {error}.", hint="Verify the pack or install it again."
    )
