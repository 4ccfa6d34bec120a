"""Quotes: the best sentences, as they stand, readable alone."""

from __future__ import annotations

import pytest

from cairn.answering.extract import extract
from cairn.passages.types import Passage
from cairn.protocol import QuoteInfo
from cairn.retrieval.overlap import Weights, keys
from tests.unit.answering.writers import kept
from tests.unit.retrieval.library import passage

WATER = passage(
    "# Making water safe\n\nRivers carry germs even when they look clear. Bring the water to a rolling "
    "boil for one minute. This kills germs. Let it cool in a covered pot.\n\n"
    "| Height | Minutes |\n|---|---|\n| river | boil 3 |\n\n"
    "What if you cannot boil river water? You will need:\n",
    row=1,
    title="Boiling water",
)
BLEACH = passage("Chlorine makes river water safe in thirty minutes. Smell it.", row=2, title="Bleach")


def quotes(question: str, *passages: Passage, weights: dict[str, float] | None = None) -> list[QuoteInfo]:
    found = Weights(weights if weights is not None else dict.fromkeys(keys(question), 1.0))
    return extract(question, kept(*passages), found)


def test_the_best_sentences_are_quoted_with_their_citation() -> None:
    found = quotes("boil river water safe", WATER, BLEACH)
    assert {"text": "Bring the water to a rolling boil for one minute.", "n": 1} in found
    assert {"text": "Chlorine makes river water safe in thirty minutes.", "n": 2} in found
    assert len(found) <= 4


@pytest.mark.parametrize("part", ["# Making", "|", "This kills", "You will need", "What if"])
def test_what_cannot_stand_alone_is_not_quoted(part: str) -> None:
    """Intent: no headings, table rows, questions, announcements, or sentences that point back."""
    found = quotes("boil river water germs need", WATER)
    assert found and not any(part in quote["text"] for quote in found)


def test_sentences_of_a_passage_stand_in_its_order() -> None:
    found = [q["text"] for q in quotes("water boil germs rivers clear", WATER)]
    positions = [WATER.text.index(text) for text in found]
    assert positions == sorted(positions)


def test_inflections_count() -> None:
    found = quotes("boiling", passage("The pot must be boiled for a while. Salt is white and dry.", row=1))
    assert found[0]["text"].startswith("The pot must be boiled")


def test_a_figure_is_preferred_where_one_is_asked_for() -> None:
    plain = passage("Boil the water before you drink any of it.", row=1)
    figure = passage("Boil the water for 3 minutes on a mountain.", row=2)
    assert quotes("how to boil water", plain, figure)[0]["n"] == 1
    assert quotes("how long to boil water", plain, figure)[0]["n"] == 2
    weights = {"boil": 1.0, "water": 1.0}
    assert quotes("cuánto tiempo hervir", plain, figure, weights=weights)[0]["n"] == 2


def test_without_shared_words_the_first_readable_sentences_are_quoted() -> None:
    """Intent: a Spanish question found English passages by meaning."""
    found = quotes("hervir agua del arroyo", WATER, BLEACH)
    assert [q["n"] for q in found] == [1, 2]
    assert found[0]["text"] == "Rivers carry germs even when they look clear."


def test_nothing_is_said_twice() -> None:
    twin = passage("Bring the water to a rolling boil for one minute!", row=3)
    found = quotes("boil water", passage("Bring the water to a rolling boil for one minute.", row=1), twin)
    assert len(found) == 1


def test_chinese() -> None:
    text = "如果河水混浊，先过滤。把水煮沸一分钟，然后冷却再喝。它可以杀死细菌。"
    found = quotes("煮沸", passage(text, row=1, language="zho"))
    assert found[0]["text"] == "把水煮沸一分钟，然后冷却再喝。"


def test_list_numbers_are_cut_and_lines_joined() -> None:
    text = "1. Boil the river water\n   for one whole minute.\n2. Drink it when it is cold enough."
    assert (
        quotes("boil water", passage(text, row=1))[0]["text"] == "Boil the river water for one whole minute."
    )


def test_nothing_to_quote() -> None:
    assert quotes("water") == []
    assert quotes("water", passage("| a | b |\n| water | c |", row=1)) == []
    assert quotes("", passage("", row=1)) == []
