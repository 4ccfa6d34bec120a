"""The person's collections as the library has them: opened, changed, imported into, searched.

One task imports and one embeds, each while there is something to do. What they need of the device
(files, the PDF reader, libraries) comes through ports.
"""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cairn.errors import CairnError, DocumentNotFound, InvalidRequest
from cairn.models.ports import Embedder
from cairn.protocol import CollectionInfo, DocumentInfo, OriginalPart, PassageList, SourceInfo
from cairn.sources.archives.picked import NothingPicked, PickedFiles, absent
from cairn.sources.documents import originals
from cairn.sources.documents.adding import Added, Bytes, Given, Intake, Told
from cairn.sources.documents.database import LibraryDatabase, insert_document, update_document
from cairn.sources.documents.embedding import Embedding
from cairn.sources.documents.importing import Importer
from cairn.sources.documents.kinds import safe_path
from cairn.sources.documents.listing import collection_info, document_info, passage_infos
from cairn.sources.documents.pdf import NoPdfReader, PdfReader
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.schema import table
from cairn.sources.documents.source import CollectionSource
from cairn.sources.documents.text import Headings
from cairn.sources.documents.writing import discard
from cairn.sources.types import OWN_DOCUMENTS
from cairn.storage.ports import Files

FIRST_NAME = "My documents"
LONGEST_NAME = 120
LONGEST_DESCRIPTION = 2_000
MOST_PASTED = 8_000_000
"""Characters of a text that is pasted."""

What = Literal["progress", "state", "library"]
"""What changed: how far an import is; what a task or the person does; what can be found."""

Changed = Callable[[str, What], None]
"""``changed(collection id, what)``; it may be told of the same often."""


async def at_once() -> None:
    """Wait for nothing."""


def unsure(text: str) -> str:
    """A language that nobody looks for."""
    return "und"


