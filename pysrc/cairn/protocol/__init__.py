"""Every message that crosses a worker border, in one package: an area a module.

Four borders, one convention (JSON-RPC 2.0 semantics: requests with an ``id`` get exactly one reply
with the same ``id``; notifications have none; ``$/cancel`` with ``{"id": …}`` stops a request, which
then ends with the error ``cancelled``):

=====================  =========================================  ==========================
border                 carried by                                 encoding
=====================  =========================================  ==========================
page, reader ↔ engine  MessagePort, or BroadcastChannel from a    JSON text
                       page that does not own the engine
engine ↔ embed         worker ``postMessage``                     structured clone
engine ↔ generate      worker ``postMessage``                     structured clone
page → engine worker   first ``postMessage`` (:class:`Boot`)      structured clone
page → engine worker   MessagePort, :class:`Files`                structured clone
=====================  =========================================  ==========================

Binary fields (vectors) travel as transferred ``ArrayBuffer``. Field types below are the JSON types.
``tests/repo`` compares the names used by the JavaScript and MicroPython sides with the tables here.
"""

from __future__ import annotations

from cairn.protocol import archives, asking, documents, library, packs, threads
from cairn.protocol.archives import (
    ArchiveInfo,
    ArticleResult,
    CatalogueEntry,
    CatalogueInfo,
    CataloguePage,
    ResourceResult,
)
from cairn.protocol.asking import (
    ASK_EVENTS,
    MAX_QUESTION_CHARS,
    AskEvent,
    AskParams,
    AskResult,
    CitationInfo,
    Facet,
    QuoteInfo,
    ReadParams,
    ReadResult,
    Route,
    SearchCounts,
    SearchHit,
    SearchParams,
    SearchResponse,
    SentenceInfo,
    Style,
)
from cairn.protocol.documents import (
    DOCUMENTS_AT_ONCE,
    ORIGINAL_AT_ONCE,
    PASSAGES_AT_ONCE,
    AddResult,
    AlikePassage,
    CollectionInfo,
    DocumentInfo,
    OriginalPart,
    PassageInfo,
    PassageList,
)
from cairn.protocol.jsonrpc import (
    CANCEL,
    MAX_JSON_NESTING,
    MAX_MESSAGE_CHARS,
    PROTOCOL_VERSION,
    Methods,
    check_params,
    decode_error,
    encode_error,
    load_json,
    parse_message,
)
from cairn.protocol.library import (
    Cell,
    CellState,
    Readiness,
    SourceInfo,
    Status,
)
from cairn.protocol.packs import (
    JobInfo,
    PackInfo,
    PackPreview,
    Packs,
    Recovered,
    RemovedPack,
)
from cairn.protocol.pages import (
    CHANNEL,
    CHANNEL_MESSAGES,
    ENGINE_LOCK,
    Alive,
    Boot,
    Close,
    Connect,
    Files,
)
from cairn.protocol.threads import (
    ThreadInfo,
    ThreadList,
    ThreadResult,
    TurnInfo,
)
from cairn.protocol.workers import (
    EMBED_METHODS,
    EMBED_NOTIFICATIONS,
    GENERATE_METHODS,
    GENERATE_NOTIFICATIONS,
    PDF_METHODS,
)

AREAS = (library, asking, archives, packs, threads, documents)

ENGINE_METHODS: Methods = {name: need for area in AREAS for name, need in area.METHODS.items()}
"""Page, reader → engine."""

ENGINE_NOTIFICATIONS: frozenset[str] = frozenset().union(*(area.NOTIFICATIONS for area in AREAS))
"""Engine → page, reader."""

__all__ = [
    "ASK_EVENTS",
    "CANCEL",
    "CHANNEL",
    "CHANNEL_MESSAGES",
    "DOCUMENTS_AT_ONCE",
    "EMBED_METHODS",
    "EMBED_NOTIFICATIONS",
    "ENGINE_LOCK",
    "ENGINE_METHODS",
    "ENGINE_NOTIFICATIONS",
    "GENERATE_METHODS",
    "GENERATE_NOTIFICATIONS",
    "MAX_JSON_NESTING",
    "MAX_MESSAGE_CHARS",
    "MAX_QUESTION_CHARS",
    "ORIGINAL_AT_ONCE",
    "PASSAGES_AT_ONCE",
    "PDF_METHODS",
    "PROTOCOL_VERSION",
    "AddResult",
    "AlikePassage",
    "Alive",
    "ArchiveInfo",
    "ArticleResult",
    "AskEvent",
    "AskParams",
    "AskResult",
    "Boot",
    "CatalogueEntry",
    "CatalogueInfo",
    "CataloguePage",
    "Cell",
    "CellState",
    "CitationInfo",
    "Close",
    "CollectionInfo",
    "Connect",
    "DocumentInfo",
    "Facet",
    "Files",
    "JobInfo",
    "Methods",
    "OriginalPart",
    "PackInfo",
    "PackPreview",
    "Packs",
    "PassageInfo",
    "PassageList",
    "QuoteInfo",
    "ReadParams",
    "ReadResult",
    "Readiness",
    "Recovered",
    "RemovedPack",
    "ResourceResult",
    "Route",
    "SearchCounts",
    "SearchHit",
    "SearchParams",
    "SearchResponse",
    "SentenceInfo",
    "SourceInfo",
    "Status",
    "Style",
    "ThreadInfo",
    "ThreadList",
    "ThreadResult",
    "TurnInfo",
    "check_params",
    "decode_error",
    "encode_error",
    "load_json",
    "parse_message",
]
