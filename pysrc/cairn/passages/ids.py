"""Identity of passages (FORMATS.md 1.5): the same text at the same place always has the same id."""

from __future__ import annotations

import hashlib
from collections import Counter

_SEPARATOR = "\0"


def passage_sha256(text: str) -> str:
    """SHA-256 of a passage's text (UTF-8), 64 lower-case hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def passage_id(document_id: str, locator: str, sha256: str, occurrence: int) -> str:
    """``<document id>:<20 hex>`` over document id, locator, passage hash and occurrence number.

    ``occurrence`` counts from 0 the passages of this document with the same locator and hash, so
    that a repeated paragraph still gets an id of its own.
    """
    identity = _SEPARATOR.join((document_id, locator, sha256, str(occurrence)))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{document_id}:{digest[:20]}"


class Occurrences:
    """Counts, through one document, the passages with the same locator and hash."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def next(self, locator: str, sha256: str) -> int:
        """The occurrence number of the next passage, from 0 (see :func:`passage_id`)."""
        number = self._seen[locator, sha256]
        self._seen[locator, sha256] += 1
        return number


def document_of(identifier: str) -> str:
    """The document id inside a passage id; "" when it has none."""
    return identifier.rpartition(":")[0]
