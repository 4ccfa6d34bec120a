"""Threads and their turns in ``state.db``: what was asked, and the answer with its sources as it was.

A turn is one row. What is listed and searched stands in columns; the rest (result, settings, notes)
is one JSON record, and the debug panel's data another, both compressed by zlib, since passages of
text make most of their bytes. Passages are kept as they were when they were cited, with the SHA-256
of their text, so a thread reads the same after its source has changed or gone.

Search compares folded text (:func:`fold`) by substring: it needs no word borders, so it finds
Chinese and Japanese, and leaves no second copy of what was said in an index. SQLite 3.39's FTS5 has
no ``secure-delete``, so a deleted answer would stay readable in such an index.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cairn.storage.state import typed_errors

TITLE_CHARS = 80
LONGEST_TITLE = 200
SEARCH_TERMS = 8
"""Words of a search that are looked at."""


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A thread as it is listed; times in milliseconds since 1970."""

    id: str
    title: str
    named: bool  # by the person; else it is its first question
    created_ms: float
    changed_ms: float
    turns: int
    settings: dict[str, Any]
    match: str = ""  # of a search: the first question whose turn has the words


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A question and what became of it."""

    id: str
    position: int  # in its thread, from 0
    asked_ms: float
    question: str
    query: str
    answer: str  # what was shown: the written text, or the quotes
    ended: bool  # False: being answered, or the engine died meanwhile
    record: dict[str, Any]


def fold(text: str) -> str:
    """Text for comparing: compatibility forms, case and accents do not count, white space is one space."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return " ".join("".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf")).split())


