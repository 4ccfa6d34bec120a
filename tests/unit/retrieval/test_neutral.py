"""The language is taken out of a question's vector, and nothing else."""

from __future__ import annotations

import math
from array import array

import pytest

from cairn.models.ports import ModelInfo
from cairn.retrieval.neutral import LANGUAGE, _directions, language_neutral

E5 = ModelInfo("multilingual-e5-small", "any", "q8", "wasm", dimensions=384)


def test_directions_are_orthonormal() -> None:
    """Intent: half-precision data that is still a projection."""
    directions = _directions("multilingual-e5-small")
    assert len(directions) == 10 and {len(row) for row in directions} == {384}
    for i, a in enumerate(directions):
        for j, b in enumerate(directions):
            assert sum(x * y for x, y in zip(a, b, strict=True)) == pytest.approx(float(i == j), abs=2e-3)


def test_what_is_left_has_little_language_and_unit_length() -> None:
    vector = array("f", [math.sin(i * 7.3) for i in range(384)])
    left = language_neutral(vector, E5)
    size = math.sqrt(sum(v * v for v in vector))
    assert math.sqrt(sum(v * v for v in left)) == pytest.approx(1, abs=1e-5)
    for direction in _directions("multilingual-e5-small"):
        had = sum(a * b for a, b in zip(vector, direction, strict=True)) / size
        has = sum(a * b for a, b in zip(left, direction, strict=True))
        assert has == pytest.approx(LANGUAGE * had, abs=4e-3)


def test_other_models_are_left_alone() -> None:
    """Intent: directions belong to weights; a published pack names them with its maker in front."""
    vector = array("f", [1.0, 0.0])
    assert language_neutral(vector, E5) is vector  # other dimensions
    long = array("f", [1.0] * 384)
    assert language_neutral(long, ModelInfo("other", "r", "q8", "cpu", dimensions=384)) is long
    assert language_neutral(long, ModelInfo("Xenova/multilingual-e5-small", "r", "q8", "cpu")) is not long
    assert list(language_neutral(array("f", [0.0] * 384), E5)) == [0.0] * 384
