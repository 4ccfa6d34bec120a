"""Drives one Chromium, in a thread of its own.

Playwright's synchronous API keeps an event loop running in its thread, in which no other test could
use asyncio.run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, sync_playwright

from cairn.cli import chromium
from tests.pyodide import tree
from tests.pyodide.server import serving

HARNESS = Path(__file__).with_name("harness")
SITE = tree.ROOT / "dist" / "site"
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
START_LIMIT = 240.0
CALL_LIMIT = 180.0
RESULT_LIMIT = 600.0
CALL = """([action, args, limit]) => Promise.race([
    globalThis.call(action, ...args),
    new Promise((resolve) => setTimeout(resolve, limit, null)),
])"""


class InPyodide:
    """The worker as tests see it."""

    def __init__(self, submit: Callable[..., Any], page: Page, requested: set[str]) -> None:
        self._submit = submit
        self._page = page
        self.requested = requested
        """Hosts that the browser asked anything of."""
        self._hung = ""

    def call(self, action: str, *arguments: Any, limit: float = CALL_LIMIT) -> Any:
        """Run an action of harness/worker.mjs; a worker that hung once is not asked again."""
        assert not self._hung, self._hung
        reply = self._evaluate(CALL, [action, list(arguments), 1000 * limit])
        if reply is None:
            last = self._evaluate("() => globalThis.begun")
            self._hung = f"The worker hung for {limit:.0f} s in {action} {arguments}; begun last: {last}"
        assert not self._hung, self._hung
        return reply

    def version(self) -> str:
        """Wait for the start; Pyodide's version."""
        return str(self._evaluate("() => globalThis.started"))

    def _evaluate(self, script: str, argument: Any = None) -> Any:
        return self._submit(self._page.evaluate, script, argument).result(RESULT_LIMIT)


@contextmanager
def in_pyodide(files: Mapping[str, Path] | None = None) -> Iterator[InPyodide]:
    """A fresh Chromium profile with the tests unpacked in a worker; ``files`` are served too, by path."""
    if not (SITE / "python" / "pyodide-lock.json").is_file():
        raise FileNotFoundError("dist/site is not built; run ./cairn build.")
    folders = {"/": SITE, "/workers/": tree.ROOT / "workers", "/harness/": HARNESS}
    kernel = "/workers/vector-kernel.wasm"  # assembled, not in the checkout
    made = {"/harness/tree.zip": tree.archive(), kernel: (SITE / kernel[1:]).read_bytes()}
    made |= {path: file.read_bytes() for path, file in (files or {}).items()}
    with ExitStack() as ending:
        origin = ending.enter_context(serving(folders, made))
        thread = ending.enter_context(ThreadPoolExecutor(1))
        opened = ExitStack()
        ending.callback(lambda: thread.submit(opened.close).result(60))
        running = thread.submit(_open, opened, origin, thread.submit).result(60)
        running.version()
        yield running


def _open(ending: ExitStack, origin: str, submit: Callable[..., Any]) -> InPyodide:
    playwright = ending.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
    ending.callback(browser.close)
    page = browser.new_page()
    requested: set[str] = set()
    page.on("request", lambda request: requested.add(urlsplit(request.url).netloc))
    page.on("console", lambda message: print(f"[browser] {message.text}"))
    page.goto(f"{origin}/harness/index.html")
    return InPyodide(submit, page, requested)
