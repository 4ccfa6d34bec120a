"""Every message that crosses a worker border, in one file.

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

import json
import re
from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict

from cairn.errors import ERRORS, CairnError, InvalidRequest

PROTOCOL_VERSION = 1
MAX_MESSAGE_CHARS = 4_000_000
MAX_QUESTION_CHARS = 4_000
MAX_JSON_NESTING = 64

_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)

CellState = Literal["empty", "starting", "ready", "degraded", "failed", "off"]


class Cell(TypedDict):
    """One cell of the readiness strip."""

    state: CellState
    label: str  # what it is now, one short sentence
    action: str  # next step as a verb phrase, "" when there is none
    done: NotRequired[int]  # progress, with total; bytes or items, see unit
    total: NotRequired[int]
    unit: NotRequired[Literal["bytes", "items", "steps"]]


class Readiness(TypedDict):
    """The four cells: library, archives, meaning (semantic ranking), answers."""

    library: Cell
    archives: Cell
    meaning: Cell
    answers: Cell


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


class SourceInfo(TypedDict):
    """A searchable source as the page lists it."""

    id: str
    kind: Literal["pack", "archive", "documents"]
    title: str
    version: str
    languages: list[str]
    documents: int
    passages: int
    bytes: int
    licence: str
    notice: str
    archive: NotRequired[ArchiveInfo]


class Status(TypedDict):
    """Answer to ``engine.status``."""

    protocol: int
    version: str
    readiness: Readiness
    sources: list[SourceInfo]
    modes: list[str]
    models: dict[str, str]  # role -> "id (device, dtype)"
    timings: dict[str, float]  # start-up step -> milliseconds


class CitationInfo(TypedDict):
    """A numbered source of an answer: evidence passage ``n`` (1-based) and where to read it."""

    n: int
    token: str  # stable token, e.g. "[CN-P-0abc12d]"
    source: str
    source_title: str
    document: str
    passage: str
    title: str
    locator: str
    language: str
    collection: str
    licence: str
    text: str
    reader_url: str
    mode: str  # retrieval mode of this hit
    cited: NotRequired[bool]


class QuoteInfo(TypedDict):
    """One sentence of the extractive answer and the citation it is quoted from."""

    text: str
    n: int


class SentenceInfo(TypedDict):
    """One sentence of the written answer after attribution and checking."""

    text: str
    n: int  # citation number, 0 when nothing supports it
    support: float  # 0..1
    confirmed: bool  # False: shown as "not confirmed by the source"


class AskParams(TypedDict):
    """Parameters of ``engine.ask``."""

    question: str
    sources: NotRequired[list[str]]  # source ids; absent: all
    write: NotRequired[bool]  # False: quotes only, do not use the generator


class AskEvent(TypedDict, total=False):
    """Payload of the notification ``ask.event``; ``type`` says which other fields are present."""

    request: int | str  # id of the engine.ask request
    type: str  # one of ASK_EVENTS
    query: str  # retrieval_query
    mode: str  # citations: retrieval mode of the turn
    outcome: Literal["matched", "weak", "no_match"]  # citations
    citations: list[CitationInfo]  # citations
    quotes: list[QuoteInfo]  # draft
    text: str  # text_delta, thinking_delta: the new characters
    message: str  # note: one sentence for the person
    debug: dict[str, Any]  # debug


class AskResult(TypedDict):
    """Result of ``engine.ask`` (also the payload of the last event, ``done``)."""

    outcome: Literal["matched", "weak", "no_match"]
    mode: str
    query: str
    text: str  # the written answer as Markdown, with [n] after each attributed sentence; "" if none
    verbatim: bool  # the model chose sentences of the sources; it wrote none of its own
    sentences: list[SentenceInfo]
    quotes: list[QuoteInfo]
    citations: list[CitationInfo]
    finish: Literal["complete", "stopped", "length", "no_model", "no_evidence", "failed"]
    model: str
    tokens: int
    tokens_per_second: float
    first_token_ms: float
    timings: dict[str, float]
    reason: NotRequired[str]  # why finish is "failed", one sentence


class SearchParams(TypedDict):
    """Parameters of ``engine.search``."""

    query: str
    limit: NotRequired[int]
    sources: NotRequired[list[str]]
    semantic: NotRequired[bool]  # False: keyword only


class SearchResponse(TypedDict):
    """Result of ``engine.search``: hits best first, kept ones before those that were dropped."""

    query: str
    mode: str
    outcome: Literal["matched", "weak", "no_match"]
    hits: list[CitationInfo]
    timings: dict[str, float]
    notes: list[str]


class ReadParams(TypedDict):
    """Parameters of ``reader.document``."""

    source: str
    document: str
    passage: NotRequired[str]


class ReadResult(TypedDict):
    """A verified document for the text reader."""

    source: str
    source_title: str
    document: str
    title: str
    language: str
    collection: str
    licence: str
    source_url: str
    references: list[dict[str, str]]
    sha256: str
    text: str
    passages: list[dict[str, Any]]  # {id, start, end, locator}: offsets in code points of text
    marked: str  # id of the passage to mark, "" when none was asked for
    notice: str


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


# --- page, reader -> engine ----------------------------------------------------------------------

ENGINE_METHODS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # method: (required parameters, optional parameters)
    "engine.status": (frozenset(), frozenset()),
    "engine.ask": (frozenset({"question"}), frozenset({"sources", "write"})),
    "engine.search": (frozenset({"query"}), frozenset({"limit", "sources", "semantic"})),
    "engine.diagnostics": (frozenset(), frozenset()),
    "engine.restart_part": (frozenset({"part"}), frozenset()),  # part: "meaning" | "answers"
    "reader.document": (frozenset({"source", "document"}), frozenset({"passage"})),
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

ENGINE_NOTIFICATIONS = frozenset(
    {
        "engine.step",  # {step, label, ms}: one named start-up step ended or began
        "engine.readiness",  # Readiness
        "engine.started",  # Status: the engine answers from now on
        "engine.failed",  # {code, message, hint}: start-up failed
        "ask.event",  # AskEvent
        "archives.progress",  # {request, source, done, total}: bytes of a copy
    }
)

ASK_EVENTS = frozenset(
    {
        "retrieval_query",
        "citations",
        "draft",
        "debug",
        "thinking_delta",
        "text_delta",
        "note",
        "done",
        "error",
    }
)

# --- engine -> embed worker ----------------------------------------------------------------------

EMBED_METHODS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # model: catalogue id; device: "webgpu" | "wasm"; files: [{url, path, bytes, sha256}]
    "embed.load": (frozenset({"model", "device", "dtype", "files"}), frozenset({"threads"})),
    # texts already carry their "query: " / "passage: " prefix; result {vectors: ArrayBuffer of
    # float32[n * dimensions], dimensions, ms}
    "embed.run": (frozenset({"texts"}), frozenset()),
    "embed.dispose": (frozenset(), frozenset()),
}
EMBED_NOTIFICATIONS = frozenset({"embed.progress"})  # {phase, done, total}

# --- engine -> generate worker -------------------------------------------------------------------

GENERATE_METHODS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "generate.load": (frozenset({"model", "device", "dtype", "files"}), frozenset({"threads"})),
    "generate.count_tokens": (frozenset({"texts"}), frozenset()),  # result {counts: [int]}
    # result {text, tokens, prompt_tokens, first_token_ms, ms, finish: "stop"|"length"|"stopped"}
    # choices: sentences the model may write, no others (workers/verbatim.mjs)
    "generate.run": (frozenset({"messages"}), frozenset({"max_new_tokens", "sampling", "choices"})),
    "generate.dispose": (frozenset(), frozenset()),
}
GENERATE_NOTIFICATIONS = frozenset(
    {
        "generate.progress",  # {phase, done, total}
        "generate.delta",  # {request, text, tokens}
    }
)

CANCEL = "$/cancel"

# --- page -> engine worker, and page <-> page ----------------------------------------------------


class Boot(TypedDict):
    """First message to the engine worker (with the page's MessagePort transferred)."""

    type: Literal["boot"]
    base: str  # absolute URL of the site's root, ends with "/"
    isolated: bool
    softgpu: NotRequired[bool]  # tests only: a software graphics adapter counts as one


class Connect(TypedDict):
    """One more page for the engine worker, with its MessagePort; null on a port ends a session."""

    type: Literal["connect"]


class Close(TypedDict):
    """Close databases and workers; answered by ``{"type": "closed"}``, then the worker ends."""

    type: Literal["close"]


class Alive(TypedDict):
    """First message of every worker: it holds the Web Lock of its own name until it dies."""

    type: Literal["alive"]


class Files(TypedDict):
    """Files that the person chose, on the page's port ahead of the request that names their key."""

    type: Literal["files"]
    key: str
    files: list[Any]  # File objects


CHANNEL = "cairn"  # BroadcastChannel name
ENGINE_LOCK = "cairn-engine"  # Web Lock name: its holder owns the engine

CHANNEL_MESSAGES = frozenset(
    {
        "attach",  # {client}: a page without engine asks the owner to serve it
        "owner",  # {owner, client?}: the owner is here (answer to attach, or announced)
        "to-engine",  # {client, text}: a JSON-RPC message for the engine, or {client, files}: Files
        "from-engine",  # {client, text}: one for that client ("*": every client)
        "detach",  # {client}
        "take-over",  # {client}: the owner is asked to close its engine and let go of the lock
        "gone",  # {owner}: the engine closed
    }
)


def encode_error(error: CairnError) -> dict[str, Any]:
    """The JSON-RPC ``error`` object of a typed error."""
    return {
        "code": error.code,
        "message": error.message,
        "data": {"hint": error.hint, "retryable": error.retryable},
    }


def decode_error(obj: object) -> CairnError:
    """Rebuild the typed error from a JSON-RPC ``error`` object; unknown codes become CairnError."""
    if not isinstance(obj, dict):
        return CairnError(str(obj))
    data = obj.get("data")
    data = data if isinstance(data, dict) else {}
    cls = ERRORS.get(str(obj.get("code")), CairnError)
    return cls(
        str(obj.get("message", "")),
        hint=str(data.get("hint", "")),
        retryable=bool(data.get("retryable", False)),
    )


def load_json(text: str, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """``json.loads`` for text from elsewhere; also raises ValueError when it is nested too deep.

    In Pyodide a deep nesting is no RecursionError but overflows the stack of the browser, which
    ends the interpreter; so the depth is counted before the parser sees the text.
    """
    depth = 0
    for match in _NESTING.finditer(text):
        char = match.group()[0]
        if char in "[{":
            depth += 1
            if depth > MAX_JSON_NESTING:
                raise ValueError("it is nested too deep")
        elif char in "]}":
            depth -= 1
    return json.loads(text, object_pairs_hook=object_pairs_hook)


def parse_message(text: str) -> dict[str, Any]:
    """Parse one JSON-RPC message.

    Raises InvalidRequest when it is not a JSON object, is too large or has no method and no reply.
    """
    if len(text) > MAX_MESSAGE_CHARS:
        raise InvalidRequest("The message is too large.")
    try:
        message = load_json(text)
    except ValueError as error:
        raise InvalidRequest("The message is not JSON.") from error
    if not isinstance(message, dict):
        raise InvalidRequest("The message is not a JSON object.")
    if not isinstance(message.get("method"), str) and "id" not in message:
        raise InvalidRequest("The message has neither a method nor an id.")
    return message


def check_params(
    table: dict[str, tuple[frozenset[str], frozenset[str]]], method: str, params: object
) -> None:
    """Check a request's parameter names against a method table; InvalidRequest names the fault."""
    if not isinstance(params, dict):
        raise InvalidRequest("Parameters must be an object.")
    if method not in table:
        raise InvalidRequest(f"Unknown method {method}.")
    required, optional = table[method]
    missing = required - params.keys()
    unknown = params.keys() - required - optional
    if missing:
        raise InvalidRequest(f"{method} needs {', '.join(sorted(missing))}.")
    if unknown:
        raise InvalidRequest(f"{method} does not take {', '.join(sorted(unknown))}.")
