"""A model's life: loads in the background, fails in its cell, comes back at most twice by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from cairn.errors import ModelUnavailable, TimedOut, WorkerCrashed
from cairn.models.part import MAX_RESTARTS, Part, Wording, worth_showing
from cairn.protocol import Cell
from tests.unit.engine.fakes import FakeEmbedder, settle, until

WORDS = Wording(fetching="Getting it", starting="Starting it", ready="Works", failed="Does not work.")
CRASH = WorkerCrashed("The worker ended.")


class Fixture:
    def __init__(self) -> None:
        self.model = FakeEmbedder()
        self.cells: list[str] = []
        self.after: Callable[[], Awaitable[None]] | None = None
        self.part = Part(self.model, WORDS, self._changed, self._after_load)

    def _changed(self) -> None:
        self.cells.append(self.part.cell["state"])

    async def _after_load(self) -> None:
        if self.after is not None:
            await self.after()

    @property
    def loads(self) -> int:
        return self.model.log.count("load embedder")


def run(scenario: Callable[[Fixture], Awaitable[None]]) -> Fixture:
    fixture = Fixture()
    asyncio.run(scenario(fixture))
    return fixture


def test_it_starts_then_is_ready_and_says_where_it_runs() -> None:
    """Intent: the strip shows the truth at each moment."""

    async def scenario(f: Fixture) -> None:
        assert (f.part.cell["state"], f.part.ready) == ("starting", False)
        await f.part.load()

    f = run(scenario)
    assert f.part.ready
    assert f.part.cell == {"state": "ready", "label": "Works (wasm)", "action": ""}
    assert set(f.cells[:-1]) == {"starting"}


def test_progress_is_shown_in_the_unit_it_comes_in() -> None:
    """Intent: bytes while fetching, steps after; no bar where the total is not known."""

    async def scenario(f: Fixture) -> None:
        f.model.gate = asyncio.Event()
        loading = asyncio.ensure_future(f.part.load())
        await settle()
        assert f.part.cell == {
            "state": "starting",
            "label": "Getting it",
            "action": "",
            "done": 1,
            "total": 2,
            "unit": "bytes",
        }
        f.model.report("start", 2, 3)
        assert f.part.cell.get("unit") == "steps"
        f.model.report("start", 0, 0)
        assert "total" not in f.part.cell
        f.model.gate.set()
        await loading

    run(scenario)


def test_what_comes_after_loading_belongs_to_it() -> None:
    """Intent: meaning is ready only when numpy is there too."""

    async def scenario(f: Fixture) -> None:
        seen: list[bool] = []

        async def after() -> None:
            seen.append(f.part.ready)

        f.after = after
        await f.part.load()
        assert seen == [False]
        assert f.part.ready

    run(scenario)


@pytest.mark.parametrize(
    "error",
    [ModelUnavailable("No room."), ValueError("a fault of ours")],
    ids=["typed", "untyped"],
)
def test_a_failed_load_shows_in_the_cell_and_is_not_raised(error: Exception) -> None:
    """Intent: nothing waits for ever on "starting", whatever went wrong."""

    async def scenario(f: Fixture) -> None:
        f.model.failures = [error]
        await f.part.load()
        assert not f.part.ready
        assert f.part.cell["state"] == "failed"
        assert str(error) in f.part.cell["label"]
        assert f.part.cell["label"].startswith("Does not work.")
        assert f.part.cell["action"] == "Try again"
        assert f.part.error is not None

    run(scenario)


def test_a_failure_after_loading_shows_too() -> None:
    """Intent: numpy may fail for reasons that are not ours to type."""

    async def scenario(f: Fixture) -> None:
        async def after() -> None:
            raise OSError("numpy did not unpack")

        f.after = after
        await f.part.load()

    assert run(scenario).part.cell["state"] == "failed"


def test_waiting_twice_loads_once() -> None:
    """Intent: the engine and the person may both ask."""

    async def scenario(f: Fixture) -> None:
        await asyncio.gather(f.part.load(), f.part.load(), f.part.restart())
        assert f.loads == 1

    run(scenario)


def test_a_crash_restarts_it_at_most_twice() -> None:
    """Intent: a device that cannot run the model is not driven into a crash loop."""

    async def scenario(f: Fixture) -> None:
        await f.part.load()
        for crash in range(1, MAX_RESTARTS + 1):
            f.part.crashed(CRASH)
            assert not f.part.ready
            await until(lambda: f.part.ready)
            assert f.loads == 1 + crash
        f.part.crashed(CRASH)
        await settle()
        assert f.loads == 1 + MAX_RESTARTS
        assert f.part.cell["state"] == "failed"
        assert "The worker ended." in f.part.cell["label"]
        assert f.part.error is CRASH

    run(scenario)


def test_one_crash_reported_by_two_turns_counts_once() -> None:
    """Intent: two tabs were asking when the model died; it is loaded once, not twice at a time."""

    async def scenario(f: Fixture) -> None:
        await f.part.load()
        f.part.crashed(CRASH)
        await settle(1)
        f.part.crashed(CRASH)
        await until(lambda: f.part.ready)
        assert f.loads == 2
        f.part.crashed(CRASH)  # the second restart is still allowed
        await until(lambda: f.part.ready)
        assert f.loads == 3

    run(scenario)


def test_the_person_may_always_try_again() -> None:
    """Intent: failures before do not count when a person asks, and the allowance is renewed."""

    async def scenario(f: Fixture) -> None:
        await f.part.load()
        for _ in range(MAX_RESTARTS + 1):
            f.part.crashed(CRASH)
            await settle()
        assert f.part.cell["state"] == "failed"
        await f.part.restart()
        assert f.part.ready
        assert f.part.error is None
        f.part.crashed(CRASH)
        await until(lambda: f.part.ready)

    run(scenario)


def test_late_progress_of_a_load_that_ended_is_not_shown() -> None:
    """Intent: a load that timed out goes on in its worker; its bar must not replace the reason."""

    async def scenario(f: Fixture) -> None:
        f.model.failures = [TimedOut("Took too long.")]
        await f.part.load()
        late = f.model.report
        late("fetch", 2, 2)
        assert f.part.cell["state"] == "failed"
        await f.part.restart()
        late("fetch", 2, 2)
        assert f.part.ready

    run(scenario)


def test_cancel_stops_a_load() -> None:
    """Intent: the engine closes while a model is on its way."""

    async def scenario(f: Fixture) -> None:
        f.model.gate = asyncio.Event()
        loading = asyncio.ensure_future(f.part.load())
        await settle()
        f.part.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading
        assert not f.part.ready

    run(scenario)


def test_progress_is_shown_by_the_hundredth() -> None:
    """Intent: hundreds of pieces of a download do not become hundreds of messages to every page."""
    cell: Cell = {"state": "starting", "label": "Getting it", "action": "", "done": 500, "total": 10_000}
    assert not worth_showing(cell, 599, 10_000)
    assert worth_showing(cell, 600, 10_000)
    assert worth_showing(cell, 10_000, 10_000)
    assert worth_showing(cell, 0, 20_000)


def test_a_model_that_died_while_idle_is_noticed_by_the_next_question() -> None:
    """Intent: a worker killed between questions does not stay "ready" for ever."""

    async def scenario() -> None:
        model = FakeEmbedder()
        part = Part(model, WORDS, lambda: None)
        await part.load()
        part.check()
        assert part.ready
        model.info = None  # what the adapter does when its worker dies
        part.check()
        await settle()
        assert part.ready, "it was not brought back"

    asyncio.run(scenario())
