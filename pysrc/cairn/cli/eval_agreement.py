"""Whether two runs of one search found the same passages in the same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

DEPTH = 10
TIE = 1e-4
"""Passages whose scores differ by no more may change places with the last digits of an embedding."""
SHOWN = 5

Verdict = Literal["same", "near tie", "different"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit as ``engine.search`` lists it; ranks are 0 where a retriever did not find it."""

    name: str
    score: float
    lexical_rank: int
    semantic_rank: int


def ranked(described: Mapping[str, Any], names: Mapping[str, str]) -> Ranked:
    """From what :func:`cairn.answering.debug.describe_candidate` says; ``names`` by passage id."""
    return Ranked(
        names[described["passage"]],
        described["fused"],
        described["lexical_rank"],
        described["semantic_rank"],
    )


def verdict(here: Sequence[Ranked], there: Sequence[Ranked]) -> Verdict:
    """Compare the first ten.

    A near tie: at every rank the passage found there scores here, within :data:`TIE`, what ours
    at this rank scores. ``here`` may be longer than ten, so that a passage just below is known.
    """
    ours, theirs = here[:DEPTH], there[:DEPTH]
    if [hit.name for hit in ours] == [hit.name for hit in theirs]:
        return "same"
    scores = {hit.name: hit.score for hit in here}
    tied = len(ours) == len(theirs) and all(
        other.name in scores and abs(scores[other.name] - own.score) <= TIE
        for own, other in zip(ours, theirs, strict=True)
    )
    return "near tie" if tied else "different"


def moved(here: Sequence[Ranked], there: Sequence[Ranked]) -> float:
    """The largest difference of the score of a passage that both list; 0 when they share none."""
    scores = {hit.name: hit.score for hit in here}
    return max((abs(hit.score - scores[hit.name]) for hit in there if hit.name in scores), default=0.0)


@dataclass
class Agreement:
    """Verdicts of many questions."""

    counted: dict[Verdict, int] = field(default_factory=lambda: {"same": 0, "near tie": 0, "different": 0})
    moved: float = 0.0
    examples: list[str] = field(default_factory=list)
    sets: int = 0  # questions with the same ten passages, in whatever order

    def add(self, question: str, here: Sequence[Ranked], there: Sequence[Ranked]) -> None:
        """One question; ``here`` is CPython's list, ``there`` the browser's."""
        found = verdict(here, there)
        self.counted[found] += 1
        self.moved = max(self.moved, moved(here, there))
        self.sets += {hit.name for hit in here[:DEPTH]} == {hit.name for hit in there[:DEPTH]}
        if found != "same":
            self.examples.append(f"{found}: {question[:80]}\n{_differences(here, there)}")

    def show(self, stage: str) -> None:
        """Print the counts and the first few differences."""
        total = sum(self.counted.values())
        print(
            f"{stage}: the ten ids agree to the rank on {self.counted['same']} of {total} questions, "
            f"{self.counted['near tie']} more but for near ties (scores within {TIE}), "
            f"{self.counted['different']} differ; the same ten in any order on {self.sets}; "
            f"a score moved by {self.moved:.5f} at most"
        )
        for example in self.examples[:SHOWN]:
            print(f"  {example}")


def _differences(here: Sequence[Ranked], there: Sequence[Ranked]) -> str:
    ours, theirs = here[:DEPTH], there[:DEPTH]
    lines = []
    for rank in range(max(len(ours), len(theirs))):
        own, other = (hits[rank] if rank < len(hits) else None for hits in (ours, theirs))
        if own is None or other is None or own.name != other.name:
            lines.append(f"    rank {rank + 1}: {_said(own)} here, {_said(other)} in the browser")
    return "\n".join(lines[:3])


def _said(hit: Ranked | None) -> str:
    return "nothing" if hit is None else f"{hit.name} ({hit.score:.5f})"
