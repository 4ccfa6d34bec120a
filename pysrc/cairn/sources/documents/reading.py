"""A document's units, one after the other, from wherever its import was left.

Most kinds are read as a whole and cut; text files above :data:`WHOLE` are decoded as they are cut,
so that their size does not matter; PDFs are read page by page.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from cairn.sources.archives.reader import ByteReader
from cairn.sources.documents.cutting import good_end
from cairn.sources.documents.pdf import PdfReader
from cairn.sources.documents.pdf_layout import Pages, page_text
from cairn.sources.documents.readers import docx, epub, html, odt, plain
from cairn.sources.documents.readers.encodings import SAMPLE, encoding_of
from cairn.sources.documents.readers.guard import unreadable
from cairn.sources.documents.text import UNIT_CHARACTERS, Extracted, Kind, Unit

WHOLE = 32 << 20
"""Bytes of a text file up to which it is read at once."""

MOST_PACKED = 256 << 20
"""Bytes of a DOCX, ODT, EPUB or PDF that are read: they must fit in memory."""

PIECE = 1 << 20
PDF_UNIT_PAGES = 12
_TEXTS = ("txt", "md", "csv", "json")
_WHOLE_READERS: dict[Kind, Callable[[bytes, str], Awaitable[Extracted]]] = {
    "html": html.read_html,
    "docx": docx.read_docx,
    "odt": odt.read_odt,
    "epub": epub.read_epub,
}


@dataclass(slots=True)
class Facts:
    """What a file tells of itself; complete before the first unit comes."""

    title: str = ""
    language: str = ""
    notes: list[str] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)  # pages that are pictures without text
    total: int = 0  # pages, or characters (bytes of a text that is decoded as it goes)


@dataclass(slots=True)
class Reading:
    """One document being read. ``done`` and ``characters`` say how much of it is indexed already."""

    reader: ByteReader
    name: str
    kind: Kind
    pdf: PdfReader
    password: str = ""
    done: int = 0
    characters: int = 0
    facts: Facts = field(default_factory=Facts)

    async def units(self) -> AsyncGenerator[tuple[Unit, int], None]:
        """``(unit, done)`` in order; raises CairnError with a sentence for whatever is wrong."""
        if self.kind == "pdf":
            source = self._pdf()
        elif self.kind in _TEXTS and self.reader.size > WHOLE:
            source = self._stream()
        else:
            source = self._whole()
        async for unit, done in source:
            yield unit, done

    async def _whole(self) -> AsyncGenerator[tuple[Unit, int], None]:
        data = await self._bytes()
        if self.kind in _TEXTS:
            found = plain.read_plain(data, self.name, self.kind)
        else:
            found = await _WHOLE_READERS[self.kind](data, self.name)
        if not found.text.strip():
            raise unreadable(self.name, "there is no text in it")
        self.facts = Facts(found.title, found.language, list(found.notes), total=len(found.text))
        if self.kind == "csv":
            self.facts.title = ""
        start = self.characters
        while start < len(found.text):
            window = found.text[start : start + UNIT_CHARACTERS]
            end = start + (good_end(window) if len(found.text) - start > UNIT_CHARACTERS else len(window))
            yield Unit(found.text[start:end]), end
            start = end

    async def _bytes(self) -> bytes:
        if self.reader.size > MOST_PACKED:
            raise unreadable(self.name, f"it is larger than {MOST_PACKED >> 20} MB", "Split it into parts.")
        parts = []
        for start in range(0, self.reader.size, PIECE):
            parts.append(self.reader.read(start, min(PIECE, self.reader.size - start)))
            await asyncio.sleep(0)
        return b"".join(parts)

    async def _stream(self) -> AsyncGenerator[tuple[Unit, int], None]:
        size = self.reader.size
        encoding = encoding_of(self.reader.read(0, SAMPLE), self.name, whole=False)
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.facts = Facts(total=size)
        pending = ""
        skip = self.characters
        for at in range(0, size, PIECE):
            length = min(PIECE, size - at)
            pending += decoder.decode(self.reader.read(at, length), at + length == size)
            if at == 0 and self.kind == "md":
                self.facts.title = plain.title_of(pending)
            if skip:
                skip, pending = max(0, skip - len(pending)), pending[skip:]
            start = 0
            while len(pending) - start > UNIT_CHARACTERS:
                end = start + good_end(pending[start : start + UNIT_CHARACTERS])
                yield Unit(pending[start:end]), at
                start = end
            pending = pending[start:]
            await asyncio.sleep(0)
        if pending:
            yield Unit(pending), size

    async def _pdf(self) -> AsyncGenerator[tuple[Unit, int], None]:
        opened = await self.pdf.open(await self._bytes(), self.name, self.password)
        try:
            self.facts = Facts(opened.title, opened.language, total=opened.pages)
            pages = Pages(opened.outline)
            for number in range(self.done + 1, opened.pages + 1):
                page = await self.pdf.page(number)
                text = page_text(page)
                if not text and page.pictures:
                    self.facts.scanned.append(number)
                pages.add(number, text)
                await asyncio.sleep(0)
                ready = pages.unit(last=number == opened.pages, most=PDF_UNIT_PAGES)
                if ready is not None:
                    yield ready
        finally:
            await self.pdf.close()


def locator_base(kind: Kind, title: str, unit: Unit) -> str:
    """What stands as the place of passages that have no heading: the columns of a table."""
    if kind == "csv":
        return plain.columns_of(unit.text) or title
    return title


def page_ranges(pages: Iterable[int]) -> str:
    """Page numbers for people.

    >>> page_ranges([3, 4, 5, 9])
    '3–5, 9'
    """
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    return ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in ranges)
