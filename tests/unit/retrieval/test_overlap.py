"""Words compared across inflections, and what they weigh."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cairn.retrieval.analysis import analyse
from cairn.retrieval.overlap import Weights, bare, keys, rarity, stem
from cairn.retrieval.weights import question_weights, term_weights
from tests.unit.retrieval.library import FakeSource, passage


@pytest.mark.parametrize(
    "forms",
    [
        "boil boils boiled boiling",
        "bleed bleeds bleeding",
        "stop stops stopped stopping",
        "burn burns burned burning",
        "berry berries",
        "bandage bandages bandaged",
        "fire fires",
        "glass glasses",
        "quemadura quemaduras",
        "string strings",
        "virus",
    ],
)
def test_inflections_share_a_key(forms: str) -> None:
    """Intent: "boiled" in a passage covers "boil" in a question."""
    assert len({stem(form) for form in forms.split()}) == 1


def test_other_words_stay_apart() -> None:
    assert len({stem(word) for word in ["red", "need", "string", "strong", "bed", "water", "salt"]}) == 7


def test_keys() -> None:
    assert keys("L'eau Café's") == ["eau", "cafe"]
    assert keys("止血带") == ["止血", "血带"]
    assert bare("don't") == "don't"


def test_share_and_coverage() -> None:
    """Intent: coverage is by weight, in title, locator and text, and never leaves 0..1."""
    weights = Weights({"boil": 3.0, "water": 1.0, "nothing": 0.0})
    assert weights.share(["water", "other"]) == 0.25
    assert weights.coverage(passage("Clear it first.", title="Boiling water")) == 1.0
    assert Weights({}).share(["water"]) == 0.0


def test_rarity_is_positive_and_falls() -> None:
    values = [rarity(100, n) for n in (0, 1, 10, 100, 500)]
    assert values == sorted(values, reverse=True) and values[-1] > 0


def test_question_weights_come_from_the_sources() -> None:
    """Intent: a word that every passage has tells little; one that none has tells most."""
    source = FakeSource(["water one", "water two", "water hook"])
    weights = question_weights(analyse("water hook zebra"), [source]).by_key
    assert weights["water"] < weights["hook"] < weights["zebr"]


def test_question_weights_without_counts() -> None:
    """Intent: sources that cannot count (archives) still get sensible weights."""
    weights = question_weights(analyse("hypothermia cold"), []).by_key
    assert weights["hypothermi"] > weights["cold"] > 0


def test_a_word_looked_for_by_others_is_as_common_as_they_are() -> None:
    """Intent: "purify" is unknown and rare, but found as "disinfect" it tells no more than that."""
    source = FakeSource(["disinfect water", "disinfect hands", "boil water", "north"])
    plain = replace(analyse("purify"), terms=("purify",))
    wider = replace(plain, alternatives={"purify": ("disinfect",)})
    weights = [term_weights(asked, [source])["purify"] for asked in (plain, wider)]
    assert weights == [rarity(4, 0), rarity(4, 2)]
