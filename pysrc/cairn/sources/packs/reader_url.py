"""Where a passage is read: the text reader's address, the same in indexes and in answers."""

from __future__ import annotations

from urllib.parse import urlencode

_READER = "/reader/text.html"


def reader_url(source_id: str, document_id: str, passage_id: str) -> str:
    """The reader's address for a passage, relative to the app's root, URL-encoded."""
    query = {"source": source_id, "document": document_id, "passage": passage_id}
    return f"{_READER}?{urlencode(query)}"
