"""One page's connection: every request gets exactly one reply, whatever is sent or goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cairn.errors import NotReady
from cairn.session import Emit, RequestId, Session
from tests.unit.engine.fakes import Page, settle

ASK = {"question": "How?"}


class Handler:
    """Serves with whatever the test puts in ``serve``."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.started: list[RequestId] = []
        self.stopped: list[RequestId] = []
        self.serve: Callable[[Emit], Awaitable[Any]] = self._echo

    async def _echo(self, emit: Emit) -> Any:
        return {"ok": True}

    async def call(self, method: str, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        self.calls.append((method, params))
        self.started.append(request)
        try:
            return await self.serve(emit)
        except asyncio.CancelledError:
            self.stopped.append(request)
            raise


class Fixture:
    def __init__(self) -> None:
        self.handler = Handler()
        self.page = Page()
        self.session = Session(self.handler, self.page.send)

    def send(self, **message: Any) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}))

    def ask(self, request: RequestId) -> None:
        self.send(id=request, method="engine.ask", params=ASK)


async def forever(emit: Emit) -> Any:
    await asyncio.Event().wait()


def run(scenario: Callable[[Fixture], Awaitable[None]]) -> Fixture:
    fixture = Fixture()
    asyncio.run(scenario(fixture))
    return fixture


def test_a_request_is_answered_once_with_its_id() -> None:
    """Intent: the plain case; numbers and texts are both ids."""

    async def scenario(f: Fixture) -> None:
        f.ask(1)
        f.ask("1")
        await settle()

    f = run(scenario)
    assert f.page.reply(1)["result"] == {"ok": True}
    assert f.page.reply("1")["result"] == {"ok": True}
    assert f.handler.calls == [("engine.ask", ASK), ("engine.ask", ASK)]


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '"text"', "{}", '{"jsonrpc": "2.0"}', "[" * 200_000, "\ud800"],
    ids=["empty", "cut off", "null", "array", "text", "no fields", "no method", "deep", "surrogate"],
)
def test_what_is_no_message_is_refused_and_the_session_goes_on(text: str) -> None:
    """Intent: receive never raises; a fault has no id to answer, so the reply's id is null."""

    async def scenario(f: Fixture) -> None:
        f.session.receive(text)
        f.ask(1)
        await settle()

    f = run(scenario)
    assert f.page.error(None)["code"] == "invalid_request"
    assert f.page.reply(1)["result"] == {"ok": True}


