"""What a turn may know of the turns before it: questions, the queries made of them, answers.

Passages are not among it. What was found for an earlier question never stands in a later prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_TURNS = 8
"""Earlier turns that are looked at, the latest ones."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """An earlier turn of the same conversation."""

    question: str  # as it was asked
    query: str  # the standalone query it was searched with
    answer: str  # what was shown: the written text, or the quotes; "" when nothing was


def recent(history: Sequence[PastTurn]) -> list[PastTurn]:
    """The turns that count, oldest first."""
    return list(history)[-MOST_TURNS:]
