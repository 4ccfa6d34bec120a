"""Catalogues of archives, saved as a file: OPDS feeds of Kiwix mirrors, and Kiwix's ``library.xml``.

An OPDS entry is an Atom entry (RFC 4287) with Dublin Core terms and an acquisition link of type
``application/x-zim`` (OPDS 1.2, as kiwix-serve writes it); in ``library.xml`` a book is one element
with attributes, its size in KiB. Nothing of a catalogue is fetched: addresses are text to copy.

The file is anybody's. A document type, with which entities come, is refused; sizes, depth and
numbers have limits.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from xml.parsers import expat

from cairn.errors import CatalogueInvalid
from cairn.passages.languages import iso639_3
from cairn.passages.words import fold, words
from cairn.protocol import CatalogueEntry
from cairn.sources.archives.picked import PickedFiles, absent

MOST_BYTES = 64 * 1_048_576
MOST_ENTRIES = 50_000
MOST_TEXT = 2_000
"""Characters of one field that are kept."""

_DEEPEST = 64
_STEP = 262_144
_RIGHTS = ("rights", "license", "licence")
_TEXTS = frozenset({*_RIGHTS, "title", "summary", "content", "language", "updated", "issued"})
_NUMBERS = frozenset({"articleCount", "size"})
_PLAIN = frozenset({"name", "flavour", "tags", "category"})
_SCHEMES = ("http", "https", "ftp")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_APOSTROPHE = re.compile("['’]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Entry:
    """An archive of a catalogue; ``bytes`` and ``articles`` are 0 where it does not say.

    ``address`` is that of the archive's file, "" when there is none that begins with a known scheme.
    """

    title: str
    name: str  # as Kiwix names it: wikipedia_en_all
    flavour: str  # maxi, nopic, mini
    description: str
    languages: tuple[str, ...]  # ISO 639-3
    date: str
    publisher: str
    licence: str
    articles: int
    bytes: int
    address: str
    terms: str = field(repr=False)  # the folded words it is found by, a space before each

    def describe(self) -> CatalogueEntry:
        """What the page lists."""
        return CatalogueEntry(
            title=self.title,
            name=self.name,
            flavour=self.flavour,
            description=self.description,
            languages=list(self.languages),
            date=self.date,
            publisher=self.publisher,
            licence=self.licence,
            articles=self.articles,
            bytes=self.bytes,
            address=self.address,
        )


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What a catalogue file lists, in its order."""

    title: str
    date: str
    entries: tuple[Entry, ...]

    @property
    def languages(self) -> list[str]:
        """The languages of its archives, the commonest first."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            for code in entry.languages:
                counts[code] = counts.get(code, 0) + 1
        return sorted(counts, key=lambda code: (-counts[code], code))

    def search(self, query: str, language: str = "") -> list[Entry]:
        """Entries with every word of the query or one that begins like it; titles first."""
        wanted = _words(query)
        ranked = []
        for place, entry in enumerate(self.entries):
            if language and language not in entry.languages:
                continue
            if all(_has(entry.terms, word) for word in wanted):
                title = _terms(entry.title)
                ranked.append((-sum(_has(title, word) for word in wanted), place, entry))
        ranked.sort(key=lambda row: row[:2])
        return [entry for _, _, entry in ranked]


def read_catalogue(data: Iterator[bytes]) -> Iterator[Catalogue | None]:
    """Parse a file given in pieces; None after each piece, the catalogue at the end.

    Raises CatalogueInvalid for what is no catalogue, has a document type or passes a limit.
    """
    reader = _Reader()
    total = 0
    for piece in data:
        total += len(piece)
        if total > MOST_BYTES:
            raise _invalid(f"it is larger than {MOST_BYTES >> 20} MB")
        reader.feed(piece)
        yield None
    yield reader.finish()


async def open_catalogue(picked: PickedFiles, key: str) -> tuple[str, Catalogue]:
    """Name and content of a chosen catalogue file, which is let go of; raises CatalogueInvalid."""
    names = picked.names(key)
    if not names:
        raise absent("The catalogue")
    try:
        reader = picked.reader(key, 0)
        if reader.size > MOST_BYTES:
            raise _invalid(f"it is larger than {MOST_BYTES >> 20} MB")
        starts = range(0, reader.size, _STEP)
        for found in read_catalogue(reader.read(at, min(_STEP, reader.size - at)) for at in starts):
            await asyncio.sleep(0)  # a question gets its turn
            if found is not None:
                return names[0], found
        raise _invalid("it is empty")
    finally:
        picked.forget(key)


class _Reader:
    """Collects entries while expat walks the file; ``_path`` are the open elements' names."""

    def __init__(self) -> None:
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        self._path: list[str] = []
        self._fields: dict[str, str] | None = None  # of the open entry
        self._feed: dict[str, str] = {}
        self._text: list[str] = []
        self._entries: list[Entry] = []
        self._is_catalogue = False

    def feed(self, piece: bytes) -> None:
        self._parse(piece, final=False)

    def finish(self) -> Catalogue:
        self._parse(b"", final=True)
        if not self._is_catalogue:
            raise _invalid("it lists no archives as Kiwix catalogues do")
        date = _date(self._feed.get("updated", ""))
        return Catalogue(_clean(self._feed.get("title", "")), date, tuple(self._entries))

    def _parse(self, piece: bytes, *, final: bool) -> None:
        try:
            self._parser.Parse(piece, final)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise _invalid(f"line {error.lineno} is not well-formed XML ({reason})") from error
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            raise _invalid("its encoding is not known") from error

    def _refuse(self, *_: object) -> None:
        raise _invalid("it declares a document type, which a catalogue never needs")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self._path:
            self._is_catalogue = name in ("feed", "library")
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise _invalid("its elements lie too deep in each other")
        self._text = []
        if name == "entry":
            self._fields = {}
        elif name == "book" and len(self._path) == 2:
            self._add(_of_book(attributes))
        elif name == "link" and self._fields is not None:
            self._link(attributes)

    def _link(self, attributes: dict[str, str]) -> None:
        fields = self._fields
        if fields is None or "acquisition" not in attributes.get("rel", ""):
            return
        if "zim" in attributes.get("type", "") or ".zim" in attributes.get("href", ""):
            fields["address"] = attributes.get("href", "")
            fields["bytes"] = attributes.get("length", "")

    def _characters(self, text: str) -> None:
        if sum(map(len, self._text)) < MOST_TEXT:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        text, self._text = "".join(self._text), []
        if name == "entry" and self._fields is not None:
            self._add(self._fields)
            self._fields = None
        elif self._fields is not None and name in _TEXTS | _NUMBERS | _PLAIN:
            inside = self._path[-1] if self._path else ""
            key = "publisher" if inside in ("publisher", "author") and name == "name" else name
            # The publisher made the archive; the author only stands in where none is named.
            if inside != "author" or "publisher" not in self._fields:
                self._fields[key] = text
        elif self._fields is None and len(self._path) == 1 and name in ("title", "updated"):
            self._feed[name] = text

    def _add(self, fields: dict[str, str]) -> None:
        if len(self._entries) >= MOST_ENTRIES:
            raise _invalid(f"it lists more than {MOST_ENTRIES} archives")
        entry = _entry({key: _clean(value) for key, value in fields.items()})
        if entry.title:
            self._entries.append(entry)


