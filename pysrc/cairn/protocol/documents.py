"""The person's own documents: collections, imports, what is in them, and the files themselves."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from cairn.protocol.jsonrpc import Methods

DOCUMENTS_AT_ONCE = 200
PASSAGES_AT_ONCE = 100
ORIGINAL_AT_ONCE = 2 << 20
"""Bytes of an original in one answer."""


class CollectionInfo(TypedDict):
    """A collection as the page lists it."""

    id: str
    name: str
    description: str
    documents: int  # of every status
    completed: int
    waiting: int  # pending or processing
    failed: int
    skipped: int
    passages: int  # that can be found
    vectors: int  # of those, with a vector
    model: str  # of the vectors, "" before the first one
    comparable: bool  # the loaded model made the vectors, or there are none yet
    paused: bool
    now: NotRequired[DocumentInfo]  # what is worked on


class DocumentInfo(TypedDict):
    """A document as the page lists it."""

    number: int  # names it in requests; another one after it was replaced
    id: str  # names it in citations and readers
    path: str
    title: str
    kind: str  # txt, md, html, csv, json, docx, odt, epub, pdf
    language: str
    bytes: int
    status: Literal["pending", "processing", "completed", "failed", "skipped"]
    reason: str  # why it failed or was skipped
    hint: str
    code: str  # of the failure; "password_needed" asks for a password
    done: int  # pages of a PDF, characters of others
    total: int
    pages: int  # of a PDF, else 0
    passages: int
    notes: list[str]  # "No text on pages 3–9."


class AddResult(TypedDict):
    """What became of files that were added; the queue does the rest."""

    collection: str
    accepted: int
    skipped: int
    failed: int
    removed: list[str]  # paths that are no longer in their folder, which was added again


class PassageInfo(TypedDict):
    """A passage as the chunk explorer shows it."""

    id: str
    ordinal: int
    text: str
    locator: str
    tokens: int
    page: int  # 0 where the document has no pages
    last_page: int
    vector: bool
    alike: list[AlikePassage]  # passages of this collection that nearly say the same


class AlikePassage(TypedDict):
    """A near-duplicate of a passage."""

    document: str
    title: str
    passage: str
    alike: float  # 0..1: shared part of their word triples


class PassageList(TypedDict):
    """A stretch of a document's passages."""

    document: DocumentInfo
    total: int
    passages: list[PassageInfo]


class OriginalPart(TypedDict):
    """Bytes of a document's original file."""

    name: str
    kind: str
    sha256: str
    bytes: int  # of the whole file
    offset: int
    data: str  # base64


METHODS: Methods = {
    "documents.collections": (frozenset(), frozenset()),  # -> {collections: [CollectionInfo]}
    "documents.create": (frozenset({"name"}), frozenset({"description"})),  # -> CollectionInfo
    "documents.change": (frozenset({"collection"}), frozenset({"name", "description"})),
    "documents.remove_collection": (frozenset({"collection"}), frozenset()),
    # key names files that the page has sent ({type: "files", key, files, paths} on its port); without a
    # collection they go to the first one, which is made if need be; -> AddResult once all are copied
    "documents.add": (frozenset({"key"}), frozenset({"collection"})),
    "documents.paste": (frozenset({"text"}), frozenset({"collection", "title"})),  # -> AddResult
    # -> {documents: [DocumentInfo]} by path
    "documents.list": (frozenset({"collection"}), frozenset({"offset", "limit"})),
    "documents.remove": (frozenset({"collection", "documents"}), frozenset()),  # documents: numbers
    "documents.rename": (frozenset({"collection", "document", "title"}), frozenset()),  # -> DocumentInfo
    "documents.move": (frozenset({"collection", "documents", "target"}), frozenset()),
    "documents.retry": (frozenset({"collection", "document"}), frozenset({"password"})),
    "documents.cancel": (frozenset({"collection"}), frozenset()),  # what is not finished
    "documents.pause": (frozenset(), frozenset()),  # the queue of all collections
    "documents.resume": (frozenset(), frozenset()),
    # -> PassageList; document as in citations
    "documents.passages": (frozenset({"collection", "document"}), frozenset({"offset", "limit"})),
    # -> OriginalPart; source and document as in citations
    "documents.original": (frozenset({"source", "document"}), frozenset({"offset", "length"})),
}

NOTIFICATIONS = frozenset(
    {
        "documents.copying",  # {request, done, total, path}: files of documents.add
        "documents.changed",  # CollectionInfo, or {id, gone: true}: at most a few times a second
    }
)
