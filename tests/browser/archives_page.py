"""What the tests of archives do on the page: add a file, search, open the reader."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Frame, Locator, Page

from tests.browser.conftest import ROOT

DATA = Path(os.environ.get("CAIRN_DATA") or ROOT.parent / "shared" / "data")
READ = "#state[hidden], #state[data-kind=refused]"
# A hidden picker has no handles; the plain file input is the way of every other browser.
NO_PICKER = "delete globalThis.showOpenFilePicker"


def archive(name: str) -> Path:
    """A handed test archive; skips the test where it is absent."""
    path = DATA / "zim" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there (set CAIRN_DATA to the folder that holds zim/)")
    return path


@dataclass
class OpenApp:
    """The app with its library open."""

    page: Page

    def state(self, cell: str) -> str:
        """The state of a readiness cell."""
        return self.page.get_attribute(f'.cell[data-cell="{cell}"]', "data-state") or ""

    def ask(self, question: str) -> Locator:
        """Ask; the turn, once it quotes."""
        self.page.click(".room[data-room=ask]")
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        turn = self.page.locator(".turn").last
        turn.locator(".quotes:not([hidden])").wait_for(timeout=60_000)
        return turn


def open_app(context: BrowserContext, origin: str) -> OpenApp:
    """Open the app and wait for its library and its interface."""
    context.add_init_script(NO_PICKER)
    page = context.pages[0] if context.pages else context.new_page()
    page.goto(origin, wait_until="commit")
    page.wait_for_selector("html[data-page=ready]", timeout=60_000)
    page.wait_for_selector(
        '.cell[data-cell="library"][data-state="ready"]', state="attached", timeout=120_000
    )
    return OpenApp(page)


def choose(page: Page, *paths: Path) -> None:
    """Add files by the Library's button; returns when the page says what became of them."""
    page.click(".room[data-room=library]")
    with page.expect_file_chooser() as chooser:
        page.click("[data-action=add-archive]")
    chooser.value.set_files(paths)
    page.wait_for_selector(".news:not([data-kind=adding])", timeout=60_000)


def cards(page: Page) -> list[str]:
    """Titles of the archives that are listed and open."""
    return page.locator(".card[data-state=open] h4").all_inner_texts()


def call(page: Page, method: str, params: dict[str, object]) -> dict[str, object]:
    """Ask the engine through the page's own connection."""
    script = """async ([method, params]) => {
      const { connect } = await import("/connection.mjs");
      return connect().request(method, params);
    }"""
    found: dict[str, object] = page.evaluate(script, [method, params])
    return found


def readiness(page: Page) -> str:
    """State of the archives as the engine tells it now."""
    status: Any = call(page, "engine.status", {})
    return str(status["readiness"]["archives"]["state"])


def read(context: BrowserContext, address: str) -> tuple[Page, Frame]:
    """Open a reader address in a page of its own; the page and the article's frame."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(READ, state="attached", timeout=60_000)
    return page, article(page)


def wait_until(check: Callable[[], Any], seconds: float) -> Any:
    """What ``check`` returns once it is true; fails when that takes too long."""
    ends = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < ends, f"waited {seconds} s in vain"
        time.sleep(0.1)
    return found


def article(page: Page) -> Frame:
    """The frame of the article."""
    frame = page.query_selector("#article").content_frame()  # type: ignore[union-attr]
    assert frame is not None
    return frame


def wait_for_article(page: Page, title: str) -> Frame:
    """Wait until an article is shown."""
    page.wait_for_function("title => document.title.startsWith(title + ' · ')", arg=title)
    page.wait_for_selector("#state[hidden]", state="attached")
    return article(page)
