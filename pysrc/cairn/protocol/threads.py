"""Threads: the questions and answers that are kept on the device.

The page names threads and turns itself (``engine.ask`` with ``thread`` and ``turn``), so that it
knows them before the engine has answered. A thread comes into being with its first question.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from cairn.protocol.asking import AskResult
from cairn.protocol.jsonrpc import Methods


class ThreadInfo(TypedDict):
    """A thread in the list; times in milliseconds since 1970."""

    id: str
    title: str
    created_ms: float
    changed_ms: float
    turns: int
    settings: dict[str, Any]  # of its last question: {sources: [id] | null, style, language}
    match: str  # the first question whose turn has the words searched for, "" without a search


class ThreadList(TypedDict):
    """Result of ``threads.list``."""

    threads: list[ThreadInfo]
    more: bool  # there are further ones behind
    total: int  # all kept threads, found or not
    keep: bool  # whether new turns are kept


class TurnInfo(TypedDict):
    """A turn as it was."""

    id: str
    position: int
    asked_ms: float
    question: str
    state: Literal["running", "ended", "interrupted"]  # interrupted: the engine died meanwhile
    result: AskResult  # as far as it came
    notes: list[str]
    settings: dict[str, Any]  # {sources: [{id, title, version}], style, language, query, version}


class ThreadResult(TypedDict):
    """Result of ``threads.get``: the last turns, or the last before a position."""

    thread: ThreadInfo
    turns: list[TurnInfo]
    earlier: bool  # there are turns before these


METHODS: Methods = {
    "threads.list": (frozenset(), frozenset({"query", "offset"})),  # -> ThreadList
    "threads.get": (frozenset({"thread"}), frozenset({"before"})),  # -> ThreadResult
    "threads.debug": (frozenset({"turn"}), frozenset()),  # -> {debug}
    "threads.rename": (frozenset({"thread", "title"}), frozenset()),  # -> {}
    "threads.delete": (frozenset({"thread"}), frozenset()),  # -> {}
    "threads.clear": (frozenset(), frozenset()),  # -> {}
    "threads.keep": (frozenset({"keep"}), frozenset()),  # false: new turns are not kept; -> {}
}

NOTIFICATIONS: frozenset[str] = frozenset()
