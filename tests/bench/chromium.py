"""The one Chromium of a bench run, with the site and the pages to compare it with."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, TimeoutError, sync_playwright

from cairn.cli import chromium
from cairn.cli.serve import serving

PAGES = Path(__file__).with_name("pages")
ARGUMENTS = [
    "--no-sandbox",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--enable-blink-features=ForceEagerMeasureMemory",  # else the answer waits for a collection
]
READY_SECONDS = 600
WAIT_SECONDS = 120
PARTS = ("library", "meaning", "answers")


class Chromium:
    """Opens pages of the app and of the comparisons; one of the app at a time."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self._context = context
        self._origin = origin
        self._probe = PAGES.joinpath("probe.js").read_text(encoding="utf-8")

    @contextmanager
    def app(self) -> Iterator[Page]:
        """The app's page as its HTML arrives."""
        page = self._context.new_page()
        page.add_init_script(self._probe)
        page.goto(self._origin, wait_until="commit")
        try:
            yield page
        finally:
            page.close()
            time.sleep(1)  # its worker lets go of the files

    @contextmanager
    def other(self, name: str) -> Iterator[Page]:
        """A page of tests/bench/pages."""
        page = self._context.new_page()
        page.goto(f"{self._origin}bench/{name}")
        try:
            yield page
        finally:
            page.close()


@contextmanager
def running(site: Path) -> Iterator[Chromium]:
    """A fresh profile on disk: in a private one OPFS goes through another process."""
    with (
        tempfile.TemporaryDirectory(prefix="cairn-bench-") as profile,
        serving(site, {"/bench": PAGES}) as server,
        sync_playwright() as playwright,
    ):
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium.find(), args=ARGUMENTS
        )
        context.set_default_timeout(READY_SECONDS * 1000)
        try:
            yield Chromium(context, server.url)
        finally:
            context.close()


def wait_ready(page: Page) -> None:
    """Wait until every part of the app is ready; names the one that failed."""
    for part in PARTS:
        cell = f'.cell[data-cell="{part}"]'
        page.wait_for_selector(f"{cell}:is([data-state=ready], [data-state=failed])", state="attached")
        state = page.get_attribute(cell, "data-state")
        if state != "ready":
            raise RuntimeError(f"{part}: {page.inner_text(cell)}")


def wait_for(page: Page, condition: str) -> None:
    """Wait for a JavaScript condition; when it does not come true, say what the page says."""
    try:
        page.wait_for_function(condition, timeout=WAIT_SECONDS * 1000)
    except TimeoutError as error:
        said = page.evaluate("() => [bench.seen, cairn.role, document.body.innerText]")
        raise RuntimeError(f"{condition} did not come true: {said}") from error


def seen(page: Page) -> dict[str, float]:
    """What probe.js noted, in milliseconds since the navigation began."""
    found: dict[str, float] = page.evaluate("bench.seen")
    return found


def request(page: Page, method: str, **params: Any) -> dict[str, Any]:
    """A request to the engine beside the interface: reply, events, times."""
    reply: dict[str, Any] = page.evaluate(
        "([method, params]) => bench.request(method, params)", [method, params]
    )
    if "error" in reply:
        raise RuntimeError(f"{method}: {reply['error']['message']}")
    return reply
