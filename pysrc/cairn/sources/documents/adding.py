"""Files into the library: listed first, then copied one by one, then left to the queue.

Everything that was chosen is recorded before the first byte is copied, so that nothing is lost
without a word: a file that was not reached is listed as failed with its reason. A ZIP of files is
taken apart; a folder keeps its structure in the paths.
"""

from __future__ import annotations

import asyncio
import posixpath
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cairn.errors import CairnError, StorageFull
from cairn.sources.archives.reader import ByteReader
from cairn.sources.documents import originals
from cairn.sources.documents.database import LibraryDatabase, update_document
from cairn.sources.documents.kinds import (
    BY_ENDING,
    HEAD,
    ending_of,
    is_ignored,
    kind_of,
    kind_of_zip,
    safe_path,
    title_from,
)
from cairn.sources.documents.readers.guard import Members, unreadable
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.text import Headings, Kind
from cairn.sources.documents.writing import discard
from cairn.sources.seekable import as_file
from cairn.storage.ports import Files

MOST_ZIP = 4 << 30
MOST_FILES = 20_000
MOST_MEMBER = 256 << 20
SAME_FOLDER = 0.5
"""Share of a folder's known files that must come again before missing ones count as deleted."""

INTERRUPTED = "Cairn was closed before this file was copied."


class Bytes:
    """Bytes in memory as a reader."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes."""
        return self._data[offset : offset + length]


@dataclass(frozen=True, slots=True)
class Given:
    """A file to add: where it stood, and how to read it."""

    path: str
    open: Callable[[], ByteReader]


@dataclass(slots=True)
class Added:
    """What became of the files that were added; the queue does the rest."""

    batch: int
    accepted: int = 0
    skipped: int = 0
    failed: int = 0
    removed: list[str] = field(default_factory=list)  # paths that are no longer in their folder


class Told(Protocol):
    """Is told how far the copying is."""

    def __call__(self, done: int, total: int, path: str) -> None:
        """``done`` of ``total`` files are copied; ``path`` is the one that is worked on."""


