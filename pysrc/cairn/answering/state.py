"""What the steps of one turn share, and the sentences they may say to the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.answering.attribute import Attributor
from cairn.errors import CairnError, TimedOut
from cairn.models.ports import Embedder, Generator
from cairn.protocol import AskEvent, AskResult, QuoteInfo, Style
from cairn.retrieval.search import Clock
from cairn.sources.types import Source

Emit = Callable[[AskEvent], None]
Failed = Callable[[str, CairnError], None]
"""``failed(part, error)`` with part "meaning" or "answers": the engine restarts it."""

NOTE_CHAT = (
    "Cairn answers questions from the library on this device, with the place where each answer stands. "
    "Ask it something."
)
NOTE_EMPTY = "There is nothing to look for in this question. Type a few words."
NOTE_LONG = "Only the first {kept} characters of your question were read."
NOTE_WRITING = "Cairn writes no texts of its own. This is what your library says about it."
NOTE_EMERGENCY = "If someone is in danger, call your local emergency number first."
NOTE_WEAK = "These passages are only near your question. Read them before you rely on them."
NOTE_MISSING = "Your library does not cover this part of your question: “{part}”"
NOTE_LOOPING = "The model began to repeat itself and was stopped."
NOTE_DRIFTING = "The model left your library's text and was stopped."
NOTE_UNCONFIRMED = "Your library does not confirm what the model wrote. Rely on the quotes."
NOTE_LENGTH = "The answer was cut at its longest length."
WROTE_NOTHING = "The model ended without writing anything."
ONLY_THOUGHT = "The model only thought and wrote nothing."


@dataclass(slots=True)
class Turn:
    """State of one turn; ``result`` is complete at any time, so that a stop can return it."""

    question: str  # the standalone one
    asked: str  # as it was typed
    style: Style
    language: str  # to answer in, "" for that of the question
    sources: Sequence[Source]
    embedder: Embedder | None
    generator: Generator | None
    clock: Clock
    emit: Emit
    failed: Failed
    nonce: str
    began: float
    result: AskResult
    debug: dict[str, Any] = field(default_factory=dict)
    choices: list[QuoteInfo] = field(default_factory=list)  # what a small model may say
    attributor: Attributor | None = None
    recoveries: list[str] = field(default_factory=list)

    def note(self, message: str) -> None:
        """Say one sentence to the person."""
        self.emit({"type": "note", "message": message})

    def show(self, text: str) -> None:
        """Characters of the answer."""
        if text:
            self.emit({"type": "text_delta", "text": text})

    def tell_debug(self) -> None:
        """What the debug panel shows, as far as it is known."""
        self.debug["timings"] = dict(self.result["timings"])
        self.debug["model"] = {
            "label": self.result["model"],
            "tokens": self.result["tokens"],
            "tokens_per_second": self.result["tokens_per_second"],
            "first_token_ms": self.result["first_token_ms"],
            "recoveries": list(self.recoveries),
        }
        self.emit({"type": "debug", "debug": dict(self.debug)})

    def settle(self) -> None:
        """Close the written text, whole or not, and say which sources it rests on."""
        if self.attributor is not None:
            self.show(self.attributor.finish())
            self.result["text"] = self.attributor.text.strip()
            self.result["sentences"] = self.attributor.sentences
        self.mark_cited()

    def mark_cited(self) -> None:
        """Say of each citation whether a quote or a sentence rests on it."""
        used = {quote["n"] for quote in self.result["quotes"]}
        if self.attributor is not None:
            used |= self.attributor.cited
        for citation in self.result["citations"]:
            citation["cited"] = citation["n"] in used


def silent() -> CairnError:
    """A model that says nothing any more."""
    return TimedOut("The model went silent.", hint="Ask again; it is being restarted.", retryable=True)
