"""Take the language out of a question's vector, so that an Arabic question finds English notes.

E5 puts texts of one language near each other, whatever they say: in a library of several languages
a question's nearest passages are about anything, in its own language. The differences between
languages lie in few directions. They were found as the ten leading singular vectors of the
language means of parallel texts in 17 languages, each set of parallel texts centred on its own
mean (after Yang, Yang, Cer and Darve 2021, "A simple and effective method to eliminate the self
language bias in multilingual representations"). Taking these directions out of the question alone
is enough: the remaining vector does not see them in a passage either, so stored vectors stay as
they are, and the language need not be guessed.

nDCG@10 of E5-small (q8), before → after. *Mixed*: xquad questions, the paragraph that answers in
English only, half of the other paragraphs in the question's language.

=====================  ==============  ==============  ==============  ==============
set                    ar              es              hi              zh
=====================  ==============  ==============  ==============  ==============
xquad, mixed           .196 → .669     .570 → .986     .492 → .716     .008 → .731
xquad, English only    .736 → .738     .956 → .986     .884 → .871     .792 → .780
xquad, same language   .841 → .845     .986 → .986     .937 → .933     .930 → .937
=====================  ==============  ==============  ==============  ==============

xquad en → en .963 → .963; field-qa .416 → .409 (40 questions). Taking the common mean out as well
lost .05 on field-qa. ``tests/eval/language_directions.py`` makes the data file.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import mul
from typing import Protocol

from cairn.models.ports import ModelInfo

LANGUAGE = 0.15
"""How much of the question's own language stays in its vector: without any, questions to a library in
one other language lose what E5 learned of the pair (Arabic → English .765 → .778)."""

FREED = 0.2
_FILES = {"multilingual-e5-small": "e5-small-languages.json"}


def language_neutral(vector: array[float], model: ModelInfo) -> array[float]:
    """The unit vector of a question with little of the directions of languages left; unchanged for
    models whose directions are not known.
    """
    directions = model_directions(model, len(vector))
    if not directions:
        return vector
    left = list(vector)
    for direction in directions:
        along = sum(a * b for a, b in zip(vector, direction, strict=True))
        left = [value - along * part for value, part in zip(left, direction, strict=True)]
    neutral, whole = _unit(left), _unit(vector)
    if neutral is None or whole is None:
        return vector
    mixed = [(1 - LANGUAGE) * a + LANGUAGE * b for a, b in zip(neutral, whole, strict=True)]
    return array("f", _unit(mixed) or mixed)


def _unit(vector: Sequence[float]) -> list[float] | None:
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else None


@dataclass(frozen=True, slots=True)
class Place:
    """A passage's vector beside a question's."""

    cosine: float
    freed: float  # length of the unit vector without the directions of languages, 0..1
    values: Sequence[float]  # as they came, any length


def place(query: Sequence[float], values: Sequence[float], model: ModelInfo) -> Place | None:
    """Where a passage lies; ``query`` has length 1. None for a zero vector."""
    values = list(map(float, values))  # twice as fast as whole numbers below
    length = math.sqrt(_dot(values, values))
    if not length:
        return None
    taken = sum((_dot(values, direction) / length) ** 2 for direction in model_directions(model, len(values)))
    return Place(_dot(query, values) / length, math.sqrt(max(1e-6, 1.0 - taken)), values)


class Near(Protocol):
    """What has a cosine and may have a place."""

    semantic_score: float
    place: Place | None


def nearness(candidate: Near) -> float:
    """The cosine, freed in part from the passage's language."""
    place = candidate.place
    return candidate.semantic_score / place.freed**FREED if place else candidate.semantic_score


def likeness(places: Sequence[Place], anchor: Place, model: ModelInfo) -> list[float]:
    """Cosine of each passage with the anchor, the directions of languages taken out of both.

    Medians among the candidates of a question: translations .90 (xquad) and .92 (field-qa), other
    passages .78 and .84; 99 of 100 of these stay below .87 and .93.
    """
    centre = list(anchor.values)
    for direction in model_directions(model, len(centre)):
        along = _dot(centre, direction)
        centre = [value - along * part for value, part in zip(centre, direction, strict=True)]
    size = math.sqrt(_dot(centre, centre))
    if not size:
        return [0.0] * len(places)
    return [_dot(p.values, centre) / (size * math.sqrt(_dot(p.values, p.values)) * p.freed) for p in places]


def model_directions(model: ModelInfo, dimensions: int) -> tuple[tuple[float, ...], ...]:
    """Orthonormal directions of a model in which its languages differ, () when they are not known."""
    found = _directions(model.id.rpartition("/")[2])
    return found if found and len(found[0]) == dimensions else ()


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return float(_sumprod(a, b))


# From Python 3.12 on, three times as fast; the last digit may differ.
_sumprod: Callable[[Sequence[float], Sequence[float]], float] = getattr(
    math, "sumprod", lambda a, b: sum(map(mul, a, b))
)


@cache
def _directions(model: str) -> tuple[tuple[float, ...], ...]:
    """Orthonormal directions of a model, () when there are none."""
    if model not in _FILES:
        return ()
    file = resources.files("cairn.retrieval").joinpath("data", _FILES[model])
    data = json.loads(file.read_text(encoding="utf-8"))
    dimensions = int(data["dimensions"])
    values = struct.iter_unpack(f"<{dimensions}e", base64.b64decode(data["directions"]))
    return tuple(tuple(row) for row in values)