@dataclass(slots=True)
class Intake:
    """Adds files to a collection."""

    files: Files
    database: LibraryDatabase
    now: Callable[[], float]

    async def add(self, collection: Collection, given: Sequence[Given], told: Told) -> Added:
        """Copy and record; every fault of a single file is recorded with it, not raised.

        Raises StorageUnavailable or StorageFull when not even the record can be written.
        """
        self._forget_skipped(collection)
        added = Added(self.database.next_batch())
        pending = [self._listed(collection, one, added.batch) for one in given if not is_ignored(one.path)]
        openers = [one.open for one in given if not is_ignored(one.path)]
        self.database.add_documents(pending)
        full: CairnError | None = None
        for index, (row, open_reader) in enumerate(zip(pending, openers, strict=True)):
            told(index, len(pending), row.path)
            if full is not None:
                self._fail(row, full, added)
                continue
            try:
                await self._take(collection, row, open_reader(), added)
            except StorageFull as error:
                full = error
                self._fail(row, error, added)
            except CairnError as error:
                self._fail(row, error, added)
            except (OSError, ValueError, MemoryError) as error:
                fault = unreadable(row.name, f"{type(error).__name__}: {error}"[:160])
                self._fail(row, fault, added)
        told(len(pending), len(pending), "")
        added.removed = self._remove_missing(collection, added.batch)
        return added

    def interrupted(self) -> None:
        """At the start: files that were listed but never copied are failed, with the reason."""
        rows = self.database.documents("status = 'pending' AND original = ''")
        for row in rows:
            self.database.change_document(
                row.number, status="failed", reason=f"“{row.name}”: {INTERRUPTED}", hint="Add it again."
            )

    def _listed(self, collection: Collection, given: Given, batch: int) -> DocumentRow:
        path = safe_path(given.path)
        now = self.now()
        return DocumentRow(
            number=0,
            id=secrets.token_hex(8),
            collection=collection.number,
            path=path,
            title=title_from(path),
            renamed=False,
            kind=BY_ENDING.get(ending_of(path), "txt"),
            language="und",
            original="",
            bytes=0,
            status="pending",
            reason="",
            hint="",
            code="",
            done=0,
            total=0,
            characters=0,
            passages=0,
            headings=Headings(),
            text_sha256="",
            batch=batch,
            added_ms=now,
            changed_ms=now,
        )

    async def _take(self, collection: Collection, row: DocumentRow, reader: ByteReader, added: Added) -> None:
        kind = kind_of(reader.read(0, min(HEAD, reader.size)), row.path)
        if kind is None:
            members = Members(as_file(reader), row.name, MOST_ZIP)
            kind = kind_of_zip(members)
            if kind is None:
                await self._take_members(collection, row, members, added)
                return
        await self._keep(row, kind, reader, added)

    async def _take_members(
        self, collection: Collection, row: DocumentRow, members: Members, added: Added
    ) -> None:
        """A plain ZIP: each of its files is a document of its own, and the ZIP itself is none."""
        names = [name for name in members.names if not is_ignored(name)]
        if len(names) > MOST_FILES:
            raise unreadable(row.name, f"it holds {len(names)} files", "Add them in smaller parts.")
        if not names:
            raise unreadable(row.name, "there are no files in it")
        listed = [
            self._listed(collection, Given(posixpath.join(row.path, name), lambda: Bytes(b"")), added.batch)
            for name in names
        ]
        with self.database.transaction() as db:
            db.execute("DELETE FROM documents WHERE number = ?", (row.number,))
        self.database.add_documents(listed)
        for inner, name in zip(listed, names, strict=True):
            try:
                data = members.read(name, MOST_MEMBER)
                kind = kind_of(data[:HEAD], inner.path)
                if kind is None:
                    kind = kind_of_zip(Members(data, inner.name))
                if kind is None:
                    raise unreadable(inner.name, "it is a ZIP inside a ZIP", "Unpack it, then add it.")
                await self._keep(inner, kind, Bytes(data), added)
            except StorageFull:
                raise
            except CairnError as error:
                self._fail(inner, error, added)
            await asyncio.sleep(0)

    async def _keep(self, row: DocumentRow, kind: Kind, reader: ByteReader, added: Added) -> None:
        """Copy a file under its hash and put it into the queue, unless it is known already."""
        sha256 = await originals.hash_of(reader)
        known = self.database.documents(
            "collection = ? AND number <> ? AND status <> 'skipped' AND (path = ? OR original = ?)",
            (row.collection, row.number, row.path, sha256),
        )
        here = [one for one in known if one.path == row.path]
        same = next((one for one in here if one.original == sha256 and one.status != "failed"), None)
        twin = next((one for one in known if one.original == sha256 and one.status != "failed"), None)
        if same is not None or twin is not None:
            reason = (
                "Unchanged since it was added."
                if same
                else f"The same file as “{twin.path}”."
                if twin
                else ""
            )
            self.database.change_document(
                row.number, status="skipped", reason=reason, original=sha256, bytes=reader.size, kind=kind
            )
            added.skipped += 1
            return
        if not await originals.is_stored(self.files, sha256, reader.size):
            await originals.store(self.files, reader, sha256, row.name)
        older = next((one for one in here if one.status == "completed"), None)
        with self.database.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO originals (sha256, bytes, added_ms) VALUES (?, ?, ?)",
                (sha256, reader.size, self.now()),
            )
            for one in here:
                if one.status != "completed":
                    discard(db, one.number, one.collection)
            values = {"original": sha256, "bytes": reader.size, "kind": kind}
            if older is not None:
                # The new version takes the place of the old one when it is complete.
                values |= {"id": older.id}
                if older.renamed:
                    values |= {"title": older.title, "renamed": 1}
            update_document(db, row.number, **values)
        added.accepted += 1

    def _fail(self, row: DocumentRow, error: CairnError, added: Added) -> None:
        self.database.change_document(
            row.number, status="failed", reason=error.message, hint=error.hint, code=error.code
        )
        added.failed += 1

    def _forget_skipped(self, collection: Collection) -> None:
        with self.database.transaction() as db:
            db.execute(
                "DELETE FROM documents WHERE collection = ? AND status = 'skipped'", (collection.number,)
            )

    def _remove_missing(self, collection: Collection, batch: int) -> list[str]:
        """A folder that was added again: what is no longer in it goes.

        Only where most of its known files came again: another folder of the same name is no reason.
        """
        rows = self.database.documents("collection = ? AND path LIKE '%/%'", (collection.number,))
        folders: dict[str, list[DocumentRow]] = {}
        for row in rows:
            folders.setdefault(row.path.partition("/")[0], []).append(row)
        removed: list[str] = []
        for members in folders.values():
            came = {row.path for row in members if row.batch == batch}
            before = [row for row in members if row.batch != batch and row.status == "completed"]
            missing = [row for row in before if row.path not in came]
            if not missing or len(missing) > (1 - SAME_FOLDER) * len(before):
                continue
            with self.database.transaction() as db:
                for row in missing:
                    discard(db, row.number, row.collection)
            removed += [row.path for row in missing]
        return removed