@dataclass(slots=True)
class OwnDocuments:
    """Collections by id. :meth:`open` first; :meth:`start` once the engine answers."""

    files: Files
    now: Callable[[], float]
    quiet: Callable[[], Awaitable[None]] = at_once
    picked: PickedFiles = field(default_factory=NothingPicked)
    pdf: PdfReader = field(default_factory=NoPdfReader)
    prepare: Callable[[], Awaitable[None]] = at_once
    language_of: Callable[[str], str] = unsure
    changed: Changed = lambda collection, what: None
    sources: dict[str, CollectionSource] = field(default_factory=dict)
    problem: CairnError | None = None  # why there is no database
    stopped: BaseException | None = None  # what ended a task
    embedder: Embedder | None = None
    _database: LibraryDatabase | None = None
    _importer: Importer | None = None
    _embedding: Embedding | None = None
    _importing: asyncio.Task[None] | None = None
    _embeds: asyncio.Task[None] | None = None

    # --- life cycle ------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open ``library.db``; a database that cannot be opened is :attr:`problem`, not raised."""
        try:
            database = await LibraryDatabase.open(self.files)
        except CairnError as error:
            self.problem = error
            return
        self._database = database
        self._importer = Importer(
            self.files, database, self.pdf, self.now, self.prepare, self.language_of, self._progressed
        )
        self._embedding = Embedding(database, self.quiet, self._embedded)
        for collection in database.collections():
            self.sources[collection.id] = CollectionSource(database, collection)

    async def start(self) -> None:
        """Go on with what was left: lost copies are named, orphans removed, the queue runs."""
        if self._database is None:
            return
        Intake(self.files, self._database, self.now).interrupted()
        wanted = {sha256 for (sha256,) in self._database.rows("SELECT DISTINCT original FROM documents")}
        await originals.remove_orphans(self.files, wanted)
        self.go_on()

    def close(self) -> None:
        """Stop the tasks and close the database; what was committed is kept."""
        for task in (self._importing, self._embeds):
            if task is not None:
                task.cancel()
        if self._database is not None:
            self._database.close()
        self.sources.clear()
        self._database = None

    @property
    def database(self) -> LibraryDatabase:
        """The open database; raises the reason why there is none."""
        if self._database is None:
            raise self.problem or DocumentNotFound("Your documents are not open yet.")
        return self._database

    @property
    def importer(self) -> Importer:
        """The queue; raises as :attr:`database`."""
        if self._importer is None:
            raise self.problem or DocumentNotFound("Your documents are not open yet.")
        return self._importer

    # --- collections -----------------------------------------------------------------------------

    def get(self, collection_id: str) -> CollectionSource:
        """A collection; raises DocumentNotFound, or why none could be opened."""
        source = self.sources.get(collection_id)
        if source is not None:
            return source
        if self.problem is not None:
            raise self.problem
        raise DocumentNotFound("This collection is not in the library.", hint="It may have been deleted.")

    def create(self, name: str, description: str = "") -> CollectionInfo:
        """A new, empty collection; raises InvalidRequest for a name that is none."""
        collection = self.database.add_collection(
            OWN_DOCUMENTS + secrets.token_hex(6), _name(name), description[:LONGEST_DESCRIPTION], self.now()
        )
        self.sources[collection.id] = CollectionSource(self.database, collection)
        self.changed(collection.id, "library")
        return self.info(collection.id)

    def first(self) -> CollectionSource:
        """Where documents go that name no collection: the first one, which is made if need be."""
        if not self.sources:
            self.create(FIRST_NAME)
        return next(iter(self.sources.values()))

    def change(self, collection_id: str, *, name: str | None, description: str | None) -> CollectionInfo:
        """Rename or describe a collection."""
        collection = self.get(collection_id).collection
        values: dict[str, str] = {}
        if name is not None:
            values["name"] = collection.name = _name(name)
        if description is not None:
            values["description"] = collection.description = description[:LONGEST_DESCRIPTION]
        self.database.change_collection(collection.number, **values)
        self.changed(collection_id, "library")
        return self.info(collection_id)

    async def remove_collection(self, collection_id: str) -> None:
        """Delete a collection with its documents and, unless others need them, their files."""
        source = self.get(collection_id)
        await self.quiet()
        self.database.remove_collection(source.collection.number)
        self.sources.pop(collection_id, None)
        self.changed(collection_id, "library")
        await self._forget_originals()

    def info(self, collection_id: str) -> CollectionInfo:
        """What the page lists of a collection."""
        source = self.get(collection_id)
        model, info = source.vector_model, self.embedder.info if self.embedder else None
        same = (
            model is None
            or info is None
            or (model.id, model.revision, model.dimensions) == (info.id, info.revision, info.dimensions)
        )
        return collection_info(self.database, source, self.importer, comparable=same)

    def passages(self, collection_id: str, document_id: str, offset: int, limit: int) -> PassageList:
        """A stretch of a document's passages; raises DocumentNotFound."""
        source = self.get(collection_id)
        row = source.row(document_id)
        return PassageList(
            document=document_info(row),
            total=row.passages,
            passages=passage_infos(self.database, source, row, offset, limit),
        )

    async def original(self, collection_id: str, document_id: str, offset: int, length: int) -> OriginalPart:
        """Bytes of a document's file; raises DocumentNotFound or StorageUnavailable."""
        row = self.get(collection_id).row(document_id)
        data = await originals.read(self.files, row.original, offset, length)
        return OriginalPart(
            name=row.name,
            kind=row.kind,
            sha256=row.original,
            bytes=row.bytes,
            offset=offset,
            data=b64encode(data).decode("ascii"),
        )

    def source_infos(self) -> list[SourceInfo]:
        """The collections as sources."""
        return [source.describe() for source in self.sources.values()]

    def infos(self) -> list[CollectionInfo]:
        """What the page lists of every collection."""
        return [self.info(name) for name in self.sources]

    # --- documents -------------------------------------------------------------------------------

    async def add(self, collection_id: str, key: str, told: Told) -> Added:
        """Take in the chosen files of a key; the queue then works on them. Raises ArchiveAbsent."""
        paths = self.picked.paths(key)
        if not paths:
            raise absent("The file")
        try:
            given = [
                Given(path, lambda index=index: self.picked.reader(key, index))  # type: ignore[misc]
                for index, path in enumerate(paths)
            ]
            return await self._take(collection_id, given, told)
        finally:
            self.picked.forget(key)

    async def paste(self, collection_id: str, title: str, text: str) -> Added:
        """Take in a text that was typed or pasted; raises InvalidRequest when there is none."""
        if not text.strip():
            raise InvalidRequest("There is no text to add.", hint="Paste or type it first.")
        if len(text) > MOST_PASTED:
            raise InvalidRequest("The text is too long to paste.", hint="Save it as a file and add that.")
        first = title.strip() or next(line.strip() for line in text.splitlines() if line.strip())[:60]
        name = safe_path(first.replace("/", "-").replace("\\", "-"))
        data = text.encode("utf-8")
        return await self._take(collection_id, [Given(f"{name}.md", lambda: Bytes(data))], _nobody)

    async def _take(self, collection_id: str, given: Sequence[Given], told: Told) -> Added:
        source = self.get(collection_id)
        try:
            added = await Intake(self.files, self.database, self.now).add(source.collection, given, told)
        finally:
            self._visible(source)
        self.importer.paused = False
        self.go_on()
        return added

    def documents(self, collection_id: str, offset: int, limit: int) -> list[DocumentInfo]:
        """Documents of a collection by path, some at a time."""
        number = self.get(collection_id).collection.number
        rows = self.database.rows(
            "SELECT number FROM documents WHERE collection = ? ORDER BY path, number LIMIT ? OFFSET ?",
            (number, limit, offset),
        )
        current = self.importer.current
        return [document_info(self.database.document(row), current) for (row,) in rows]

    def _numbered(self, collection_id: str, numbers: Sequence[int]) -> list[DocumentRow]:
        collection = self.get(collection_id).collection
        rows = [self.database.document(number) for number in numbers]
        if any(row.collection != collection.number for row in rows):
            raise DocumentNotFound("This document is in another collection.")
        return rows

    async def remove(self, collection_id: str, numbers: Sequence[int]) -> None:
        """Delete documents: gone from every search at once, and then from the disk."""
        rows = self._numbered(collection_id, numbers)
        with self.database.transaction() as db:
            for row in rows:
                discard(db, row.number, row.collection)
        self._visible(self.get(collection_id))
        await self._forget_originals()
        self.go_on()

    def rename(self, collection_id: str, number: int, title: str) -> DocumentInfo:
        """Give a document another title; its passages are found by it."""
        [row] = self._numbered(collection_id, [number])
        clean = " ".join(title.split())[:200]
        if not clean:
            raise InvalidRequest("A title needs at least one letter.")
        with self.database.transaction() as db:
            update_document(db, number, title=clean, renamed=1)
            db.execute(
                f"UPDATE {table(row.collection)} SET title = ?"
                " WHERE rowid IN (SELECT row FROM places WHERE document = ?)",
                (clean, number),
            )
        self._visible(self.get(collection_id))
        return document_info(self.database.document(number))

    def move(self, collection_id: str, numbers: Sequence[int], target_id: str) -> None:
        """Move documents to another collection, where they are indexed anew from their originals."""
        rows = self._numbered(collection_id, numbers)
        target = self.get(target_id).collection
        if target_id == collection_id:
            return
        for row in rows:
            fresh = _again(row, target)
            twin = self.database.documents("collection = ? AND path = ?", (target.number, row.path))
            if twin:
                raise InvalidRequest(
                    f"“{target.name}” already has “{row.path}”.", hint="Rename or delete one of the two."
                )
            with self.database.transaction() as db:
                insert_document(db, fresh)
                discard(db, row.number, row.collection)
        self._visible(self.get(collection_id))
        self._visible(self.get(target_id))
        self.go_on()

    def retry(self, collection_id: str, number: int, password: str = "") -> None:
        """Put a failed document back into the queue; a password is used once and not stored."""
        [row] = self._numbered(collection_id, [number])
        if row.status != "failed":
            return
        if not row.original:
            raise DocumentNotFound(f"“{row.name}” was never copied.", hint="Add the file again.")
        if password:
            self.importer.passwords[number] = password
        self.database.change_document(number, status="pending", reason="", hint="", code="")
        self.importer.paused = False
        self._visible(self.get(collection_id))
        self.go_on()

    async def cancel(self, collection_id: str) -> None:
        """Take everything out of the queue that is not finished; finished documents stay."""
        number = self.get(collection_id).collection.number
        rows = self.database.documents("collection = ? AND status = 'pending'", (number,))
        await self.remove(collection_id, [row.number for row in rows])

    def pause(self) -> None:
        """Stop after the unit that is worked on."""
        self.importer.paused = True
        self._tell_state()

    def resume(self) -> None:
        """Go on where it was stopped."""
        self.importer.paused = False
        self._tell_state()
        self.go_on()

    # --- the tasks -------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Import and embed what waits, each in a task of its own."""
        if self._database is None or self._importer is None:
            return
        if self._importing is None or self._importing.done():
            self._importing = asyncio.ensure_future(self._importer.run())
            self._importing.add_done_callback(self._ended)

    def embed(self, embedder: Embedder) -> None:
        """An embedder is there: give vectors to what has none, now and whenever something is imported."""
        self.embedder = embedder
        if self._embedding is None or (self._embeds is not None and not self._embeds.done()):
            return
        if not any(source.missing_vectors for source in self.sources.values()):
            return
        work = self._embedding.run(embedder, lambda: list(self.sources.values()))
        self._embeds = asyncio.ensure_future(work)
        self._embeds.add_done_callback(self._ended)

    async def settled(self) -> None:
        """Return when both tasks have nothing to do."""
        while True:
            tasks = [task for task in (self._importing, self._embeds) if task is not None and not task.done()]
            if not tasks:
                return
            await asyncio.wait(tasks)
            await asyncio.sleep(0)

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.stopped = error
        self._tell_state()

    def _progressed(self, document: DocumentRow | None, visible: bool) -> None:
        for source in list(self.sources.values()):
            if document is None or source.collection.number == document.collection:
                if visible:
                    self._visible(source)
                else:
                    self.changed(source.id, "progress")
        if visible and self.embedder is not None and self.embedder.info is not None:
            self.embed(self.embedder)

    def _embedded(self) -> None:
        for name in self.sources:
            self.changed(name, "progress")

    def _visible(self, source: CollectionSource) -> None:
        source.changed()
        self.changed(source.id, "library")

    def _tell_state(self) -> None:
        if self._database is not None:
            for name in list(self.sources):
                self.changed(name, "state")

    async def _forget_originals(self) -> None:
        """Delete the files that no document needs any more."""
        rows = self.database.rows(
            "SELECT sha256 FROM originals WHERE sha256 NOT IN (SELECT original FROM documents)"
        )
        for (sha256,) in rows:
            await self.files.remove(originals.FOLDER + sha256)
            with self.database.transaction() as db:
                db.execute("DELETE FROM originals WHERE sha256 = ?", (sha256,))


def _nobody(done: int, total: int, path: str) -> None:
    """Progress that nobody watches."""


def _name(raw: str) -> str:
    name = " ".join(raw.split())[:LONGEST_NAME]
    if not name:
        raise InvalidRequest("A collection needs a name.")
    return name


def _again(row: DocumentRow, target: Collection) -> DocumentRow:
    """The record of a document that is imported anew into another collection."""
    return DocumentRow(
        number=0,
        id=row.id,
        collection=target.number,
        path=row.path,
        title=row.title,
        renamed=row.renamed,
        kind=row.kind,
        language="und",
        original=row.original,
        bytes=row.bytes,
        status="pending" if row.original else "failed",
        reason=row.reason if not row.original else "",
        hint=row.hint,
        code="",
        done=0,
        total=0,
        characters=0,
        passages=0,
        headings=Headings(),
        text_sha256="",
        batch=row.batch,
        added_ms=row.added_ms,
        changed_ms=row.changed_ms,
    )
