"""The engine's life: what is usable when, what a failure costs, and that it always comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from cairn.engine import Engine
from cairn.errors import DownloadFailed, ModelUnavailable, StorageUnavailable, WorkerCrashed
from cairn.index.kernel_file import FileKernel
from cairn.index.vector_store import VectorRoom
from cairn.storage.state import STATE_FILE, State
from tests.unit.engine.device import Device
from tests.unit.engine.fake_packs import pack_bytes, publish
from tests.unit.engine.fakes import settle, until

OnDevice = Callable[[Callable[[Device], Awaitable[None]]], None]
QUESTION = "How long must I boil river water?"


def test_start_brings_up_words_then_meaning_then_answers(on_device: OnDevice) -> None:
    """Intent: the person can search before any model is there; heavy parts come one at a time."""

    async def scenario(d: Device) -> None:
        page = d.page()
        assert page.cell("library")["state"] == "starting"
        await d.started()
        assert d.log == [
            "step storage",
            "step library",
            "step starter",
            "load embedder",
            "embedder ready",
            "numpy",
            "load generator",
            "generator ready",
        ]
        (started,) = page.notifications("engine.started")
        assert started["readiness"]["library"] == {"state": "ready", "label": "1 documents", "action": ""}
        assert [page.cell(name)["state"] for name in ("library", "archives", "meaning", "answers")] == [
            "ready",
            "off",
            "ready",
            "ready",
        ]

    on_device(scenario)


def test_questions_asked_before_the_start_are_answered_after_it(on_device: OnDevice) -> None:
    """Intent: a person may type at once; nothing is lost and nothing is refused as too early."""

    async def scenario(d: Device) -> None:
        page = d.page()
        asked = page.begin("engine.ask", question=QUESTION)
        searched = page.begin("engine.search", query="boil water")
        read = page.begin("reader.document", source="notes", document="doc")
        await settle()
        assert not any(page.replies(request) for request in (asked, searched, read))
        await d.engine.start()
        for request in (asked, searched, read):
            assert "result" in await page.answer(request)
        assert page.reply(searched)["result"]["hits"]

    on_device(scenario)


def test_status_and_diagnostics_answer_before_the_start(on_device: OnDevice) -> None:
    """Intent: a page that opens early can draw itself, and a failing start can be looked into."""

    async def scenario(d: Device) -> None:
        page = d.page()
        status = await page.call("engine.status")
        assert status["readiness"]["library"]["state"] == "starting"
        assert status["sources"] == []
        assert (await page.call("engine.diagnostics"))["capabilities"] == {"opfs": True}

    on_device(scenario)


def test_a_page_that_comes_later_is_told_everything(on_device: OnDevice) -> None:
    """Intent: a reader page or a second tab needs no luck with the order."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        assert page.cell("answers")["state"] == "ready"
        (status,) = page.notifications("engine.started")
        assert status["models"] == {"embedder": "fake-e5 (wasm, q8)", "generator": "fake-lm (wasm, q8)"}
        assert [source["id"] for source in status["sources"]] == ["notes"]
        assert set(status["timings"]) == {"storage", "library", "starter"}

    on_device(scenario)


def test_the_second_start_opens_what_is_installed(on_device: OnDevice) -> None:
    """Intent: no step of installing, no fetch of a pack, the same library."""

    async def scenario(d: Device) -> None:
        await d.started()
        await d.engine.close()
        d.log.clear()
        d.engine = d.new_engine()
        await d.engine.start()
        assert "step starter" not in d.log
        assert (await d.page().call("engine.status"))["sources"][0]["id"] == "notes"

    on_device(scenario)


def test_a_library_that_cannot_be_installed_shows_in_its_cell(on_device: OnDevice) -> None:
    """Intent: the start does not fail for it, and an empty library is no "not covered"."""

    async def scenario(d: Device) -> None:
        d.fetch.failure = DownloadFailed("The server is away.", hint="Go online once.")
        page = d.page()
        await d.started()
        assert page.cell("library") == {
            "state": "failed",
            "label": "The server is away.",
            "action": "Go online once.",
        }
        assert page.cell("answers")["state"] == "ready"
        for method, name in (("engine.ask", "question"), ("engine.search", "query")):
            reply = await page.answer(page.begin(method, **{name: QUESTION}))
            assert reply["error"]["code"] == "not_ready"
            assert "The server is away." in reply["error"]["message"]
            assert reply["error"]["data"]["hint"] == "Go online once."
        problems = (await page.call("engine.diagnostics"))["problems"]
        assert problems["shipped"]["code"] == "download_failed"

    on_device(scenario)


