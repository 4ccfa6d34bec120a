"""The service worker: all or nothing, offline, updates on request, isolation where hosts add none."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.app import App
from tests.browser.conftest import SITE, Guard, Site
from tests.browser.waiting import wait_until

CACHES = "() => caches.keys().then((names) => names.filter((n) => n.startsWith('cairn-shell-')))"
INSTALLED = "() => navigator.serviceWorker.ready.then((r) => r.active?.state === 'activated')"


def installed(app: App) -> None:
    """Wait until the whole app is on the device."""
    wait_until(lambda: app.page.evaluate(INSTALLED) and app.controlled())


def build_of(app: App) -> str:
    [name] = app.page.evaluate(CACHES)
    return str(name).removeprefix("cairn-shell-")


@pytest.fixture
def two_builds(tmp_path: Path) -> tuple[Path, Path]:
    """A server folder with a copy of the site, and the next build of it beside."""
    now, then = tmp_path / "now", tmp_path / "then"
    for folder in (now, then):
        shutil.copytree(SITE, folder, copy_function=lambda a, b: Path(b).hardlink_to(a))
    listed = json.loads((SITE / "precache.json").read_text("utf-8"))
    new = "f" * 16
    script = (SITE / "service-worker.mjs").read_text("utf-8").replace(listed["build"], new)
    listed["build"] = new
    put(then / "precache.json", json.dumps(listed))
    put(then / "service-worker.mjs", script)
    return now, then


def put(path: Path, text: str) -> None:
    """Write a file that may be a hard link to the site's own."""
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")


def switch(site: Site, folder: Path) -> None:
    site.stop()
    site.folder = folder
    site.start()


class PlainHost:
    """Any static host: no isolation, no policies; it notes what it was asked for."""

    def __init__(self) -> None:
        self.folder = SITE
        self.asked: list[str] = []
        host = self

        class Handler(SimpleHTTPRequestHandler):
            extensions_map: ClassVar = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

            def do_GET(self) -> None:
                host.asked.append(self.path)
                self.directory = str(host.folder)
                super().do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def plain_host() -> Iterator[PlainHost]:
    host = PlainHost()
    yield host
    host.server.shutdown()
    host.server.server_close()


def test_everything_starts_and_answers_without_a_server(
    on_disk: Callable[..., BrowserContext], site: Site
) -> None:
    """Intent: after one visit the app is on the device: page, engine, library, reader."""
    context = on_disk()
    app = App(context.new_page(), site.origin)
    app.ready()
    installed(app)
    site.stop()
    context.close()
    app = App(on_disk().new_page(), site.origin, "/?utm=anything")
    app.ready()
    [found, *_] = app.search("boil water")["hits"]
    assert found
    assert app.page.evaluate("() => crossOriginIsolated") is True
    assert app.page.evaluate("() => fetch('/nowhere').then((r) => r.status)") == 504


def test_headers_come_with_everything_that_is_served(page: Page, site: Site) -> None:
    """Intent: isolation and policies do not depend on the host; readers cannot evaluate code."""
    app = App(page, site.origin)
    installed(app)
    site.stop()
    headers = page.evaluate("""async () => {
      const of = async (path) => Object.fromEntries((await fetch(path)).headers);
      return [await of('/'), await of('/reader/text'), await of('/workers/engine.mjs')];
    }""")
    for one in headers:
        assert one["cross-origin-opener-policy"] == "same-origin"
        assert one["cross-origin-embedder-policy"] == "require-corp"
        assert one["cross-origin-resource-policy"] == "same-origin"
        assert "default-src 'self'" in one["content-security-policy"]
        assert "http" not in one["content-security-policy"]
    home, reader, _ = (one["content-security-policy"] for one in headers)
    assert "'unsafe-eval'" in home
    assert "'unsafe-eval'" not in reader
    assert "unsafe-inline" not in home + reader


