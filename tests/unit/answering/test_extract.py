"""Quotes: the best sentences, as they stand, readable alone."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import replace

import pytest

from cairn.answering.extract import MEANING_BATCH, Extractor
from cairn.passages.types import Passage
from cairn.protocol import QuoteInfo
from cairn.retrieval.overlap import Weights, keys
from tests.unit.answering.writers import kept
from tests.unit.retrieval.library import Clock, passage

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
    return Extractor(question, kept(*passages), found).quotes()


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


def test_the_opening_of_a_document_speaks_of_its_title() -> None:
    """Intent: the summary is quoted although it leaves the subject to the title above it."""
    lead = replace(
        passage(
            "Press hard on the wound and do not let go. Bleeding tires people.", row=1, title="Stop bleeding"
        ),
        ordinal=0,
    )
    assert "Press hard" in quotes("stop bleeding", lead)[0]["text"]


def test_passages_of_one_document_stand_in_its_order() -> None:
    first = replace(passage("A rolling boil for a minute kills germs.", row=1, document="d"), ordinal=0)
    later = replace(
        passage("Boil the river water again if it was left open.", row=2, document="d"), ordinal=4
    )
    assert [q["n"] for q in quotes("boil river water germs", later, first)] == [2, 1]


def run_meaning(extractor: Extractor, cosines: dict[str, float], step: float = 1.0) -> list[str]:
    asked: list[str] = []

    async def embed(texts: Sequence[str]) -> list[array[float]]:
        asked.extend(texts)
        return [array("f", [next((c for word, c in cosines.items() if word in t), 0.7)]) for t in texts]

    asyncio.run(extractor.add_meaning(array("f", [1.0]), embed, Clock(step)))
    return asked


def test_meaning_decides_where_words_do_not() -> None:
    """Intent: a question in another language gets the sentence that answers, not the first one."""
    extractor = Extractor("hervir agua", kept(WATER, BLEACH), Weights({"hervir": 1.0, "agua": 1.0}))
    assert extractor.needs_meaning
    run_meaning(extractor, {"rolling boil": 0.88, "Chlorine": 0.8})
    assert [q["text"] for q in extractor.quotes()] == ["Bring the water to a rolling boil for one minute."]


def test_words_decide_alone_where_they_can() -> None:
    """Intent: the draft does not wait for a model when a sentence has the question's words."""
    weights = Weights({"boil": 1.0, "water": 1.0})
    assert not Extractor("boil water", kept(WATER), weights).needs_meaning
    assert not Extractor("water", [], weights).needs_meaning


def test_meaning_keeps_to_its_time() -> None:
    text = " ".join(f"Sentence number {n} is about something else entirely." for n in range(30))
    extractor = Extractor("agua", kept(passage(text)), Weights({"agua": 1.0}))
    assert len(run_meaning(extractor, {}, step=10_000.0)) == MEANING_BATCH
    assert extractor.quotes()


def test_a_line_without_a_stop_is_a_heading_unless_it_is_listed() -> None:
    text = "Signs that water is safe for children\n\n- Boil the water until it is safe for everyone\n"
    found = [q["text"] for q in quotes("water safe children", passage(text, row=1))]
    assert found == ["Boil the water until it is safe for everyone"]
