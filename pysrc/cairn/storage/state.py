"""The one state database: settings and sources; threads beside them (:mod:`cairn.storage.history`).

Activating a source is one transaction (:meth:`State.put_source`): after a crash the old one or
the new one is there, never a mixture.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from cairn.errors import StorageFull, StorageUnavailable
from cairn.storage import migrations
from cairn.storage.ports import Files

STATE_FILE = "state.db"
SourceKind = Literal["pack", "archive", "documents"]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as recorded: what its format needs to open it again is in ``record``."""

    id: str
    kind: SourceKind
    version: str
    sha256: str
    record: dict[str, Any]
    active: bool = True
    added_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class JobRow:
    """Work that goes on after a restart; what its kind needs for that is in ``record``."""

    id: str
    kind: str
    record: dict[str, Any]
    cursor: int = 0
    added_ms: float = 0.0


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn sqlite3's exceptions into StorageFull or StorageUnavailable."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise StorageFull(
                "There is no room left to save to.",
                hint="Free some space on this device, then try again. Nothing was lost.",
                retryable=True,
            ) from error
        raise StorageUnavailable(
            f"Cairn's record of your library cannot be used ({error}).",
            hint="Reload the page. If it stays, remove this site's data in the browser and start again.",
        ) from error


class State:
    """Typed access to ``state.db``. Single connection, used from one thread.

    Every method raises StorageFull or StorageUnavailable where SQLite cannot go on.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @classmethod
    async def open(cls, files: Files) -> State:
        """Open (or create) and migrate the database; raises StorageUnavailable."""
        path = await files.ensure(STATE_FILE, companions=(STATE_FILE + "-journal",))
        with typed_errors():
            connection = sqlite3.connect(path, isolation_level=None)
            try:
                cls._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return cls(connection)

    @staticmethod
    def _prepare(connection: sqlite3.Connection) -> None:
        # The journal file exists ahead (creating one is asynchronous on OPFS), so it is emptied,
        # not deleted, at the end of a transaction.
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        migrations.apply(connection)

    @property
    def connection(self) -> sqlite3.Connection:
        """For other stores that keep their tables in this database (:mod:`cairn.storage.history`)."""
        return self._db

    def close(self) -> None:
        """Close the connection; the object is not used afterwards."""
        self._db.close()

    def setting(self, key: str, default: Any = None) -> Any:
        """A setting's JSON value, or ``default``."""
        rows = self._run("SELECT value FROM settings WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else default

    def set_setting(self, key: str, value: Any) -> None:
        """Store a setting as JSON."""
        self._run(
            "INSERT INTO settings (key, value) VALUES (?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, json.dumps(value, ensure_ascii=False)),
        )

    def sources(self) -> list[SourceRow]:
        """Every recorded source, by id."""
        rows = self._run(
            "SELECT id, kind, version, sha256, record, active, added_ms FROM sources ORDER BY id"
        )
        return [SourceRow(r[0], r[1], r[2], r[3], json.loads(r[4]), bool(r[5]), r[6]) for r in rows]

    def source(self, source_id: str) -> SourceRow | None:
        """One recorded source, or None."""
        return next((row for row in self.sources() if row.id == source_id), None)

    def put_source(self, row: SourceRow, *, ends_job: str = "") -> None:
        """Record a source, replacing an older version of it, in one transaction.

        The job that brought it ends in the same transaction.
        """
        with self._transaction():
            self._put_source(row)
            if ends_job:
                self.remove_job(ends_job)

    def _put_source(self, row: SourceRow) -> None:
        self._run(
            "INSERT INTO sources (id, kind, version, sha256, record, active, added_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind,"
            " version = excluded.version, sha256 = excluded.sha256, record = excluded.record,"
            " active = excluded.active, added_ms = excluded.added_ms",
            (
                row.id,
                row.kind,
                row.version,
                row.sha256,
                json.dumps(row.record, ensure_ascii=False, sort_keys=True),
                int(row.active),
                row.added_ms,
            ),
        )

    def remove_source(self, source_id: str) -> None:
        """Forget a source; its files are removed afterwards ("metadata before bytes")."""
        self._run("DELETE FROM sources WHERE id = ?", (source_id,))

    def switch_source(self, source_id: str, active: bool) -> None:
        """Ask a source from now on, or leave it out."""
        self._run("UPDATE sources SET active = ? WHERE id = ?", (int(active), source_id))

    def jobs(self, kind: str) -> list[JobRow]:
        """The unfinished jobs of a kind, oldest first."""
        rows = self._run(
            "SELECT id, kind, record, cursor, added_ms FROM jobs WHERE kind = ? ORDER BY added_ms, id",
            (kind,),
        )
        return [JobRow(r[0], r[1], json.loads(r[2]), r[3], r[4]) for r in rows]

    def put_job(self, row: JobRow) -> None:
        """Record a job, replacing what was recorded of it."""
        self._run(
            "INSERT INTO jobs (id, kind, record, cursor, added_ms) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET record = excluded.record, cursor = excluded.cursor",
            (row.id, row.kind, json.dumps(row.record, ensure_ascii=False), row.cursor, row.added_ms),
        )

    def remove_job(self, job_id: str) -> None:
        """Forget a job; its files are removed afterwards."""
        self._run("DELETE FROM jobs WHERE id = ?", (job_id,))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                self._run("ROLLBACK")
            raise

    def _run(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """One statement is one transaction."""
        with typed_errors():
            return self._db.execute(sql, values).fetchall()
