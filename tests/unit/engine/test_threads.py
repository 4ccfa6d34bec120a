"""Conversations through the engine: kept however they end, private, and handed to the next question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cairn import protocol
from cairn.answering.conversation import PastTurn
from cairn.errors import StorageFull
from cairn.storage.history import History
from tests.unit.engine.device import Client, Device
from tests.unit.engine.fakes import until

OnDevice = Callable[[Callable[[Device], Awaitable[None]]], None]
QUESTION = "How long must I boil river water?"


async def ready(d: Device) -> Client:
    """A page in front of an engine whose models are ready."""
    await d.started()
    await until(lambda: d.engine.answers.ready)
    return d.page()


async def thread_of(page: Client, thread: str = "t") -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = (await page.call("threads.get", thread=thread))["turns"]
    return turns


def test_an_answered_turn_is_kept_with_sources_and_settings(on_device: OnDevice) -> None:
    """Intent: a stored thread reopens as it was, after a restart too."""

    async def scenario(d: Device) -> None:
        page = await ready(d)
        params = {"thread": "t", "turn": "a", "sources": ["notes"], "style": "detailed", "language": "es"}
        result = await page.call("engine.ask", question=QUESTION, **params)
        assert (result["thread"], result["turn"]) == ("t", "a")
        await d.engine.close()
        d.engine = d.new_engine()
        page = await ready(d)
        found = await page.call("threads.get", thread="t")
        assert found["thread"]["title"] == QUESTION
        assert found["thread"]["settings"] == {"chosen": ["notes"], "style": "detailed", "language": "es"}
        assert found["earlier"] is False
        (turn,) = found["turns"]
        assert (turn["question"], turn["state"]) == (QUESTION, "ended")
        kept = turn["result"]
        digests = [citation.pop("sha256") for citation in kept["citations"]]
        assert kept["citations"]
        assert all(len(digest) == 64 for digest in digests)
        assert kept == {k: v for k, v in result.items() if k not in ("thread", "turn")}
        assert turn["settings"]["sources"] == [{"id": "notes", "title": "Field notes 1"}]
        debug = (await page.call("threads.debug", turn="a"))["debug"]
        assert debug["fused"]

    on_device(scenario)


def test_a_question_without_a_thread_is_not_kept(on_device: OnDevice) -> None:
    """Intent: only what belongs to a conversation is written down."""

    async def scenario(d: Device) -> None:
        page = await ready(d)
        result = await page.call("engine.ask", question=QUESTION)
        assert "thread" not in result
        assert (await page.call("threads.list"))["total"] == 0

    on_device(scenario)


def test_the_next_question_knows_the_turns_before_it(
    on_device: OnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: a follow-up is understood; asking again uses what came before that turn, not after."""
    seen: list[list[PastTurn]] = []

    async def scenario(d: Device) -> None:
        from cairn.services import run_turn

        async def spy(question: str, **options: Any) -> Any:
            seen.append(options["history"])
            return await run_turn(question, **options)

        monkeypatch.setattr("cairn.services.run_turn", spy)
        page = await ready(d)
        for turn, question in (("a", QUESTION), ("b", "And for a child?"), ("b", "And on a mountain?")):
            await page.call("engine.ask", question=question, thread="t", turn=turn)
        assert seen[0] == []
        assert [(past.question, past.query) for past in seen[1]] == [(QUESTION, QUESTION)]
        assert "Boil the water" in seen[1][0].answer
        assert seen[2] == seen[1]
        assert [turn["question"] for turn in await thread_of(page)] == [QUESTION, "And on a mountain?"]
        await page.call("engine.ask", question="Elsewhere?", thread="other")
        assert seen[3] == []

    on_device(scenario)


def test_a_stop_keeps_what_was_written(on_device: OnDevice) -> None:
    """Intent: the partial answer is stored, with its quotes and sources."""

    async def scenario(d: Device) -> None:
        d.generator.sentences = ["Boil river water for one minute before you drink it. "] * 3
        d.generator.gate_generation = asyncio.Event()
        page = await ready(d)
        request = page.begin("engine.ask", question=QUESTION, thread="t", turn="a")
        await until(lambda: any(e["type"] == "draft" for e in page.events(request)))
        (turn,) = await thread_of(page)
        assert turn["state"] == "running"
        assert turn["result"]["quotes"]
        d.generator.gate_generation.set()
        await until(lambda: any(e["type"] == "text_delta" for e in page.events(request)))
        page.cancel(request)
        result = (await page.answer(request))["result"]
        (turn,) = await thread_of(page)
        assert turn["state"] == "ended"
        assert turn["result"]["finish"] == result["finish"]
        assert turn["result"]["text"] == result["text"] != ""

    on_device(scenario)


def test_a_page_that_goes_away_leaves_its_turn_stopped(on_device: OnDevice) -> None:
    """Intent: a tab closed in the middle of an answer, or taken over, loses nothing of it."""

    async def scenario(d: Device) -> None:
        d.generator.gate_generation = asyncio.Event()
        page = await ready(d)
        request = page.begin("engine.ask", question=QUESTION, thread="t", turn="a")
        await until(lambda: any(e["type"] == "draft" for e in page.events(request)))
        await d.engine.close()
        d.engine = d.new_engine()
        (turn,) = await thread_of(await ready(d))
        assert (turn["state"], turn["result"]["finish"]) == ("ended", "stopped")
        assert turn["result"]["quotes"]

    on_device(scenario)


