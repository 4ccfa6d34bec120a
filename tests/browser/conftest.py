"""Chromium against the built site: nothing outside the origin is asked, no page fails unseen."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from cairn.cli import chromium
from cairn.cli.serve import serving

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "dist" / "site"
HARNESS = Path(__file__).with_name("harness")
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
START_SECONDS = 20


class Site:
    """`cairn serve` on dist/site as a process of its own, so that it can really be gone."""

    def __init__(self, folder: Path = SITE) -> None:
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "cairn.cli", "serve", str(self.folder), "--port", str(self.port)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "pysrc")}
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        ends = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert time.monotonic() < ends, "cairn serve did not start"
                time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
        self._process = None


class Guard:
    """Collects what must not happen; a test may expect some of it by name."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.console: list[str] = []
        self.origins: set[str] = set()
        self._expected: list[str] = []

    def expect(self, part: str) -> None:
        """Page errors with this text are part of the test."""
        self._expected.append(part)

    def watch(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self._requested(request.url))
        context.on("weberror", lambda error: self.faults.append(f"page error: {error.error}"))
        context.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))

    def check(self) -> None:
        hosts = {urlsplit(url).netloc for url in self.origins}
        assert len(hosts) <= 1, f"requests to more than one origin: {sorted(hosts)}"
        left = [f for f in self.faults if not any(part in f for part in self._expected)]
        assert not left, left

    def _requested(self, url: str) -> None:
        if urlsplit(url).scheme in ("http", "https", "ws", "wss"):
            self.origins.add(url)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    running = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
    yield running
    running.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A running server of the built site; tests may stop and start it."""
    if not (SITE / "precache.json").is_file():
        pytest.fail("dist/site is not built; run ./cairn build.")
    running = Site()
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def harness() -> Iterator[str]:
    """The origin of a server with the site, and tests/browser/harness below /harness/."""
    # Our workers and pages are served from the checkout: a test is of what stands there.
    folders = {"/harness": HARNESS, "/workers": ROOT / "workers"}
    with serving(SITE, folders) as server:
        yield server.url.rstrip("/")


@pytest.fixture
def guard() -> Iterator[Guard]:
    found = Guard()
    yield found
    found.check()


@pytest.fixture
def context(browser: Browser, guard: Guard) -> Iterator[BrowserContext]:
    """A private browsing context: its storage lives in memory and ends with it."""
    opened = browser.new_context()
    guard.watch(opened)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def on_disk(playwright: Playwright, guard: Guard, tmp_path: Path) -> Iterator[Callable[..., BrowserContext]]:
    """Start a Chromium whose profile is on disk; call again after its end to find it as it was."""
    opened: list[BrowserContext] = []

    def start(*arguments: str, profile: str = "profile") -> BrowserContext:
        context = playwright.chromium.launch_persistent_context(
            tmp_path / profile, executable_path=chromium.find(), args=[*ARGUMENTS, *arguments]
        )
        opened.append(context)
        guard.watch(context)
        return context

    yield start
    for context in opened:
        try:
            context.close()
        except Exception:  # noqa: BLE001  it was killed by its test
            continue


@pytest.fixture
def kill(tmp_path: Path) -> Callable[[], None]:
    """Kill (SIGKILL) every process of the browsers that this test started on disk."""

    def now() -> None:
        profile = str(tmp_path).encode()
        for entry in Path("/proc").iterdir():
            try:
                mine = entry.name.isdigit() and profile in (entry / "cmdline").read_bytes()
                if mine and int(entry.name) != os.getpid():
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue  # it ended meanwhile

    return now
