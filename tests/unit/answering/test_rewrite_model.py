"""A model's rewrite is used only when it holds; everything else falls back to the rules."""

from __future__ import annotations

import asyncio

import pytest

from cairn.answering import rewrite_model
from cairn.answering.conversation import PastTurn
from cairn.answering.rewrite import Rewrite, standalone
from cairn.answering.rewrite_model import by_model
from cairn.errors import CairnError, WorkerCrashed
from cairn.models.ports import ModelInfo
from tests.unit.answering.writers import SMOLLM, FakeGenerator

FIRST = "How much water does an adult need a day?"
PAST = [PastTurn(FIRST, FIRST, "SECRET EVIDENCE says two litres.")]
THEN = "And for a child?"
GOOD = "How much water does a child need a day?"


def rewrite(*pieces: str | CairnError, info: ModelInfo | None = None) -> tuple[Rewrite, FakeGenerator]:
    generator = FakeGenerator(*pieces)
    generator.info = info or ModelInfo("lfm", "r", "q4", "webgpu", context=8_192)
    return asyncio.run(by_model(THEN, PAST, standalone(THEN, PAST), generator)), generator


@pytest.mark.parametrize("said", [GOOD, f"Standalone question: {GOOD}", f"<think>hm</think>\n“{GOOD}”"])
def test_a_good_one_is_used(said: str) -> None:
    made, generator = rewrite(*said.split(" ", 1)[0:1], said[len(said.split(" ", 1)[0]) :])
    assert made.query == GOOD and made.why == "by the model"
    assert "SECRET" not in "".join(message.content for message in generator.messages)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "How much beer does a child need a day?",
        "How much water does a child in Berlin need a day?",
        "¿Cuánta agua necesita un niño al día?",
        f"{GOOD} Water is important.",
        "How much water does an adult need a day?",
        "child",
        "How much water\ndoes a child need?",
        "water " * 100,
    ],
)
def test_anything_else_is_refused(said: str) -> None:
    made, _ = rewrite(said)
    assert made.query == standalone(THEN, PAST).query and made.rewritten


def test_a_model_that_fails_or_hangs_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite_model, "LIMIT_S", 0.02)
    made, _ = rewrite(WorkerCrashed("Gone."))
    assert made.query == standalone(THEN, PAST).query
    generator = FakeGenerator("How")
    generator.info, generator.hangs = ModelInfo("lfm", "r", "q4", "webgpu", context=8_192), True
    made = asyncio.run(by_model(THEN, PAST, standalone(THEN, PAST), generator))
    assert made.query == standalone(THEN, PAST).query and generator.closed == 1


def test_the_default_model_is_not_asked() -> None:
    """Intent: it is too small to be trusted with words of its own."""
    made, generator = rewrite(GOOD, info=SMOLLM)
    assert made.why != "by the model" and generator.messages == []
