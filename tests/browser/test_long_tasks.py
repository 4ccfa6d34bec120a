"""The page stays responsive while an answer is searched, streamed and drawn.

What counts is the processor time that a task takes of the page's main thread: its duration by the
clock also holds whatever else the machine does, the model's own threads first of all. The browser's
trace has both; the page's own ``longtask`` entries have the clock only and are printed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import Site
from tests.browser.person import App

MOST_MS = 100
CATEGORIES = ["toplevel", "devtools.timeline", "__metadata"]
OBSERVE = """() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: "longtask" });
}"""

Events = list[dict[str, Any]]


@contextmanager
def traced(page: Page) -> Iterator[Events]:
    """The browser's trace events of the block, complete when it ends."""
    session = page.context.new_cdp_session(page)
    events: Events = []
    ended: list[Any] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ended.append(data))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": CATEGORIES}})
    yield events
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    session.detach()


def tasks(events: Events) -> list[tuple[float, float]]:
    """(processor, clock) milliseconds of every task on the main thread of a page, longest first."""
    mains = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    found = [
        (e.get("tdur", 0) / 1000, e["dur"] / 1000)
        for e in events
        if e.get("ph") == "X" and "RunTask" in e["name"] and (e["pid"], e["tid"]) in mains
    ]
    return sorted(found, reverse=True)


def inside(events: Events, longest: float) -> dict[str, float]:
    """What long tasks were made of, by name: a hint for whoever has to shorten them."""
    parts: dict[str, float] = defaultdict(float)
    for event in events:
        if event.get("ph") == "X" and event.get("tdur", 0) / 1000 > longest / 3:
            parts[event["name"]] = max(parts[event["name"]], event["tdur"] / 1000)
    return dict(parts)


def test_no_long_task_during_an_answer(site: Site, on_disk: Callable[..., BrowserContext]) -> None:
    """Intent: typing, scrolling and the stop button work at once while words stream in."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready()
    app.page.evaluate(OBSERVE)
    with traced(app.page) as events:
        turn = app.ask("How do I make river water safe to drink?").wait_done()
    assert turn.written.strip()
    found = tasks(events)
    assert found, "no task was traced"
    clock = app.page.evaluate("longTasks")
    print(f"longest tasks (processor, clock): {found[:5]}; longtask entries: {clock}")
    assert found[0][0] <= MOST_MS, inside(events, found[0][0])
