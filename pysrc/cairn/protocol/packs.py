"""Packs: previewed, installed by jobs that outlive a closed tab, switched, verified, removed."""

from __future__ import annotations

from typing import Literal, TypedDict

from cairn.protocol.jsonrpc import Methods


class PackInfo(TypedDict):
    """What the page shows of a pack beyond what every source has."""

    state: Literal["on", "off", "damaged"]
    origin: Literal["shipped", "file", "url"]
    address: str  # the URL, or the name of the file
    installed_bytes: int  # in storage, with indexes that lie outside the ZIP
    problem: str  # one sentence, with the next step


class PackPreview(TypedDict):
    """A pack as its manifest describes it, before it is installed."""

    id: str
    title: str
    version: str
    languages: list[str]
    documents: int
    passages: int  # 0 when that is not known before
    licence: str
    notice: str
    replaces: str  # version of the same pack that is installed, "" for none
    same: bool  # that version is this very pack


class JobInfo(TypedDict):
    """A pack on its way into the library."""

    id: str
    # asking: shown, not begun; waiting: its file must be chosen again
    state: Literal["asking", "running", "paused", "waiting", "failed"]
    origin: Literal["file", "url"]
    name: str  # of the file, or the URL
    key: str  # of the chosen file, "" for a URL
    phase: Literal["", "copy", "download", "unpack", "hash", "index", "build"]
    done: int  # of this phase; bytes, in "index" passages, in "build" documents
    total: int  # 0: unknown
    rate: float  # of this phase, units a second; 0 while unknown
    seconds_left: float  # of this phase; -1 while unknown
    bytes: int  # of the pack, 0: unknown
    installed_bytes: int
    room: int  # what the browser lets Cairn still use, in bytes; -1: it does not say
    pack: PackPreview | None  # None: the server shows nothing before the whole file
    problem: str
    hint: str


class Recovered(TypedDict):
    """What the last start cleared away of interrupted work."""

    files: int
    bytes: int


class RemovedPack(TypedDict):
    """A pack that comes with the app and was taken out of the library."""

    id: str
    title: str


class Packs(TypedDict):
    """``engine.status``'s part about packs."""

    jobs: list[JobInfo]
    recovered: Recovered
    removed: list[RemovedPack]


METHODS: Methods = {
    # Show what a pack is: key names one file that the page has sent ({type: "files", key, files, paths}
    # on its port), url an address of the app's own origin. An interrupted install of the same pack
    # goes on instead. -> JobInfo
    "packs.add": (frozenset(), frozenset({"key", "url"})),
    "packs.start": (frozenset({"job"}), frozenset()),  # install what was shown; -> JobInfo
    "packs.pause": (frozenset({"job"}), frozenset()),  # keeps what arrived; -> JobInfo
    # go on, from a file that was chosen again if key names one; -> JobInfo
    "packs.resume": (frozenset({"job"}), frozenset({"key"})),
    "packs.stop": (frozenset({"job"}), frozenset()),  # forget it and what arrived
    "packs.switch": (frozenset({"source", "on"}), frozenset()),  # ask it, or leave it out
    "packs.remove": (frozenset({"source"}), frozenset()),
    "packs.verify": (frozenset({"source"}), frozenset()),  # hash everything again; ends early by $/cancel
    # install again from where it came from: the app's own files or its URL; -> JobInfo or {}
    "packs.repair": (frozenset({"source"}), frozenset()),
}

NOTIFICATIONS = frozenset(
    {
        "packs.job",  # JobInfo: it got further, or its state changed
        "packs.ended",  # {id, title, outcome: "installed" | "stopped"}: the job is over
        "packs.verifying",  # {request, source, phase, done, total}
    }
)