def title_of(question: str) -> str:
    """A thread's name until the person gives it one: the start of its first question."""
    seen = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in question)
    line = " ".join(seen.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def shown(result: Mapping[str, Any]) -> str:
    """What a person read as the answer: the written text, or the quotes where none was written."""
    return str(result.get("text") or " ".join(quote["text"] for quote in result.get("quotes", ())))


class History:
    """Typed access to the threads of one connection.

    Every method raises StorageFull or StorageUnavailable where SQLite cannot go on.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """``connection`` has the schema of :mod:`cairn.storage.migrations` and no open transaction."""
        self._db = connection

    # --- writing ---------------------------------------------------------------------------------

    def begin(
        self,
        thread: str,
        turn: str,
        question: str,
        *,
        now: float,
        settings: Mapping[str, Any],
        record: Mapping[str, Any],
    ) -> None:
        """Write a question down before it is answered; the thread comes into being with its first.

        A turn that is there already (asked again, or edited) is replaced where it stands.
        ``settings`` are remembered for the thread's next question.
        """
        title = title_of(question)
        kept = json.dumps(dict(settings), ensure_ascii=False)
        with self._transaction():
            self._db.execute(
                "INSERT INTO threads (id, title, words, created_ms, changed_ms, settings)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " changed_ms = excluded.changed_ms, settings = excluded.settings",
                (thread, title, fold(title), now, now, kept),
            )
            self._db.execute(
                "INSERT INTO turns (id, thread, position, ended, asked_ms, words, question, query, answer,"
                " record) VALUES (?, ?, (SELECT ifnull(max(position) + 1, 0) FROM turns WHERE thread = ?),"
                " 0, ?, ?, ?, ?, '', ?) ON CONFLICT (id) DO UPDATE SET ended = 0,"
                " asked_ms = excluded.asked_ms, words = excluded.words, question = excluded.question,"
                " query = excluded.query, answer = '', record = excluded.record, debug = NULL",
                (turn, thread, thread, now, fold(question), question, question, _pack(record)),
            )
            self._db.execute(  # the first question was edited
                "UPDATE threads SET title = ?, words = ? WHERE id = ? AND NOT named"
                " AND (SELECT position FROM turns WHERE id = ?) = 0",
                (title, fold(title), thread, turn),
            )

    def save(
        self,
        turn: str,
        record: Mapping[str, Any],
        *,
        now: float,
        ended: bool,
        debug: Mapping[str, Any] | None = None,
    ) -> None:
        """Write down how far an answer is; nothing happens when its thread was deleted meanwhile."""
        result = record["result"]
        answer, query = shown(result), str(result.get("query", ""))
        with self._transaction():
            row = self._db.execute("SELECT thread, question FROM turns WHERE id = ?", (turn,)).fetchone()
            if row is None:
                return
            self._db.execute(
                "UPDATE turns SET ended = ?, words = ?, query = ?, answer = ?, record = ?,"
                " debug = ifnull(?, debug) WHERE id = ?",
                (
                    int(ended),
                    fold("\n".join((row[1], query, answer))),
                    query,
                    answer,
                    _pack({**record, "result": {**result, "citations": _hashed(result)}}),
                    _pack(debug) if debug else None,
                    turn,
                ),
            )
            self._db.execute("UPDATE threads SET changed_ms = ? WHERE id = ?", (now, row[0]))

    def rename(self, thread: str, title: str) -> bool:
        """Give a thread a name; say whether there is such a thread."""
        name = title_of(title)[:LONGEST_TITLE]
        with self._transaction():
            return bool(
                self._db.execute(
                    "UPDATE threads SET title = ?, words = ?, named = 1 WHERE id = ?",
                    (name, fold(name), thread),
                ).rowcount
            )

    def delete(self, thread: str) -> None:
        """Delete a thread with all its turns; their bytes are overwritten (``secure_delete``)."""
        with self._transaction():
            self._db.execute("DELETE FROM turns WHERE thread = ?", (thread,))
            self._db.execute("DELETE FROM threads WHERE id = ?", (thread,))

    def clear(self) -> None:
        """Delete every thread and rebuild the file without what they left."""
        with self._transaction():
            self._db.execute("DELETE FROM turns")
            self._db.execute("DELETE FROM threads")
        with typed_errors():
            self._db.execute("VACUUM")

    # --- reading ---------------------------------------------------------------------------------

    def count(self) -> int:
        """How many threads there are."""
        return int(self._rows("SELECT count(*) FROM threads")[0][0])

    def threads(self, query: str = "", *, offset: int = 0, limit: int = 50) -> list[ThreadRow]:
        """The latest threads first; with ``query`` those that have all its words in a turn or the title."""
        terms = fold(query).split()[:SEARCH_TERMS]
        has = " AND ".join("instr({0}.words, ?) > 0" for _ in terms)
        match = "''"
        where = ""
        values: list[Any] = []
        if terms:
            match = (
                "(SELECT question FROM turns AS t WHERE t.thread = h.id AND "
                + has.format("t")
                + " ORDER BY position LIMIT 1)"
            )
            where = (
                f" WHERE ({has.format('h')}) OR id IN (SELECT thread FROM turns AS t WHERE {has.format('t')})"
            )
            values = [*terms, *terms, *terms]
        rows = self._rows(
            f"SELECT id, title, named, created_ms, changed_ms,"
            f" (SELECT count(*) FROM turns WHERE thread = h.id), settings, {match}"
            f" FROM threads AS h{where} ORDER BY changed_ms DESC, id LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [_thread(row) for row in rows]

    def thread(self, thread: str) -> ThreadRow | None:
        """One thread, or None."""
        rows = self._rows(
            "SELECT id, title, named, created_ms, changed_ms,"
            " (SELECT count(*) FROM turns WHERE thread = h.id), settings, '' FROM threads AS h WHERE id = ?",
            (thread,),
        )
        return _thread(rows[0]) if rows else None

    def turns(self, thread: str, *, before: int | None = None, limit: int = 10) -> list[TurnRow]:
        """The last turns, or the last before a position; in their order."""
        rows = self._rows(
            "SELECT id, position, asked_ms, question, query, answer, ended, record FROM turns"
            " WHERE thread = ? AND position < ? ORDER BY position DESC LIMIT ?",
            (thread, 2**53 if before is None else before, limit),
        )
        return [_turn(row) for row in reversed(rows)]

    def position(self, turn: str) -> int | None:
        """Where a turn stands in its thread, or None."""
        rows = self._rows("SELECT position FROM turns WHERE id = ?", (turn,))
        return int(rows[0][0]) if rows else None

    def debug(self, turn: str) -> dict[str, Any]:
        """What the debug panel shows of a turn; empty when there is nothing."""
        rows = self._rows("SELECT debug FROM turns WHERE id = ? AND debug IS NOT NULL", (turn,))
        return _unpack(rows[0][0]) if rows else {}

    # --- internals -------------------------------------------------------------------------------

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with typed_errors():
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with typed_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _hashed(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**citation, "sha256": hashlib.sha256(citation["text"].encode()).hexdigest()}
        for citation in result.get("citations", ())
    ]


def _thread(row: Sequence[Any]) -> ThreadRow:
    return ThreadRow(row[0], row[1], bool(row[2]), row[3], row[4], row[5], json.loads(row[6]), row[7] or "")


def _turn(row: Sequence[Any]) -> TurnRow:
    return TurnRow(row[0], row[1], row[2], row[3], row[4], row[5], bool(row[6]), _unpack(row[7]))


def _pack(value: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _unpack(packed: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(packed))
    return value
