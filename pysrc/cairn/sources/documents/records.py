"""Collections and documents as ``library.db`` records them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from cairn.sources.documents.text import Headings, Kind

Status = Literal["pending", "completed", "failed", "skipped"]


@dataclass(slots=True)
class Collection:
    """A set of documents that is asked, moved and deleted together."""

    number: int
    id: str
    name: str
    description: str
    settings: dict[str, Any]
    model: str  # JSON of the VectorModel that its vectors were made with, "" before the first one
    added_ms: float


@dataclass(slots=True)
class DocumentRow:
    """One file of a collection, and how far its import is.

    ``done`` and ``total`` count pages where the kind has pages, characters otherwise (0: not known
    yet). ``batch`` counts the times that files were added: it tells what belongs together.
    """

    number: int
    id: str
    collection: int
    path: str  # as the person has it, with folders: "house/boiler.pdf"
    title: str
    renamed: bool  # by the person: the file's own title is no longer taken
    kind: Kind
    language: str
    original: str  # SHA-256 of its bytes
    bytes: int
    status: Status
    reason: str
    hint: str
    code: str  # of the error, "" without one: "password_needed" asks for a password
    done: int
    total: int
    characters: int  # indexed so far
    passages: int
    headings: Headings
    text_sha256: str
    scanned: list[int] = field(default_factory=list)  # pages that are pictures without text
    notes: list[str] = field(default_factory=list)
    batch: int = 0
    added_ms: float = 0.0
    changed_ms: float = 0.0

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]
