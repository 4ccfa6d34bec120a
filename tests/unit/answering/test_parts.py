"""Questions that ask several things, and what is said of the parts."""

from __future__ import annotations

import pytest

from cairn.answering.parts import parts
from cairn.retrieval.analysis import analyse

SEVERAL = [
    ("How do I purify river water and how do I treat a snake bite?", 2),
    ("How do I purify river water? Where can I buy a cheap helicopter?", 2),
    ("¿Cómo purifico el agua del río y cómo trato una mordedura de serpiente?", 2),
    ("Comment purifier l'eau de la rivière et comment soigner une morsure de serpent ?", 2),
    ("Wie reinige ich Flusswasser und wie behandle ich einen Schlangenbiss?", 2),
    ("Как очистить речную воду и как лечить укус змеи?", 2),
    ("كيف أنقي ماء النهر وكيف أعالج لدغة الأفعى؟", 2),
    ("怎么净化河水，以及如何处理蛇咬伤？", 2),
]
ONE = [
    "How do I purify river water and store it?",
    "What are the signs of dehydration and heat stroke?",
    "Bread and butter",
    "How do I purify water? Please tell me.",
    "",
    "?",
    "Is it safe? And how? And why? And when?",
]


@pytest.mark.parametrize(("question", "count"), SEVERAL)
def test_several(question: str, count: int) -> None:
    assert len(parts(analyse(question))) == count


@pytest.mark.parametrize("question", ONE)
def test_one(question: str) -> None:
    """Intent: only what is surely two questions is taken apart."""
    assert parts(analyse(question)) == []