def test_a_message_that_is_too_large_is_refused_unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: a runaway page cannot make the engine parse without end."""
    monkeypatch.setattr("cairn.protocol.jsonrpc.MAX_MESSAGE_CHARS", 100)

    async def scenario(f: Fixture) -> None:
        f.session.receive("[" * 101)

    assert run(scenario).page.error(None)["message"] == "The message is too large."


@pytest.mark.parametrize("params", [None, [], "text", 3])
def test_parameters_that_are_no_object_are_refused_under_the_request_s_id(params: Any) -> None:
    """Intent: the id could be read, so the page that waits for it gets its answer."""

    async def scenario(f: Fixture) -> None:
        f.send(id=7, method="engine.ask", params=params)
        await settle()

    f = run(scenario)
    assert f.page.error(7)["code"] == "invalid_request"
    assert not f.handler.calls


@pytest.mark.parametrize("request_id", [None, 1.5, [], {}, True])
def test_an_id_is_a_whole_number_or_a_text(request_id: Any) -> None:
    """Intent: an id that could not be looked up later is refused at once (true equals 1 in Python)."""

    async def scenario(f: Fixture) -> None:
        f.send(id=request_id, method="engine.status", params={})
        await settle()

    f = run(scenario)
    assert f.page.error(None)["code"] == "invalid_request"
    assert not f.handler.calls


@pytest.mark.parametrize(
    ("method", "params", "names"),
    [
        ("engine.fly", {}, "engine.fly"),
        ("engine.ask", {}, "question"),
        ("engine.ask", {"question": "?", "colour": 1}, "colour"),
    ],
)
def test_unknown_methods_and_parameters_are_named(method: str, params: dict[str, Any], names: str) -> None:
    """Intent: whoever writes a page sees what is wrong."""

    async def scenario(f: Fixture) -> None:
        f.send(id=1, method=method, params=params)
        await settle()

    f = run(scenario)
    assert f.page.error(1)["code"] == "invalid_request"
    assert names in f.page.error(1)["message"]
    assert not f.handler.calls


def test_an_id_in_use_is_refused_and_the_first_request_goes_on() -> None:
    """Intent: two requests under one id could not be told apart by their replies."""
    gate = asyncio.Event()

    async def wait(emit: Emit) -> Any:
        await gate.wait()
        return "first"

    async def scenario(f: Fixture) -> None:
        f.handler.serve = wait
        f.ask(1)
        await settle()
        f.ask(1)
        assert f.page.error(1)["code"] == "invalid_request"
        gate.set()
        await settle()
        f.ask(1)  # answered: the id is free again
        await settle()

    f = run(scenario)
    assert [m.get("result") for m in f.page.replies(1)] == [None, "first", "first"]


def test_cancel_stops_the_work_and_the_request_ends_as_cancelled() -> None:
    """Intent: stop works at once, and the page is told."""

    async def scenario(f: Fixture) -> None:
        f.handler.serve = forever
        f.ask(1)
        f.ask(2)
        await settle()
        f.send(method="$/cancel", params={"id": 1})
        await settle()
        assert f.page.error(1)["code"] == "cancelled"
        assert f.handler.stopped == [1]
        assert not f.page.replies(2)
        f.session.close()
        await settle()

    run(scenario)


def test_cancel_before_the_work_began_is_answered_too() -> None:
    """Intent: a stop right behind the question must neither hang the page nor block the id."""

    async def scenario(f: Fixture) -> None:
        f.ask(1)
        f.send(method="$/cancel", params={"id": 1})
        await settle()
        assert f.page.error(1)["code"] == "cancelled"
        assert not f.handler.started
        f.ask(1)
        await settle()
        assert f.page.replies(1)[-1]["result"] == {"ok": True}

    run(scenario)


@pytest.mark.parametrize("params", [{}, {"id": 99}, {"id": None}, {"id": []}, {"id": {}}])
def test_a_cancel_of_nothing_is_ignored(params: dict[str, Any]) -> None:
    """Intent: the answer and the stop may cross on the way."""

    async def scenario(f: Fixture) -> None:
        f.send(method="$/cancel", params=params)
        await settle()

    assert run(scenario).page.messages == []


def test_a_typed_error_crosses_with_code_sentence_hint() -> None:
    """Intent: the page shows the sentence and offers the step without parsing."""

    async def fail(emit: Emit) -> Any:
        raise NotReady("Still opening.", hint="Wait a moment.", retryable=True)

    async def scenario(f: Fixture) -> None:
        f.handler.serve = fail
        f.ask(1)
        await settle()

    assert run(scenario).page.error(1) == {
        "code": "not_ready",
        "message": "Still opening.",
        "data": {"hint": "Wait a moment.", "retryable": True},
    }


@pytest.mark.parametrize(
    "result",
    [ZeroDivisionError("1/0"), RecursionError(), MemoryError(), object(), float("nan"), {1: {2}}],
    ids=["exception", "recursion", "memory", "object", "nan", "set"],
)
def test_a_fault_of_ours_reaches_the_page_as_an_internal_error(result: Any) -> None:
    """Intent: an exception, or a result that is not JSON, is an answer and never a hang."""

    async def fail(emit: Emit) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    async def scenario(f: Fixture) -> None:
        f.handler.serve = fail
        f.ask(1)
        await settle()

    error = run(scenario).page.error(1)
    assert error["code"] == "internal"
    assert error["message"].startswith("Something went wrong inside Cairn")
    assert error["data"]["hint"]


def test_notifications_arrive_before_the_reply_in_order() -> None:
    """Intent: streaming is notifications, then one reply."""

    async def stream(emit: Emit) -> Any:
        for n in range(3):
            emit("ask.event", {"n": n})
            await asyncio.sleep(0)
        return "end"

    async def scenario(f: Fixture) -> None:
        f.handler.serve = stream
        f.ask(1)
        await settle()

    f = run(scenario)
    assert [m.get("params", {}).get("n", m.get("result")) for m in f.page.messages] == [0, 1, 2, "end"]


def test_close_cancels_everything_and_says_no_more() -> None:
    """Intent: a page that is gone gets nothing, costs nothing, and is forgotten once."""
    closed: list[bool] = []

    async def scenario(f: Fixture) -> None:
        f.handler.serve = forever
        f.session.closed = lambda: closed.append(True)
        f.ask(1)
        await settle()
        f.ask(2)  # not begun yet
        f.session.close()
        f.session.close()
        f.ask(3)
        f.session.notify("engine.readiness", {})
        await settle()
        assert f.handler.stopped == [1]
        assert f.handler.started == [1]

    f = run(scenario)
    assert f.page.messages == []
    assert closed == [True]


def test_one_failing_request_leaves_the_others_alone() -> None:
    """Intent: requests of a page are independent."""

    async def scenario(f: Fixture) -> None:
        gate = asyncio.Event()

        async def first_fails(emit: Emit) -> Any:
            if len(f.handler.started) == 1:
                raise ValueError("first")
            await gate.wait()
            return "second"

        f.handler.serve = first_fails
        f.ask(1)
        f.ask(2)
        await settle()
        gate.set()
        await settle()

    f = run(scenario)
    assert f.page.error(1)["code"] == "internal"
    assert f.page.reply(2)["result"] == "second"
