"""Page → engine worker, and page ↔ page."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


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
    paths: list[str]  # where each stood in a chosen folder, else its name


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
