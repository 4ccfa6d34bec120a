"""cairn.browser.workers over a real worker: answers, limits, cancels, deaths, respawns, proxies."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

PRELUDE = """
import asyncio, json, time
from cairn.browser.workers import WorkerClient
from cairn.errors import CairnError
heard, deaths = [], []
client = WorkerClient(
    host, "embed", notified=lambda m, p: heard.append(p["done"]), died=lambda: deaths.append(1)
)
async def run(what, timeout=10):
    try:
        result = await client.call("embed.run", {"texts": [what]}, timeout=timeout)
        return bytes(result["vectors"]).hex()
    except CairnError as error:
        return error.code
    except asyncio.CancelledError:
        return "cancelled here"
"""

Run = Callable[[str], Any]


@pytest.fixture(scope="module")
def run(browser: Browser, harness: str) -> Iterator[Run]:
    """Run async Python in the worker; the value of its last line, through JSON."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{harness}/harness/worker-page.html?worker=client-worker.mjs")
    page.evaluate("() => globalThis.start()")

    def execute(body: str) -> Any:
        code = PRELUDE + textwrap.dedent(body) + "\nanswer = json.dumps(answer); client.close(); answer"
        return json.loads(page.evaluate("code => globalThis.call('run', code)", code))

    yield execute
    context.close()


def test_an_answer_comes_back_with_its_bytes(run: Run) -> None:
    """Intent: vectors cross as bytes, not as lists of numbers."""
    assert run("answer = await run('a')") == "0000003f"


def test_typed_errors_arrive_typed(run: Run) -> None:
    """Intent: the code decides what the page does, so it must survive the border."""
    assert run("answer = [await run('refuse'), await run('a')]") == ["model_unavailable", "0000003f"]


def test_a_cancelled_call_stops_the_work_there(run: Run) -> None:
    """Intent: the worker is free again at once; a late reply hurts nobody."""
    assert run("""
        task = asyncio.ensure_future(run("slow"))
        await asyncio.sleep(0.3)
        task.cancel()
        began = time.monotonic()
        answer = [await task, await run("a"), time.monotonic() - began < 2, deaths]
    """) == ["cancelled here", "0000003f", True, []]


def test_signs_of_life_extend_a_wait_and_silence_ends_it(run: Run) -> None:
    """Intent: a long load with progress is fine, a hanging worker is not."""
    assert run("""
        answer = [await run("busy", timeout=0.8), heard, await run("silence", timeout=0.5), deaths]
    """) == ["0000003f", [0, 1, 2, 3], "timed_out", [1]]


@pytest.mark.parametrize("how", ["die", "throw"])
def test_a_death_ends_every_wait_and_the_next_call_finds_a_new_worker(run: Run, how: str) -> None:
    """Intent: no wait survives the worker; the next one pauses before it tries again."""
    assert run(f"""
        others = [asyncio.ensure_future(run("silence")) for _ in range(3)]
        await asyncio.sleep(0.3)
        first = await run("{how}")
        began = time.monotonic()
        again = await run("a")
        answer = [first, [await o for o in others], again, time.monotonic() - began >= 0.4, deaths]
    """) == ["worker_crashed", ["worker_crashed"] * 3, "0000003f", True, [1]]


def test_pauses_grow_with_each_death(run: Run) -> None:
    """Intent: a model that kills its worker at once does not spin the device hot."""
    first, second = run("""
        pauses = []
        for _ in range(2):
            await run("die")
            began = time.monotonic()
            await run("a")
            pauses.append(time.monotonic() - began)
        answer = pauses
    """)
    assert first >= 0.4
    assert second >= 0.9


def test_no_proxy_outlives_its_worker(run: Run) -> None:
    """Intent: every proxy has an owner; a day of restarts must not leak memory."""
    assert run("""
        made, gone = [], []
        import cairn.browser.workers as module
        real = module.create_proxy
        class Counted:
            def __init__(self, proxy): self.proxy = proxy
        def counted(function):
            proxy = real(function)
            made.append(proxy)
            return proxy
        module.create_proxy = counted
        try:
            for what in ("a", "die", "a"):
                await run(what)
            client.close()
            await asyncio.sleep(0.1)
            for proxy in made:
                try:
                    proxy.unwrap()
                except Exception:
                    gone.append(1)
        finally:
            module.create_proxy = real
        answer = [len(made), len(gone)]
    """) == [4, 4]
