"""The queue: every document that is ``pending`` and was copied is read, cut and indexed, one after the other.

The state is in the database alone. A unit of a document is one transaction, so an engine that ends
at any point goes on from the last whole unit; the document becomes visible in the transaction that
completes it, which also replaces the version before it. One bad file never stops the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from cairn.errors import CairnError, DocumentUnreadable, StorageFull, StorageUnavailable
from cairn.passages.languages import iso639_3
from cairn.sources.documents import originals
from cairn.sources.documents.cutting import pieces
from cairn.sources.documents.database import LibraryDatabase, sweep, update_document
from cairn.sources.documents.pdf import PdfReader
from cairn.sources.documents.reading import Reading, locator_base, page_ranges
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.schema import table
from cairn.sources.documents.writing import DocumentWriter, Gone, discard, require
from cairn.storage.ports import Files


def no_text_on(pages: list[int]) -> str:
    """What the person is told of pages that are only pictures."""
    return f"No text on page{'s' if len(pages) > 1 else ''} {page_ranges(pages)} (pictures of text, a scan)."


def nothing_in(document: DocumentRow) -> DocumentUnreadable:
    """The error of a document without a single passage."""
    if document.scanned:
        pages = no_text_on(document.scanned)
        said = f"“{document.name}” is a scan: {pages[0].lower()}{pages[1:]}"
        return DocumentUnreadable(said, hint="Cairn cannot read pictures. Add a version that has text.")
    return DocumentUnreadable(f"There is no text in “{document.name}”.", hint="Nothing was imported from it.")


SWEPT = 64
"""Passages that are deleted in one transaction."""

HASHED = 256
LANGUAGE_SAMPLE = 1_500  # characters

Changed = Callable[[DocumentRow | None, bool], None]
"""``changed(document, visible)``: its import got further; with ``visible`` the library itself changed."""


@dataclass(slots=True)
class Importer:
    """Runs while there is something to do and nobody paused it."""

    files: Files
    database: LibraryDatabase
    pdf: PdfReader
    now: Callable[[], float]
    prepare: Callable[[], Awaitable[None]]  # makes the readers' libraries importable
    language_of: Callable[[str], str]  # ISO 639-3 of a text, "und" when unsure
    changed: Changed
    paused: bool = False
    current: int = 0  # number of the document that is worked on, 0 for none
    passwords: dict[int, str] = field(default_factory=dict)  # by document; used once, never stored

    async def run(self) -> None:
        """Import what is pending and sweep what is gone; returns when there is nothing to do."""
        while not self.paused:
            document = self._next()
            if document is not None:
                await self._import(document)
            elif not await self._sweep():
                return

    def _next(self) -> DocumentRow | None:
        found = self.database.documents(
            "number = (SELECT min(number) FROM documents WHERE status = 'pending' AND original <> '')"
        )
        return found[0] if found else None

    async def _import(self, document: DocumentRow) -> None:
        self.current = document.number
        try:
            self.changed(document, False)
            await self._read(document)
        except Gone:
            self.changed(None, True)
        except CairnError as error:
            self._fail(document, error)
        except (MemoryError, RecursionError) as error:
            name = document.name
            self._fail(
                document, CairnError(f"“{name}” is too large for this device ({type(error).__name__}).")
            )
        except Exception as error:  # noqa: BLE001  a file of any content: one must not stop the rest
            detail = f"{type(error).__name__}: {error}"[:200]
            self._fail(document, CairnError(f"“{document.name}” could not be imported ({detail})."))
        finally:
            self.current = 0
            self.passwords.pop(document.number, None)

    async def _read(self, document: DocumentRow) -> None:
        collection = self._collection(document.collection)
        name = originals.FOLDER + document.original
        if not await originals.is_stored(self.files, document.original, document.bytes):
            raise StorageUnavailable(
                f"The copy of “{document.name}” is not complete.", hint="Add the file again."
            )
        if document.kind in ("docx", "txt", "md", "csv", "json", "html", "epub"):
            await self.prepare()
        reader = originals.StoredReader(await self.files.ensure(name), document.name)
        reading = Reading(
            reader,
            document.name,
            document.kind,
            self.pdf,
            password=self.passwords.get(document.number, ""),
            done=document.done,
            characters=document.characters,
        )
        writer = DocumentWriter(self.database, collection, document)
        units = reading.units()
        try:
            async for unit, done in units:
                if document.characters == 0:
                    self._describe(document, reading, unit.text)
                headings = document.headings.copy()
                found = pieces(
                    unit,
                    locator_base(document.kind, document.title, unit),
                    headings,
                    title=document.title,
                    start=document.characters,
                    language=document.language,
                )
                scanned = reading.facts.scanned
                writer.add(found, headings, done=done, total=reading.facts.total, scanned=scanned)
                document.headings = headings
                self.changed(document, False)
                await asyncio.sleep(0)
                if self.paused:
                    return
        finally:
            await units.aclose()
            reader.close()
            await self.files.release(name)
        await self._complete(document, reading.facts.notes)

    def _describe(self, document: DocumentRow, reading: Reading, text: str) -> None:
        """Take title and language from the file, before its first passage is written."""
        facts = reading.facts
        title = " ".join(facts.title.split())
        if title and not document.renamed:
            document.title = title[:200]
        declared = iso639_3(facts.language) if facts.language else "und"
        document.language = self.language_of(text[:LANGUAGE_SAMPLE]) if declared == "und" else declared

    async def _complete(self, document: DocumentRow, notes: list[str]) -> None:
        """Check what was written, then show it and let the version before it go, in one transaction."""
        text_sha256 = await self._text_hash(document)
        if document.scanned:
            notes = [*notes, no_text_on(document.scanned)]
        if document.passages == 0:
            raise nothing_in(document)
        with self.database.transaction() as db:
            require(db, document)
            older = db.execute(
                "SELECT number FROM documents WHERE collection = ? AND id = ? AND number <> ?"
                " AND status = 'completed'",
                (document.collection, document.id, document.number),
            ).fetchall()
            for (number,) in older:
                discard(db, number, document.collection)
            update_document(
                db,
                document.number,
                status="completed",
                text_sha256=text_sha256,
                notes=notes,
                done=document.total,
                changed_ms=self.now(),
            )
        document.status = "completed"
        self.changed(document, True)

    async def _text_hash(self, document: DocumentRow) -> str:
        digest = hashlib.sha256()
        name = table(document.collection)
        for first in range(0, document.passages, HASHED):
            rows = self.database.rows(
                f"SELECT t.body FROM places p JOIN {name} t ON t.rowid = p.row"
                " WHERE p.document = ? AND p.ordinal >= ? AND p.ordinal < ? ORDER BY p.ordinal",
                (document.number, first, first + HASHED),
            )
            for (body,) in rows:
                digest.update(body.encode("utf-8", "surrogatepass"))
            await asyncio.sleep(0)
        return digest.hexdigest()

    def _fail(self, document: DocumentRow, error: CairnError) -> None:
        """Mark a document as failed; its file and its finished units stay, unseen, for a retry."""
        try:
            with self.database.transaction() as db:
                db.execute(
                    "UPDATE documents SET status = 'failed', reason = ?, hint = ?, code = ?"
                    " WHERE number = ? AND status = 'pending'",
                    (error.message, error.hint, error.code, document.number),
                )
        except (StorageFull, StorageUnavailable):
            self.paused = True  # not even that can be written: stop, and go on after the next start
        if isinstance(error, StorageFull):
            self.paused = True
        self.changed(document, False)

    def _collection(self, number: int) -> Collection:
        found = [one for one in self.database.collections() if one.number == number]
        if not found:
            raise Gone
        return found[0]

    async def _sweep(self) -> bool:
        """Delete some passages that nobody sees; False when there are none."""
        rows = self.database.rows("SELECT document, collection FROM gone LIMIT 1")
        if not rows:
            return False
        document, collection = rows[0]
        with self.database.transaction() as db:
            left = sweep(db, document, collection, SWEPT) == SWEPT
            if not left:
                db.execute("DELETE FROM gone WHERE document = ?", (document,))
        if not left:
            self.changed(None, True)
        await asyncio.sleep(0)
        return True
