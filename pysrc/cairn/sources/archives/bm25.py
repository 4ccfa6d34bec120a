"""BM25 as Xapian 1.4 computes it, in the same order of operations, so that ties fall the same way."""

from __future__ import annotations

from dataclasses import dataclass
from math import log


@dataclass(frozen=True, slots=True)
class Scheme:
    """Parameters: term saturation k1, query saturation k3, length normalisation b and its floor."""

    k1: float = 1.0
    k3: float = 1.0
    b: float = 0.5
    least_norm: float = 0.5

    def weight(self, documents: int, having: float) -> float:
        """The most a term can add that ``having`` of ``documents`` documents contain."""
        weight = (documents - having + 0.5) / (having + 0.5)
        if weight < 2:
            weight = weight * 0.5 + 1
        return log(weight) * (self.k3 + 1) * 1 / (self.k3 + 1) * (self.k1 + 1)

    def bound(self, weight: float, most_wdf: int, least_norm: float) -> float:
        """The most a term with this weight adds to any document of a database."""
        norm = max(least_norm, self.least_norm)
        # A hair above: rounding in the order of a real score must never pass the bound.
        return weight * (most_wdf / (self.k1 * (norm * self.b + (1 - self.b)) + most_wdf)) * (1 + 1e-12)


FULL_TEXT = Scheme()
TITLES = Scheme(k1=0.001, b=1.0)
