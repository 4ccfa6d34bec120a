"""Writes a turn down while it is being answered, so that a stop or a dead engine loses little."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.errors import CairnError
from cairn.protocol import AskEvent, AskResult
from cairn.sources.types import Source
from cairn.storage.history import History

Emitted = Callable[[AskEvent], None]

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
    """Stands between a turn and its page; emits a note, once, when the turn cannot be kept."""

    def __init__(
        self,
        history: History | None,
        thread: str,
        turn: str,
        question: str,
        settings: Mapping[str, Any],
        *,
        now: Callable[[], float],
        tell: Emitted,
    ) -> None:
        """``history`` None: nothing is written."""
        self._history = history
        self._turn = turn
        self._settings = dict(settings)
        self._now = now
        self._tell = tell
        self._result = unanswered(question)
        self._notes: list[str] = []
        self._debug: dict[str, Any] = {}
        self._saved = now()
        remembered = {name: self._settings.get(name) for name in ("chosen", "style", "language")}
        self._attempt(
            lambda history: history.begin(
                thread, turn, question, now=now(), settings=remembered, record=self._record()
            )
        )

    def asked(self, sources: Sequence[Source]) -> None:
        """These sources are asked."""
        self._settings["sources"] = [{"id": source.id, "title": source.title} for source in sources]

    def event(self, event: AskEvent) -> None:
        """Pass one event of the turn on, and write down what it brings."""
        self._tell(event)
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
        now = self._now()
        self._saved = now
        debug = self._debug if ended else None
        self._attempt(
            lambda history: history.save(self._turn, self._record(), now=now, ended=ended, debug=debug)
        )

    def _attempt(self, write: Callable[[History], None]) -> None:
        """Write; an answer is never lost because it cannot be kept."""
        if self._history is None:
            return
        try:
            write(self._history)
        except CairnError as error:
            self._history = None
            self._tell({"type": "note", "message": f"{NOT_KEPT} {error.message}"})
