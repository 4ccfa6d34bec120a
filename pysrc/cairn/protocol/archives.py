"""Archives: adding, copying, removing, reading."""

from __future__ import annotations

from typing import Literal, TypedDict

from cairn.protocol.jsonrpc import Methods


class ArchiveInfo(TypedDict):
    """What the page shows of an archive beyond what every source has."""

    state: Literal["open", "absent", "failed"]  # absent: its file must be chosen again
    place: Literal["picked", "stored"]  # where its bytes are: the person's file, or a copy in Cairn
    key: str  # names the chosen files between page and engine, "" for a stored copy
    name: str  # of the file
    mode: Literal["xapian-full-text", "title-only"]
    date: str
    publisher: str
    copied: int  # bytes of an unfinished copy, 0 for none
    problem: str  # one sentence, with the next step


class ArticleResult(TypedDict):
    """Result of ``archives.article``: a page of an archive as it is in there, not yet made safe."""

    source: str
    source_title: str
    path: str  # the page's own, redirects followed
    base: str  # what links in it are relative to; a resolved link is a path for these methods
    title: str
    kind: Literal["html", "text", "image", "other"]
    mime: str
    html: str  # kind "html": the page; kind "text": the text; else ""
    language: str  # ISO 639-3
    date: str
    publisher: str
    licence: str
    marked: str  # id of the passage to mark, "" when none was found
    locator: str  # the heading above it
    marks: list[str]  # its pieces in reading order, as plain text, to be found in the page


class ResourceResult(TypedDict):
    """Result of ``archives.resource``: an image, a style sheet."""

    path: str
    mime: str
    bytes: int
    data: str  # base64


class CatalogueInfo(TypedDict):
    """A catalogue file that is open for browsing."""

    title: str  # of the catalogue, else the file's name
    date: str
    archives: int
    languages: list[str]  # ISO 639-3, the commonest first


class CatalogueEntry(TypedDict):
    """An archive that a catalogue lists; "" and 0 where it does not say."""

    title: str
    name: str
    flavour: str
    description: str
    languages: list[str]
    date: str
    publisher: str
    licence: str
    articles: int
    bytes: int
    address: str  # to be shown and copied; Cairn asks nobody


class CataloguePage(TypedDict):
    """Result of ``archives.browse``."""

    total: int
    entries: list[CatalogueEntry]


METHODS: Methods = {
    # a saved catalogue (OPDS, library.xml), open until the next one or the end; -> CatalogueInfo
    "archives.catalogue": (frozenset({"key"}), frozenset()),
    "archives.browse": (frozenset(), frozenset({"query", "language", "offset"})),  # -> CataloguePage
    # key names files that the page has sent ({type: "files", key, files} on its port); -> SourceInfo
    "archives.add": (frozenset({"key"}), frozenset()),
    # copy into the app's storage, continuing an interrupted copy; ends early by $/cancel; -> SourceInfo
    "archives.copy": (frozenset({"source"}), frozenset()),
    "archives.remove": (frozenset({"source"}), frozenset()),
    "archives.article": (frozenset({"source", "path"}), frozenset({"passage", "query"})),
    "archives.resource": (frozenset({"source", "path"}), frozenset()),
    "archives.suggest": (frozenset({"source", "prefix"}), frozenset()),  # -> {titles: [{path, title}]}
    "archives.random": (frozenset({"source"}), frozenset()),  # -> {path}
    "archives.main": (frozenset({"source"}), frozenset()),  # -> {path}
}

NOTIFICATIONS = frozenset({"archives.progress"})  # {request, source, done, total}: bytes of a copy
