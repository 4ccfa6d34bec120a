"""Writes a turn down while it is being answered, so that a stop or a dead engine loses little."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cairn.errors import CairnError
from cairn.protocol import AskEvent, AskResult
from cairn.storage.history import History

SAVE_MS = 1_000.0
"""Least time between two saves of text that is still being written."""

NOT_KEPT = "This answer could not be kept in your history."


def unanswered(question: str) -> AskResult:
    """The result of a question that nothing is known of yet."""
    return {
        "outcome": "weak",
        "mode": "lexical-fallback",
        "query": question,
        "rewritten": False,
        "route": "library",
        "text": "",
        "verbatim": False,
        "sentences": [],
        "quotes": [],
        "citations": [],
        "finish": "stopped",
        "model": "",
        "tokens": 0,
        "tokens_per_second": 0.0,
        "first_token_ms": 0.0,
        "timings": {},
    }


class Recorder:
    """Follows one turn's events; ``told(note)`` hears, once, when it cannot be kept."""

    def __init__(
        self,
        history: History,
        thread: str,
        turn: str,
        question: str,
        settings: Mapping[str, Any],
        *,
        now: Callable[[], float],
        told: Callable[[str], None],
    ) -> None:
        self._history = history
        self._turn = turn
        self._settings = dict(settings)
        self._now = now
        self._told = told
        self._result = unanswered(question)
        self._notes: list[str] = []
        self._debug: dict[str, Any] = {}
        self._saved = now()
        self._kept = True
        remembered = {name: self._settings.get(name) for name in ("chosen", "style", "language")}
        self._attempt(
            lambda: history.begin(
                thread, turn, question, now=now(), settings=remembered, record=self._record()
            )
        )

    def event(self, event: AskEvent) -> None:
        """Take one event of the turn."""
        result, kind = self._result, event["type"]
        if kind == "retrieval_query":
            result["query"] = event["query"]
            result["rewritten"] = bool(event.get("rewritten"))
            result["route"] = event.get("route", result["route"])
        elif kind == "citations":
            result["mode"], result["outcome"] = event["mode"], event["outcome"]
            result["citations"] = event["citations"]
        elif kind == "draft":
            result["quotes"] = event["quotes"]
            self._save()
        elif kind == "text_delta":
            result["text"] += event["text"]
            if self._now() - self._saved >= SAVE_MS:
                self._save()
        elif kind == "note":
            self._notes.append(event["message"])
        elif kind == "debug":
            self._debug.update(event["debug"])

    def finish(self, result: AskResult) -> None:
        """The turn ended, whole or stopped."""
        self._result = result
        self._save(ended=True)

    def fail(self, error: CairnError) -> None:
        """The turn ended without a result."""
        self._result["finish"] = "failed"
        self._result["reason"] = " ".join((error.message, error.hint)).strip()
        self._save(ended=True)

    def stop(self) -> None:
        """The turn was stopped before it had a result."""
        self._save(ended=True)

    def _record(self) -> dict[str, Any]:
        return {"result": self._result, "notes": self._notes, "settings": self._settings}

    def _save(self, *, ended: bool = False) -> None:
        if self._kept:
            now = self._now()
            self._saved = now
            debug = self._debug if ended else None
            self._attempt(
                lambda: self._history.save(self._turn, self._record(), now=now, ended=ended, debug=debug)
            )

    def _attempt(self, write: Callable[[], None]) -> None:
        """Write; an answer is never lost because it cannot be kept."""
        try:
            write()
        except CairnError as error:
            self._kept = False
            self._told(f"{NOT_KEPT} {error.message}")
