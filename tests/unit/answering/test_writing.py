"""Models with a voice of their own: reasoning, and each way of going wrong, recovered once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from cairn.answering import state as notes
from cairn.answering.turn import run_turn
from cairn.errors import CairnError, WorkerCrashed
from cairn.models.ports import ChatMessage, Delta, Finished, ModelInfo
from cairn.protocol import AskResult
from tests.unit.answering.writers import FakeGenerator
from tests.unit.retrieval.library import Clock, FakeSource

TEXTS = [
    "To make river water safe to drink, bring it to a rolling boil for one minute. Let it cool.",
    "Two drops of bleach clean a litre of clear river water in thirty minutes.",
    "Sphagnum moss under the bark keeps a wound clean while you walk to the doctor.",
]
QUESTION = "How do I make river water safe to drink?"
OWN = ModelInfo("lfm", "r", "q4", "wasm", context=32_768)
BOIL = "Bring river water to a rolling boil for one minute."


class Scripted(FakeGenerator):
    """Says one list of pieces a call; the last list again when there are no more."""

    def __init__(self, *calls: Sequence[str | CairnError], finishes: Sequence[str] = ()) -> None:
        super().__init__()
        self.info = OWN
        self.calls = list(calls)
        self.finishes = list(finishes)
        self.prompts: list[list[ChatMessage]] = []
        self.limits: list[int] = []

    async def generate(self, messages: Sequence[ChatMessage], **more: Any) -> AsyncIterator[Delta | Finished]:
        number = len(self.prompts)
        self.prompts.append(list(messages))
        self.limits.append(more["max_new_tokens"])
        self.pieces = list(self.calls[min(number, len(self.calls) - 1)])
        self.finish = self.finishes[number] if number < len(self.finishes) else "stop"
        async for part in super().generate(messages, **more):
            yield part


def run(generator: FakeGenerator, sources: Sequence[FakeSource] | None = None) -> tuple[AskResult, list[Any]]:
    events: list[Any] = []
    result = asyncio.run(
        run_turn(
            QUESTION, sources=sources or [FakeSource(TEXTS)], embedder=None, generator=generator,
            clock=Clock(), emit=events.append, nonce="n0nce",
        )
    )  # fmt: skip
    return result, events


def said(events: list[Any], kind: str) -> str:
    return "".join(event.get("text", event.get("message", "")) for event in events if event["type"] == kind)


def test_reasoning_is_shown_apart_from_the_answer() -> None:
    result, events = run(Scripted(["<th", "ink>River", " water?</thi", "nk>", BOIL]))
    assert result["text"] == f"{BOIL} [1]" and said(events, "thinking_delta") == "River water?"
    assert result["finish"] == "complete"


def test_reasoning_that_eats_the_budget_is_cut_and_asked_again_with_less_evidence() -> None:
    generator = Scripted(["<think>", *["hm "] * 400], [BOIL])
    result, events = run(generator)
    assert result["text"] == f"{BOIL} [1]" and result["finish"] == "complete"
    assert len(generator.prompts) == 2 and "without thinking" in generator.prompts[1][-1].content
    assert said(events, "thinking_delta").count("hm") < 200
    assert [e for e in events if e["type"] == "debug"][-1]["debug"]["model"]["recoveries"] == ["reasoning"]


def test_a_model_that_only_thinks_ends_with_a_reason() -> None:
    """Intent: each recovery once, then an honest end; the quotes stay."""
    generator = Scripted(["<think>hm</think>"])
    result, _ = run(generator)
    assert len(generator.prompts) == 2 and result["finish"] == "failed" and result["text"] == ""
    assert result["reason"] == notes.ONLY_THOUGHT and result["quotes"]


def test_a_sentence_that_was_cut_is_finished_once() -> None:
    generator = Scripted(
        ["Bring river water to a rolling"], [" a rolling boil for one", " minute. More."], finishes=["length"]
    )
    result, _ = run(generator)
    assert result["text"] == f"{BOIL} [1]" and result["finish"] == "complete"
    assert generator.prompts[1][-2].role == "assistant" and generator.limits[1] < generator.limits[0] + 1


def test_a_continuation_that_is_cut_again_stays_cut() -> None:
    generator = Scripted(["Bring river water to a"], [" rolling"], finishes=["length", "length"])
    result, events = run(generator)
    assert len(generator.prompts) == 2 and result["finish"] == "length"
    assert result["text"] == "Bring river water to a rolling [1]"
    assert notes.NOTE_LENGTH in said(events, "note")


def test_an_invented_tool_call_becomes_one_local_search() -> None:
    """Intent: tools are off; what the model looked for is looked for here, nowhere else."""
    call = '<tool_call>{"name": "web_search", "arguments": {"query": "sphagnum moss wound"}}</tool_call>'
    moss = "Sphagnum moss keeps a wound clean."
    generator = Scripted([BOIL, call], [moss])
    result, events = run(generator)
    assert "tool_call" not in result["text"] and len(generator.prompts) == 2
    assert "Sphagnum" in generator.prompts[1][-1].content and "no tools" in generator.prompts[1][-1].content
    assert result["text"].startswith(BOIL) and moss in result["text"]
    cited = {c["n"]: c for c in result["citations"]}
    assert all(sentence["n"] in cited for sentence in result["sentences"])
    assert [e for e in events if e["type"] == "debug"][-1]["debug"]["tool_search"][
        "query"
    ] == "sphagnum moss wound"


def test_a_model_that_keeps_calling_tools_is_ended() -> None:
    generator = Scripted(["<tool_call>{}</tool_call>"])
    result, _ = run(generator)
    assert len(generator.prompts) == 2 and result["finish"] == "failed" and result["text"] == ""


def test_a_loop_is_stopped_and_kept() -> None:
    generator = Scripted(["Boil the river water now. "] * 40)
    result, events = run(generator)
    assert len(generator.prompts) == 1 and result["finish"] == "length" and result["text"]
    assert notes.NOTE_LOOPING in said(events, "note")


@pytest.mark.parametrize("pieces", [[], [" ", "\n"], ["<think></think>"], ["</s>", "<|im_end|>"]])
def test_nothing_written_is_said_to_be_nothing(pieces: list[str]) -> None:
    result, _ = run(Scripted(pieces))
    assert result["quotes"] and (result["finish"] == "failed" or not result["text"].strip("</s>"))


def test_broken_utf8_reaches_nobody() -> None:
    result, events = run(Scripted(["Boil the river water \ud83d", "\x00 for one minute."]))
    (result["text"] + said(events, "text_delta")).encode()
    assert "\x00" not in result["text"]


def test_a_model_that_dies_while_it_recovers() -> None:
    crash = WorkerCrashed("The answering model ran out of memory.")
    result, _ = run(Scripted(["Bring river water to a rolling"], [" boil", crash], finishes=["length"]))
    assert result["finish"] == "failed" and result["text"].startswith("Bring river water to a rolling boil")


def test_a_model_without_a_voice_of_its_own_is_not_asked_twice() -> None:
    generator = Scripted(["<think>"], finishes=["length"])
    generator.info = ModelInfo("smollm", "r", "q8", "wasm", context=8_192, voice="sources")
    run(generator)
    assert len(generator.prompts) == 1