def _of_book(attributes: dict[str, str]) -> dict[str, str]:
    """The same fields of a ``library.xml`` book."""
    fields = {key: attributes[key] for key in ("title", "name", "flavour", "tags") if key in attributes}
    return fields | {
        "language": attributes.get("language", ""),
        "summary": attributes.get("description", ""),
        "issued": attributes.get("date", ""),
        "publisher": attributes.get("publisher", "") or attributes.get("creator", ""),
        "articleCount": attributes.get("articleCount", ""),
        "bytes": str(_number(attributes.get("size", "")) * 1024),
        "address": attributes.get("url", ""),
    }


def _entry(fields: dict[str, str]) -> Entry:
    codes = (code.strip() for code in fields.get("language", "").split(","))
    languages = tuple(dict.fromkeys(iso639_3(code) for code in codes if code))
    title, name = fields.get("title", ""), fields.get("name", "")
    description = fields.get("summary", "") or fields.get("content", "")
    publisher, tags = fields.get("publisher", ""), fields.get("tags", "").replace("_", " ")
    texts = (title, name.replace("_", " "), description, publisher, tags, fields.get("category", ""))
    return Entry(
        title=title,
        name=name,
        flavour=fields.get("flavour", ""),
        description=description,
        languages=languages,
        date=_date(fields.get("issued", "") or fields.get("updated", "")),
        publisher=publisher,
        licence=next((fields[key] for key in _RIGHTS if fields.get(key)), ""),
        articles=_number(fields.get("articleCount", "")),
        bytes=_number(fields.get("bytes", "") or fields.get("size", "")),
        address=_address(fields.get("address", "")),
        terms=_terms("\n".join(texts)),
    )


def _address(href: str) -> str:
    """The address of the archive itself: mirrors link to a ``.meta4`` list of mirrors beside it."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    return href.removesuffix(".meta4") if parts.scheme.lower() in _SCHEMES and parts.netloc else ""


def _clean(text: str) -> str:
    return _SPACES.sub(" ", text[:MOST_TEXT]).strip()


def _date(text: str) -> str:
    match = _DATE.match(text.strip())
    return match[0] if match else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _words(text: str) -> list[str]:
    """Folded words, those behind an elided article too: ``l'encyclopédie``."""
    return [fold(word) for word in words(_APOSTROPHE.sub(" ", text))]


def _terms(text: str) -> str:
    return "".join(f" {word}" for word in dict.fromkeys(_words(text)))


def _has(terms: str, word: str) -> bool:
    return f" {word}" in terms


def _invalid(why: str) -> CatalogueInvalid:
    return CatalogueInvalid(
        f"This catalogue cannot be read: {why}.",
        hint="Save the catalogue of a Kiwix server again (its OPDS feed, or library.xml).",
    )
