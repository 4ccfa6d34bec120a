"""Questions, searches and the documents behind their hits."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from cairn.protocol.jsonrpc import Methods

MAX_QUESTION_CHARS = 4_000


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
    page: NotRequired[int]  # of its first character, where the document has pages
    last_page: NotRequired[int]
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


Route = Literal["library", "emergency", "writing", "chat"]
"""What a question wants. Everything but ``chat`` is searched for."""

Style = Literal["short", "detailed"]


class AskParams(TypedDict):
    """Parameters of ``engine.ask``."""

    question: str
    sources: NotRequired[list[str]]  # source ids; absent: all
    write: NotRequired[bool]  # False: quotes only, do not use the generator
    thread: NotRequired[str]  # id of the conversation it belongs to, made by the page; absent: not kept
    turn: NotRequired[str]  # id of the turn, made by the page; one that is there is asked again in place
    query: NotRequired[str]  # the person's own standalone query, in place of the rewrite
    style: NotRequired[Style]
    language: NotRequired[str]  # ISO 639 code to answer in; absent: the question's


class AskEvent(TypedDict, total=False):
    """Payload of the notification ``ask.event``; ``type`` says which other fields are present."""

    request: int | str  # id of the engine.ask request
    type: str  # one of ASK_EVENTS
    query: str  # retrieval_query: the standalone query
    original: str  # retrieval_query: the question as it was asked
    rewritten: bool  # retrieval_query: whether the query says more than the question
    route: Route  # retrieval_query
    mode: str  # citations: retrieval mode of the turn
    outcome: Literal["matched", "weak", "no_match"]  # citations
    citations: list[CitationInfo]  # citations: replace those of an earlier event
    quotes: list[QuoteInfo]  # draft: replace those of an earlier one
    text: str  # text_delta, thinking_delta: the new characters
    message: str  # note: one sentence for the person
    debug: dict[str, Any]  # debug


class AskResult(TypedDict):
    """Result of ``engine.ask`` (also the payload of the last event, ``done``)."""

    outcome: Literal["matched", "weak", "no_match"]
    mode: str
    query: str  # the standalone query that was searched for
    rewritten: bool  # it was made from the question and the turns before
    route: Route
    text: str  # the written answer as Markdown, with [n] after each attributed sentence; "" if none
    verbatim: bool  # the model chose sentences of the sources; it wrote none of its own
    sentences: list[SentenceInfo]
    quotes: list[QuoteInfo]
    citations: list[CitationInfo]
    finish: Literal["complete", "stopped", "length", "no_model", "no_evidence", "failed", "not_searched"]
    model: str
    tokens: int
    tokens_per_second: float
    first_token_ms: float
    timings: dict[str, float]
    reason: NotRequired[str]  # why finish is "failed" or "not_searched"
    missing: NotRequired[list[str]]  # parts of the question that the library does not cover
    thread: NotRequired[str]  # where the turn is kept
    turn: NotRequired[str]


class SearchParams(TypedDict):
    """Parameters of ``engine.search``; lists of filters that are absent or empty limit nothing."""

    query: str
    limit: NotRequired[int]
    sources: NotRequired[list[str]]  # source ids; absent: all
    semantic: NotRequired[bool]  # False: keyword only
    languages: NotRequired[list[str]]  # ISO 639-3
    collections: NotRequired[list[str]]
    documents: NotRequired[list[str]]
    typing: NotRequired[bool]  # True: the last word may be unfinished, and only what is quick is done


class SearchHit(CitationInfo):
    """A hit of a search."""

    excerpt: str
    marks: list[list[int]]  # [start, end] in code points of the excerpt: words of the query
    why: dict[str, Any]  # words, ranks, scores, coverage, why it was dropped


class SearchResponse(TypedDict):
    """Result of ``engine.search``: hits best first, kept ones before those that were dropped.

    Also the payload of the notification ``search.event``, with ``request``: what was found by words,
    while meaning is still being added.
    """

    query: str  # what was searched, after analysis
    asked: str  # the query as it came, with the unfinished word completed
    completed: str  # the word that an unfinished one was taken for, "" when none was
    phrases: list[str]
    excluded: list[str]
    language: str  # ISO 639-3 of the query, "und"
    mode: str
    outcome: Literal["matched", "weak", "no_match"]
    relevance: float  # chance that a passage answers it, 0..1
    hits: list[SearchHit]
    timings: dict[str, float]
    notes: list[str]
    complete: bool  # False: asking without ``typing`` may put hits of some sources in a better order
    request: NotRequired[int | str]


class Facet(TypedDict):
    """A value of a filter and how many passages it would let through."""

    value: str  # source id, ISO 639-3, name of a collection
    label: str  # for people; the value itself where it has no other name
    count: int


class SearchCounts(TypedDict):
    """Result of ``engine.search_counts``: by the other filters, most frequent first.

    Passages count that have a word of the query which tells; of archives only those that are listed.
    """

    sources: list[Facet]
    languages: list[Facet]
    collections: list[Facet]
    total: int  # with all filters


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


METHODS: Methods = {
    "engine.ask": (
        frozenset({"question"}),
        frozenset({"sources", "write", "thread", "turn", "query", "style", "language"}),
    ),
    "engine.search": (
        frozenset({"query"}),
        frozenset({"limit", "sources", "semantic", "languages", "collections", "documents", "typing"}),
    ),
    "engine.search_counts": (
        frozenset({"query"}),
        frozenset({"sources", "languages", "collections", "documents"}),
    ),
    "reader.document": (frozenset({"source", "document"}), frozenset({"passage"})),
}

NOTIFICATIONS = frozenset({"ask.event", "search.event"})  # AskEvent, SearchResponse

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
