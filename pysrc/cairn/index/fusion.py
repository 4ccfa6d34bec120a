"""Merging rankings by reciprocal rank, so that scores of different kinds need not compare."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

K = 60
Key = TypeVar("Key", bound=Hashable)


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Key]], *, k: int = K, weights: Sequence[float] | None = None
) -> list[tuple[Key, float]]:
    """Sum ``weight / (k + rank)`` over the rankings (rank from 1), best first.

    Ties go to the better best rank, then to the earlier ranking. A key counts once a ranking, at
    its first place. Raises ValueError when there are not as many weights as rankings.
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    if len(weights) != len(rankings):
        raise ValueError(f"{len(weights)} weights for {len(rankings)} rankings")
    totals: dict[Key, float] = {}
    first: dict[Key, tuple[int, int]] = {}  # best rank, number of the ranking that has it
    for number, (ranking, weight) in enumerate(zip(rankings, weights, strict=True)):
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            totals[key] = totals.get(key, 0.0) + weight / (k + rank)
            first[key] = min(first.get(key, (rank, number)), (rank, number))
    return sorted(totals.items(), key=lambda item: (-item[1], first[item[0]]))
