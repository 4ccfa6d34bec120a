"""Attribution of streamed text, sentence by sentence."""

from __future__ import annotations

import pytest

from cairn.answering.attribute import Attributor
from cairn.answering.loops import LoopDetector
from cairn.passages.types import Passage
from tests.unit.retrieval.library import passage

BOIL = passage(
    "Bring clear water to a rolling boil for one minute. Above 2,000 m boil it for three minutes. "
    "Let it cool by itself in a covered pot.",
    row=1,
    title="Boiling water",
)
CHLORINE = passage(
    "Add two drops of unscented bleach to each litre of clear water. Stir and wait thirty minutes "
    "before drinking. The water should smell slightly of chlorine.",
    row=2,
    title="Bleach",
)
EVIDENCE = [(1, BOIL), (2, CHLORINE)]


def attribute(text: str, size: int = 0, evidence: list[tuple[int, Passage]] = EVIDENCE) -> Attributor:
    """Feed a text in pieces of ``size`` characters (0: at once)."""
    attributor = Attributor(evidence)
    pieces = [text[i : i + size] for i in range(0, len(text), size)] if size else [text]
    shown = "".join(attributor.feed(piece) for piece in pieces) + attributor.finish()
    assert shown == attributor.text
    return attributor


def test_each_sentence_gets_its_passage() -> None:
    """Intent: every statement carries its citation where it is said."""
    found = attribute(
        "Bring the water to a rolling boil for one minute. Or add two drops of bleach to each litre."
    )
    assert found.text == (
        "Bring the water to a rolling boil for one minute. [1] Or add two drops of bleach to each litre. [2]"
    )
    assert [(s["n"], s["confirmed"]) for s in found.sentences] == [(1, True), (2, True)]
    assert found.cited == {1, 2}


def test_what_no_passage_says_gets_no_citation() -> None:
    found = attribute("Coconut palms grow near tropical beaches.")
    assert found.text == "Coconut palms grow near tropical beaches."
    assert found.sentences[0]["n"] == 0 and not found.sentences[0]["confirmed"]
    assert found.sentences[0]["support"] < 0.3


@pytest.mark.parametrize(
    "wrong",
    [
        "Bring clear water to a rolling boil for ten minutes.",
        "Bring clear water to a rolling boil for 1 hour.",
        "Add 20 drops of unscented bleach to each litre of clear water.",
        "Above 3,000 m boil it for three minutes.",
    ],
)
def test_a_wrong_figure_is_never_confirmed(wrong: str) -> None:
    """Intent: numbers and units must match; the small model gets figures wrong."""
    found = attribute(wrong)
    assert [s["confirmed"] for s in found.sentences] == [False]
    right = wrong.replace("ten", "one").replace("1 hour", "1 minute").replace("20 d", "2 d")
    right = right.replace("3,000", "2000")
    assert [s["confirmed"] for s in attribute(right).sentences] == [True]


def test_markers_of_the_model_are_removed_and_only_hints() -> None:
    """Intent: an invented citation is never shown."""
    found = attribute(
        "Boil the water [7] for one minute [2][3]. Stir and wait thirty minutes [CN-P-0ABC]. [9]"
    )
    assert found.text == "Boil the water for one minute. [1] Stir and wait thirty minutes. [2]"


def test_lists_decimals_abbreviations_and_markup() -> None:
    text = (
        "## Steps\n\nDo this:\n\n1. Bring clear water to a rolling boil for one minute.\n"
        "2. **Let it cool** by itself in a covered pot\n"
        "- Add e.g. two drops of bleach per litre (approx. 0.1 ml).\n"
    )
    found = attribute(text)
    assert found.text == (
        "## Steps\n\nDo this:\n\n1. Bring clear water to a rolling boil for one minute. [1]\n"
        "2. **Let it cool** by itself in a covered pot [1]\n"
        "- Add e.g. two drops of bleach per litre (approx. 0.1 ml). [2]\n"
    )
    assert [s["text"] for s in found.sentences] == [
        "Bring clear water to a rolling boil for one minute.",
        "Let it cool by itself in a covered pot",
        "Add e.g. two drops of bleach per litre (approx. 0.1 ml).",
    ]
    assert not found.sentences[2]["confirmed"]  # 0.1 ml stands nowhere


