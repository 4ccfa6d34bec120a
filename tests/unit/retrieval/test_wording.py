"""What a passage says in the words of a question."""

from __future__ import annotations

import pytest

from cairn.retrieval.overlap import Weights, plain_words
from cairn.retrieval.wording import Wording, flat, parts, read
from tests.unit.retrieval.library import passage


def score(wording: Wording, text: str, title: str = "") -> float:
    words = plain_words(text)
    return wording.score(flat(plain_words(title)), flat(words), len(words))


def test_whole_words_tell_most_parts_help() -> None:
    """Intent: inflections and typing errors are near, other words are not."""
    wording = Wording({"bleeding": 5.0})
    exact, near, typo, other = (
        score(wording, f"How to stop {word} from a wound.")
        for word in ("bleeding", "bleed", "bledng", "burns")
    )
    assert exact > near > typo > other == 0.0
    assert exact <= 1.0


def test_rare_words_and_titles_count_more() -> None:
    wording = Wording({"tourniquet": 7.0, "water": 1.0})
    assert score(wording, "a tourniquet") > score(wording, "some water")
    assert score(wording, "text", "Water") > score(wording, "text water", "")
    assert score(wording, "water " * 5 + "other " * 400) < score(wording, "water " * 5)


def test_without_words_nothing_is_said() -> None:
    assert score(Wording({}), "water") == 0.0


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("止血", "直接压迫止血法"),
        ("الماء", "اغسل بالماء"),
        ("पानी", "पानी को उबालें"),
        ("น้ำสะอาด", "ดื่มน้ำสะอาดเท่านั้น"),
    ],
)
def test_every_script(term: str, text: str) -> None:
    """Intent: CJK bigrams inside runs, Arabic behind its particles, vowel signs, Thai without spaces."""
    assert score(Wording({term: 4.0}), text) > 0.1


def test_other_forms_count_as_the_word() -> None:
    plain, wider = Wording({"bled": 5.0}), Wording({"bled": 5.0}, {"bled": ["bleeding"]})
    found = passage("Bleeding stops.")
    assert read(found, Weights({"bled": 1.0}), wider)[0] == 1.0
    assert read(found, Weights({"bled": 1.0}), plain)[0] == 0.0
    assert score(wider, "bleeding stops") > score(plain, "bleeding stops")
    assert score(plain, "he bled") == pytest.approx(score(wider, "he bled"))


def test_parts() -> None:
    assert parts("bleed") == [" ble", "blee", "leed", "eed "]
    assert parts("a") == [" a "]


def test_a_passage_is_read_once_for_both_measures() -> None:
    found = passage("Press hard on the wound.", title="Bleeding", locator="Bleeding")
    coverage, wording = read(
        found, Weights({"bleed": 1.0, "wound": 1.0, "tick": 2.0}), Wording({"bleeding": 3.0})
    )
    assert coverage == Weights({"bleed": 1.0, "wound": 1.0, "tick": 2.0}).coverage(found)
    assert wording > 0.5
