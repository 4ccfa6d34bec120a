"""What a question wants: the floors of the held list, and doubt that means search."""

from __future__ import annotations

import pytest

from cairn.retrieval.routing import route
from tests.eval.routing.fit import examples

HELD = examples("held.txt")


def test_the_held_list_is_large_and_in_many_languages() -> None:
    assert len(HELD) >= 300 and len({language for language, _, _ in HELD}) >= 8
    assert not {text for _, _, text in HELD} & {text for _, _, text in examples("train.txt")}


def test_questions_and_emergencies_are_searched() -> None:
    """Intent: a person in need never gets small talk."""
    asked = [text for _, wanted, text in HELD if wanted in ("library", "emergency")]
    skipped = [text for text in asked if route(text).route == "chat"]
    assert len(skipped) <= 0.01 * len(asked), skipped


def test_small_talk_is_not_searched() -> None:
    talk = [text for _, wanted, text in HELD if wanted == "chat"]
    searched = [text for text in talk if route(text).route != "chat"]
    assert len(searched) <= 0.1 * len(talk), searched


@pytest.mark.parametrize(
    "question",
    [
        "hello, hornet stings", "thanks. epilepsy?", "hi, my leg is swollen", "are you allowed to burn wood?",
        "help", "¿y?", "", "😀", "hi " * 40, "good bread", "how old are icebergs?",
    ],
)  # fmt: skip
def test_doubt_means_search(question: str) -> None:
    assert route(question).route != "chat"
