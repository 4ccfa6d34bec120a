"""Identity of passages (FORMATS.md 1.5): the same text at the same place always has the same id."""

from __future__ import annotations

import hashlib

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


def document_of(identifier: str) -> str:
    """The document id inside a passage id; "" when it has none."""
    return identifier.rpartition(":")[0]