def test_a_library_that_failed_is_tried_again_when_all_else_is_up(on_device: OnDevice) -> None:
    """Intent: a server that was slow at first costs nothing for good, and no stale reason stays."""

    async def scenario(d: Device) -> None:
        d.fetch.failure = DownloadFailed("The server is away.")
        d.embedder.gate = asyncio.Event()
        page = d.page()
        await d.engine.start()
        d.fetch.failure = None
        d.embedder.gate.set()
        await until(lambda: page.cell("library")["state"] == "ready")
        assert (await page.call("engine.diagnostics"))["problems"] == {}

    on_device(scenario)


def test_a_start_that_fails_ends_every_question_with_the_reason(on_device: OnDevice) -> None:
    """Intent: nothing hangs: those that wait, those that come later, and pages that open later."""

    async def scenario(d: Device) -> None:
        path = await d.files.ensure(STATE_FILE)
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(b"not a database" * 400)
        page = d.page()
        waiting = page.begin("engine.ask", question=QUESTION)
        await settle()
        with pytest.raises(StorageUnavailable):
            await d.engine.start()
        assert (await page.answer(waiting))["error"]["code"] == "storage_unavailable"
        assert (await page.fault("engine.search", query="water"))["code"] == "storage_unavailable"
        late = d.page()
        assert not late.notifications("engine.started")
        error = await late.fault("reader.document", source="notes", document="doc")
        assert error["code"] == "storage_unavailable"
        assert error["message"]
        assert error["data"]["hint"]

    on_device(scenario)


@pytest.mark.parametrize("part", ["meaning", "answers"])
def test_a_model_that_fails_costs_its_own_part_only(on_device: OnDevice, part: str) -> None:
    """Intent: every part is usable without the others."""

    async def scenario(d: Device) -> None:
        model = d.embedder if part == "meaning" else d.generator
        other = "answers" if part == "meaning" else "meaning"
        model.failures = [ModelUnavailable("Too little memory.")]
        page = d.page()
        await d.engine.start()
        await until(lambda: page.cell(other)["state"] == "ready")
        await until(lambda: page.cell(part)["state"] == "failed")
        assert "Too little memory." in page.cell(part)["label"]
        result = await page.call("engine.ask", question=QUESTION)
        assert result["outcome"] == "matched"
        assert result["quotes"]
        assert bool(result["text"]) == (part == "meaning")

        assert await page.call("engine.restart_part", part=part) == {}
        await until(lambda: page.cell(part)["state"] == "ready")

    on_device(scenario)


def test_a_generator_that_crashes_ends_the_turn_and_comes_back_at_most_twice(on_device: OnDevice) -> None:
    """Intent: the turn says why and keeps its quotes; the device is not driven into a crash loop."""

    async def scenario(d: Device) -> None:
        d.generator.sentences = ["Boil the water.", WorkerCrashed("The model's worker ended.")]
        await d.started()
        page = d.page()
        for crash in range(1, 4):
            request = page.begin("engine.ask", question=QUESTION)
            result = (await page.answer(request))["result"]
            assert result["finish"] == "failed"
            assert result["reason"] == "The model's worker ended."
            assert result["quotes"]
            if crash <= 2:
                await until(lambda: page.cell("answers")["state"] == "ready")
        assert page.cell("answers")["state"] == "failed"
        assert d.log.count("load generator") == 3
        result = await page.call("engine.ask", question=QUESTION)
        assert result["finish"] == "no_model"

        d.generator.sentences = ["Boil the water."]
        await page.call("engine.restart_part", part="answers")
        await until(lambda: page.cell("answers")["state"] == "ready")
        assert (await page.call("engine.ask", question=QUESTION))["finish"] == "complete"

    on_device(scenario)


def test_numpy_waits_until_no_question_is_running(on_device: OnDevice) -> None:
    """Intent: importing numpy holds the engine for over a second, which must not hit an answer."""

    async def scenario(d: Device) -> None:
        await d.started()
        d.generator.gate_generation = asyncio.Event()
        page = d.page()
        asked = page.begin("engine.ask", question=QUESTION)
        await until(lambda: any(e["type"] == "draft" for e in page.events(asked)))
        d.log.clear()
        await page.call("engine.restart_part", part="meaning")
        await until(lambda: "embedder ready" in d.log)
        await asyncio.sleep(0.05)
        assert "numpy" not in d.log
        d.generator.gate_generation.set()
        await page.answer(asked)
        await until(lambda: "numpy" in d.log)

    on_device(scenario)


def test_numpy_is_left_out_where_a_kernel_compares_vectors(on_device: OnDevice) -> None:
    """Intent: the second that numpy takes is spent only where it is of use."""

    async def scenario(d: Device) -> None:
        d.vectors = VectorRoom(FileKernel("python"), kind="simd")
        d.engine = d.new_engine()
        await d.started()
        assert "numpy" not in d.log
        found = await d.page().call("engine.diagnostics")
        assert found["vectors"] == {"kernel": "simd", "ways": {}}

    on_device(scenario)


