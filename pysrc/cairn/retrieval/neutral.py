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
from functools import cache
from importlib import resources

from cairn.models.ports import ModelInfo

_FILES = {"multilingual-e5-small": "e5-small-languages.json"}


def language_neutral(vector: array[float], model: ModelInfo) -> array[float]:
    """The unit vector of a question without the directions of languages; unchanged for models whose
    directions are not known.
    """
    directions = _directions(model.id.rpartition("/")[2])
    if not directions or len(directions[0]) != len(vector):
        return vector
    left = list(vector)
    for direction in directions:
        along = sum(a * b for a, b in zip(vector, direction, strict=True))
        left = [value - along * part for value, part in zip(left, direction, strict=True)]
    length = math.sqrt(sum(value * value for value in left))
    return array("f", [value / length for value in left]) if length else vector


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
