"""Known vectors that an embedder must reproduce before it is used on a device.

Reports from the field: 4- and 8-bit weights on some graphics processors give wrong vectors without
any error. A search with such vectors would silently return nonsense.
"""

from __future__ import annotations

import base64
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cairn.browser.known_vectors import KNOWN

MINIMUM = 0.98
"""Lowest cosine that still counts as the same model: 8-bit weights reach 0.994 at worst."""


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Texts with their prefixes, and their vectors as the full-precision model gives them."""

    texts: list[str]
    vectors: list[array[float]]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> KnownVectors | None:
        """Those of a catalogue entry: its own ``check``, else ours for its id, else None."""
        pairs = entry.get("check") or KNOWN.get(str(entry["id"]))
        if not pairs:
            return None
        return cls([text for text, _ in pairs], [decode(vector) for _, vector in pairs])

    def worst(self, vectors: Sequence[array[float]]) -> float:
        """The lowest cosine between known and given vectors; 0 when something is missing."""
        if len(vectors) != len(self.vectors):
            return 0.0
        return min(cosine(a, b) for a, b in zip(self.vectors, vectors, strict=True))


def decode(text: str) -> array[float]:
    """A vector stored as base64 of signed bytes (its length does not matter to a cosine)."""
    return array("f", array("b", base64.b64decode(text)))


def encode(vector: Sequence[float]) -> str:
    """What :func:`decode` reads."""
    scale = 127 / max(abs(x) for x in vector)
    return base64.b64encode(array("b", [round(x * scale) for x in vector]).tobytes()).decode()


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine of the angle between two vectors; 0 for unequal sizes and for NaN."""
    if len(a) != len(b):
        return 0.0
    lengths = math.sqrt(sum(x * x for x in a) * sum(x * x for x in b))
    found = sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0
    return 0.0 if math.isnan(found) else found