def test_an_engine_that_dies_leaves_the_question_and_the_draft(on_device: OnDevice) -> None:
    """Intent: nothing runs at the end of a killed worker; what was saved on the way is there."""

    async def scenario(d: Device) -> None:
        d.generator.gate_generation = asyncio.Event()
        page = await ready(d)
        request = page.begin("engine.ask", question=QUESTION, thread="t", turn="a")
        await until(lambda: any(e["type"] == "draft" for e in page.events(request)))
        dead, d.engine = d.engine, d.new_engine()  # over the same storage, as after a crash
        (turn,) = await thread_of(await ready(d))
        assert (turn["question"], turn["state"]) == (QUESTION, "interrupted")
        assert turn["result"]["quotes"]
        await dead.close()

    on_device(scenario)


def test_a_question_that_fails_is_kept_with_its_reason(on_device: OnDevice) -> None:
    """Intent: a thread shows why there is no answer."""

    async def scenario(d: Device) -> None:
        d.fetch.files.clear()  # nothing can be installed
        page = await ready(d)
        error = await page.fault("engine.ask", question=QUESTION, thread="t", turn="a")
        (turn,) = await thread_of(page)
        assert turn["result"]["finish"] == "failed"
        assert error["message"] in turn["result"]["reason"]

    on_device(scenario)


def test_list_rename_delete_clear(on_device: OnDevice) -> None:
    """Intent: what a person may do with threads; what is gone says so."""

    async def scenario(d: Device) -> None:
        page = await ready(d)
        await page.call("engine.ask", question=QUESTION, thread="water", turn="a")
        await page.call("engine.ask", question="What stops heavy bleeding?", thread="blood", turn="b")
        found = await page.call("threads.list")
        assert [thread["id"] for thread in found["threads"]] == ["blood", "water"]
        assert (found["total"], found["more"], found["keep"]) == (2, False, True)
        found = await page.call("threads.list", query="BOIL river")
        assert [thread["id"] for thread in found["threads"]] == ["water"]
        await page.call("threads.rename", thread="water", title="The river")
        assert [t["title"] for t in (await page.call("threads.list", query="the river"))["threads"]] == [
            "The river"
        ]
        await page.call("threads.delete", thread="water")
        assert (await page.fault("threads.get", thread="water"))["code"] == "thread_not_found"
        assert (await page.fault("threads.rename", thread="water", title="x"))["code"] == "thread_not_found"
        await page.call("threads.clear")
        assert (await page.call("threads.list"))["total"] == 0

    on_device(scenario)


def test_history_can_be_turned_off(on_device: OnDevice) -> None:
    """Intent: nothing is written, the conversation goes on, and what was kept stays until it is deleted."""

    async def scenario(d: Device) -> None:
        page = await ready(d)
        await page.call("engine.ask", question=QUESTION, thread="old", turn="a")
        await page.call("threads.keep", keep=False)
        before = await page.call("engine.ask", question="A privatequestion?", thread="new", turn="b")
        assert before["turn"] == "b"
        stored = b"".join((await _bytes(d)).values())
        assert b"privatequestion" not in stored
        found = await page.call("threads.list")
        assert ([t["id"] for t in found["threads"]], found["keep"]) == (["old"], False)
        assert [turn["question"] for turn in await thread_of(page, "new")] == ["A privatequestion?"]
        await page.call("threads.delete", thread="new")
        assert (await page.fault("threads.get", thread="new"))["code"] == "thread_not_found"
        await page.call("threads.keep", keep=True)
        await page.call("engine.ask", question="Kept?", thread="new", turn="c")
        assert (await page.call("threads.list"))["total"] == 2

    on_device(scenario)


async def _bytes(d: Device) -> dict[str, bytes]:
    from pathlib import Path

    return {
        info.name: Path(await d.files.ensure(info.name)).read_bytes()
        for info in await d.files.list()
        if info.name.startswith("state.db")
    }


def test_an_answer_that_cannot_be_kept_is_still_given(
    on_device: OnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: a full device costs the history, not the answer; the page says so once."""

    def full(*_: Any, **__: Any) -> None:
        raise StorageFull("There is no room left to save to.")

    async def scenario(d: Device) -> None:
        page = await ready(d)
        monkeypatch.setattr(History, "save", full)
        request = page.begin("engine.ask", question=QUESTION, thread="t", turn="a")
        reply = await page.answer(request)
        assert reply["result"]["text"].startswith("Boil the water")
        notes = [event["message"] for event in page.events(request) if event["type"] == "note"]
        assert [note for note in notes if "could not be kept" in note] == [
            "This answer could not be kept in your history. There is no room left to save to."
        ]

    on_device(scenario)


def test_a_turn_deleted_while_it_is_answered_stays_deleted(on_device: OnDevice) -> None:
    """Intent: "clear everything" means everything, whatever still runs."""

    async def scenario(d: Device) -> None:
        d.generator.gate_generation = asyncio.Event()
        page = await ready(d)
        request = page.begin("engine.ask", question=QUESTION, thread="t", turn="a")
        await until(lambda: any(e["type"] == "draft" for e in page.events(request)))
        await page.call("threads.clear")
        d.generator.gate_generation.set()
        assert "result" in await page.answer(request)
        assert (await page.call("threads.list"))["total"] == 0

    on_device(scenario)


def test_every_method_about_threads_is_served(on_device: OnDevice) -> None:
    """Intent: the table and the engine cannot drift apart."""
    params: dict[str, dict[str, Any]] = {
        "threads.get": {"thread": "t"},
        "threads.debug": {"turn": "a"},
        "threads.rename": {"thread": "t", "title": "A name"},
        "threads.delete": {"thread": "nothing"},
        "threads.keep": {"keep": True},
    }

    async def scenario(d: Device) -> None:
        page = await ready(d)
        await page.call("engine.ask", question=QUESTION, thread="t", turn="a")
        for method in protocol.ENGINE_METHODS:
            if method.startswith("threads."):
                await page.call(method, **params.get(method, {}))

    on_device(scenario)