def test_an_update_of_the_library_waits_for_running_questions(on_device: OnDevice) -> None:
    """Intent: a newer pack came with the app; the question that is being answered ends on the old one."""

    async def scenario(d: Device) -> None:
        await d.started()
        await d.engine.close()
        publish(d.fetch, pack_bytes(version="2"))
        d.engine = d.new_engine()
        d.generator.info, d.generator.gate = None, asyncio.Event()
        page = d.page()
        await d.engine.start()
        await until(lambda: d.engine.meaning.ready)
        d.engine.asking(+1)  # a question is being answered
        d.generator.gate.set()
        await until(lambda: d.engine.answers.ready)
        await asyncio.sleep(0.05)
        assert (await page.call("engine.status"))["sources"][0]["version"] == "1"
        d.engine.asking(-1)
        await until(lambda: d.engine.status()["sources"][0]["version"] == "2")

    on_device(scenario)


def test_tidying_up_that_fails_does_not_keep_the_models_away(
    on_device: OnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: orphans are a matter of room; they must not cost search by meaning and answers."""

    async def scenario(d: Device) -> None:
        async def locked(name: str) -> None:
            raise StorageUnavailable("The file is in use.")

        await d.files.ensure("packs/orphan")
        monkeypatch.setattr(d.files, "remove", locked)
        await d.started()

    on_device(scenario)


def test_events_of_a_question_go_to_the_page_that_asked(on_device: OnDevice) -> None:
    """Intent: two tabs on one engine do not see each other's questions."""

    async def scenario(d: Device) -> None:
        await d.started()
        asking, other = d.page(), d.page()
        await asking.call("engine.ask", question=QUESTION)
        assert asking.notifications("ask.event")
        assert not other.notifications("ask.event")

    on_device(scenario)


def test_a_page_that_leaves_stops_its_question(on_device: OnDevice) -> None:
    """Intent: a closed tab must not keep the model busy; the others are served on."""

    async def scenario(d: Device) -> None:
        await d.started()
        d.generator.gate_generation = asyncio.Event()
        page, other = d.page(), d.page()
        page.begin("engine.ask", question=QUESTION)
        await until(lambda: any(e["type"] == "draft" for e in page.notifications("ask.event")))
        page.session.close()
        await until(lambda: d.generator.closed == 1)
        d.generator.gate_generation.set()
        assert (await other.call("engine.ask", question=QUESTION))["finish"] == "complete"

    on_device(scenario)


def test_closing_lets_go_of_everything(on_device: OnDevice) -> None:
    """Intent: another tab takes over in the middle of a start and finds the files free."""

    async def scenario(d: Device) -> None:
        d.embedder.gate = asyncio.Event()
        page = d.page()
        await d.engine.start()
        page.begin("engine.ask", question=QUESTION)
        await d.engine.close()
        heard = len(page.messages)
        await settle()
        assert len(page.messages) == heard
        assert d.packs.open_now == []
        d.embedder.gate = None
        d.engine = d.new_engine()
        await d.started()

    on_device(scenario)


def test_closing_before_the_start_is_no_fault(on_device: OnDevice) -> None:
    """Intent: the person closes the tab at once."""

    async def scenario(d: Device) -> None:
        await d.engine.close()
        d.engine = d.new_engine()

    on_device(scenario)


def test_what_crosses_is_json_and_diagnostics_hold_no_content(on_device: OnDevice) -> None:
    """Intent: diagnostics may be shown to others: no question, no passage, no path of a person."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        await page.call("engine.ask", question="my secret question about water")
        told = json.dumps(await page.call("engine.diagnostics"))
        assert "secret" not in told
        assert "river" not in told

    on_device(scenario)


def test_a_fault_in_the_background_is_kept_for_diagnostics(
    on_device: OnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: a fault of ours that nobody waits for is not lost without a trace."""

    async def scenario(d: Device) -> None:
        def fault(self: Engine) -> None:
            raise ZeroDivisionError("in the background")

        d.generator.gate = asyncio.Event()
        page = d.page()
        await d.engine.start()
        await until(lambda: d.engine.meaning.ready)
        monkeypatch.setattr(Engine, "_show_library", fault)
        d.generator.gate.set()
        await until(lambda: d.engine.answers.ready)
        await settle()
        problems = (await page.call("engine.diagnostics"))["problems"]
        assert "ZeroDivisionError" in problems["background"]["message"]

    on_device(scenario)


def test_the_state_is_the_only_record_of_what_is_installed(on_device: OnDevice) -> None:
    """Intent: what status lists and what the database says are the same thing."""

    async def scenario(d: Device) -> None:
        await d.started()
        listed = {(s["id"], s["version"]) for s in d.engine.status()["sources"]}
        await d.engine.close()
        state = await State.open(d.files)
        assert {(row.id, row.version) for row in state.sources()} == listed
        state.close()

    on_device(scenario)