def test_an_update_is_offered_and_applied_when_asked(
    page: Page, site: Site, two_builds: tuple[Path, Path]
) -> None:
    """Intent: never two builds in one page, never a reload that nobody asked for."""
    now, then = two_builds
    switch(site, now)
    app = App(page, site.origin)
    app.ready()
    installed(app)
    before = build_of(app)
    switch(site, then)
    page.evaluate("() => navigator.serviceWorker.getRegistration().then((r) => r.update())")
    wait_until(lambda: page.evaluate("() => cairn.updateReady"))
    assert app.search("water")  # the old build goes on
    page.reload()
    assert f"cairn-shell-{before}" in page.evaluate(CACHES)  # reloading is not applying
    wait_until(lambda: page.evaluate("() => globalThis.cairn?.updateReady"))
    with page.expect_navigation():
        page.evaluate("() => cairn.applyUpdate()")
    wait_until(lambda: page.evaluate(CACHES) == ["cairn-shell-" + "f" * 16])
    page.evaluate("() => globalThis.listening.then(() => 0)")
    assert app.ready()


def test_only_what_changed_is_fetched_again(
    page: Page, plain_host: PlainHost, two_builds: tuple[Path, Path]
) -> None:
    """Intent: an update of one file does not cost 40 MB."""
    now, then = two_builds
    plain_host.folder = now
    page.add_init_script("sessionStorage.setItem('cairn-isolation-reload', '1')")
    app = App(page, plain_host.origin)
    app.ready()
    installed(app)
    plain_host.asked.clear()
    plain_host.folder = then
    page.evaluate("() => navigator.serviceWorker.getRegistration().then((r) => r.update())")
    wait_until(lambda: page.evaluate("() => cairn.updateReady"))
    asked = [path for path in plain_host.asked if not path.startswith(("/models/", "/packs/"))]
    assert sorted(asked) == ["/precache.json", "/service-worker.mjs"]


def test_a_broken_update_changes_nothing(page: Page, site: Site, two_builds: tuple[Path, Path]) -> None:
    """Intent: a half-copied or tampered deployment never replaces what works."""
    now, then = two_builds
    listed = json.loads((then / "precache.json").read_text("utf-8"))
    entry = next(e for e in listed["shell"] if e["url"] == "/boot.mjs")
    entry["sha256"] = "0" * 64
    put(then / "precache.json", json.dumps(listed))
    switch(site, now)
    app = App(page, site.origin)
    installed(app)
    before = build_of(app)
    switch(site, then)
    page.evaluate("() => navigator.serviceWorker.getRegistration().then((r) => r.update()).catch(() => 0)")
    wait_until(
        lambda: page.evaluate(
            "() => navigator.serviceWorker.getRegistration().then((r) => !r.installing && !r.waiting)"
        )
    )
    assert page.evaluate("() => cairn.updateReady") is False
    site.stop()
    app.reload()
    assert app.ready()
    assert f"cairn-shell-{before}" in page.evaluate(CACHES)


def test_isolation_arrives_after_one_reload_and_no_more(
    context: BrowserContext, plain_host: PlainHost, guard: Guard
) -> None:
    """Intent: threads on any static host; a guard against reload loops; a touched page stays."""
    page = context.new_page()
    loads: list[str] = []
    page.on("domcontentloaded", lambda _: loads.append(page.url))
    page.goto(plain_host.origin)
    page.wait_for_function("() => crossOriginIsolated", timeout=90_000)  # outlives the reload
    page.wait_for_timeout(1_500)
    assert len(loads) == 2
    app = App(context.new_page(), plain_host.origin)
    assert app.page.evaluate("() => crossOriginIsolated") is True


def test_without_isolation_everything_works_too(context: BrowserContext, plain_host: PlainHost) -> None:
    """Intent: isolation is a gain, not a need; nobody is reloaded in the middle of typing."""
    page = context.new_page()
    app = App(page, plain_host.origin)
    page.keyboard.press("Shift")
    app.ready()
    installed(app)
    page.wait_for_timeout(1_000)
    assert page.evaluate("() => crossOriginIsolated") is False
    assert app.search("water")
