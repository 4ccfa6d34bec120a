"""From a question in a conversation to one that can be understood alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.answering.conversation import PastTurn


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What is searched for in place of the question."""

    query: str
    rewritten: bool  # it says more than the question
    why: str  # for the debug panel
    details: dict[str, Any] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"query": self.query, "rewritten": self.rewritten, "why": self.why, **self.details}


def standalone(question: str, history: Sequence[PastTurn], query: str | None = None) -> Rewrite:
    """The query to search with; ``query`` is the person's own, which nothing overrides."""
    if query is not None and query.strip():
        return Rewrite(query, False, "the person's own query")
    return Rewrite(question, False, "as asked" if history else "first question")
