"""Passages and documents as every layer knows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A passage as a span of its document: ``text == document_text[start:end]`` (code points)."""

    start: int
    end: int
    locator: str  # nearest heading, initially the title
    token_estimate: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a source, as stored in an index (FORMATS.md 1.5)."""

    passage_id: str
    document_id: str
    source_id: str
    title: str
    language: str  # ISO 639-3, "und" when unknown
    collection: str
    licence: str
    locator: str
    text: str
    sha256: str
    token_estimate: int
    ordinal: int
    row: int  # 0-based row in the vector file; FTS rowid - 1
    page: int = 0  # of its first character; 0 where the document has no pages
    last_page: int = 0