def test_tables_and_code_are_left_alone() -> None:
    text = "| Boil water | one minute |\n|---|---|\n\n```\nBoil clear water for one minute.\n```\n"
    found = attribute(text)
    assert found.text == text and found.sentences == []


def test_other_scripts() -> None:
    """Intent: 。 and ؟ end sentences without a space."""
    zh = passage("将清水煮沸一分钟。海拔两千米以上煮沸三分钟。", row=3, language="zho", title="煮水")
    ar = passage("اغلِ الماء الصافي لمدة دقيقة واحدة. ثم اتركه ليبرد.", row=4, language="ara", title="الماء")
    found = attribute("将清水煮沸一分钟。海拔两千米以上煮沸三分钟。", evidence=[(1, zh), (2, ar)])
    assert found.text == "将清水煮沸一分钟。 [1]海拔两千米以上煮沸三分钟。 [1]"
    arabic = attribute("هل نغلي الماء الصافي لمدة دقيقة؟ ثم اتركه ليبرد.", evidence=[(1, zh), (2, ar)])
    assert arabic.text.count("[2]") == 2


def test_an_open_bracket_at_the_end_is_shown() -> None:
    assert attribute("Boil the water [").text == "Boil the water [ [1]"
    assert attribute("Array a[1] and b[i").text == "Array a and b[i"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_the_pieces_do_not_matter(size: int) -> None:
    """Intent: the outcome depends on the text alone."""
    text = (
        "Boil clear water [1] for one minute.[2] Dr. Smith says 3.5 l… ok?\n\n- Wait [see below] thirty "
        "minutes.** Then!\r\n| a. B | [1] |\n```\nx. Y\n```\n将清水煮沸。再 [3] [4]. J. Doe. End [12"
    )
    whole, cut = attribute(text), attribute(text, size)
    assert whole.text == cut.text and whole.sentences == cut.sentences


def test_text_is_shown_at_once() -> None:
    """Intent: streaming; only what may still become something else waits."""
    attributor = Attributor(EVIDENCE)
    assert attributor.feed("Boil") == "Boil"
    assert attributor.feed(" the") == " the"
    assert attributor.feed(" wat") == " wat"
    assert attributor.feed("er. ") == "er"
    assert attributor.feed("Th").endswith(" Th")


@pytest.mark.parametrize(
    "loop",
    [
        "Boil the water. " * 30,
        "".join(f"{n}. Boil the clear water.\n" for n in range(1, 30)),
        "water " * 60,
        "and then the fire and then the fire " * 10,
        "煮沸水" * 20,
    ],
)
def test_loops_are_stopped_and_kept(loop: str) -> None:
    """Intent: a model that repeats itself is cut off; what it said once stays."""
    for size in (0, 1, 7):
        found = attribute("Bring clear water to a rolling boil. " + loop, size)
        assert found.looping
        assert found.text == attribute("Bring clear water to a rolling boil. " + loop).text
        assert len(found.text) < 0.8 * len(loop) + 60
        assert found.text.startswith("Bring clear water to a rolling boil. ")


def test_repetition_that_is_no_loop() -> None:
    text = "Push hard, push fast. Push hard, push fast. " + "".join(
        f"- Give {n} drops to each child of {n} years.\n" for n in range(1, 9)
    )
    assert not attribute(text).looping
    assert LoopDetector().feed("no, no, no, no. ") is None


def test_without_evidence_nothing_is_cited() -> None:
    found = attribute("Boil the water.", evidence=[])
    assert found.text == "Boil the water." and found.sentences[0]["n"] == 0
