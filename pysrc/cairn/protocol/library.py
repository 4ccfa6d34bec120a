"""What is installed and how far the engine is: ``engine.status``, ``engine.readiness``."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from cairn.protocol.archives import ArchiveInfo
from cairn.protocol.jsonrpc import Methods
from cairn.protocol.packs import PackInfo, Packs

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
    pack: NotRequired[PackInfo]


class Status(TypedDict):
    """Answer to ``engine.status``."""

    protocol: int
    version: str
    readiness: Readiness
    sources: list[SourceInfo]
    packs: Packs
    storage: Literal["opfs", "indexeddb"]  # where this browser keeps the library
    modes: list[str]
    models: dict[str, str]  # role -> "id (device, dtype)"
    voice: NotRequired[str]  # of the generator: "own" can answer in other words and languages
    timings: dict[str, float]  # start-up step -> milliseconds


METHODS: Methods = {
    "engine.status": (frozenset(), frozenset()),
    "engine.diagnostics": (frozenset(), frozenset()),
    # -> {bytes: {packs, archives, documents, records: int}, used, quota: int | null, persisted: bool}
    "engine.storage": (frozenset(), frozenset()),
    "engine.restart_part": (frozenset({"part"}), frozenset()),  # part: "meaning" | "answers"
}

NOTIFICATIONS = frozenset(
    {
        "engine.step",  # {step, label, ms}: one named start-up step ended or began
        "engine.readiness",  # Readiness
        "engine.started",  # Status: the engine answers from now on
        "engine.failed",  # {code, message, hint}: start-up failed
    }
)
