"""Packs as a person meets them: chosen, dropped, asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser.archives_page import call, open_app
from tests.browser.conftest import Site
from tests.unit.packs.helpers import small_pack

Start = Callable[..., BrowserContext]


def packs(page: Page) -> list[str]:
    """Titles of the packs that are listed."""
    return page.locator("[aria-labelledby=packs-title] .card h4").all_inner_texts()


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders of this machine on the page, as a person does."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})
    session.detach()


def test_a_folder_from_a_usb_stick_is_dropped(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: packs inside a folder are found, with the network off and the server gone."""
    stick = tmp_path / "stick" / "library"
    stick.mkdir(parents=True)
    small_pack(tmp_path / "made").rename(stick / "notes.zip")
    app = open_app(on_disk(), site.origin)
    site.stop()
    drop(app.page, tmp_path / "stick")
    card = app.page.locator("[data-job][data-state=asking]")
    card.wait_for(timeout=60_000)
    said = card.inner_text()
    for fact in ("Test notes", "1.0", "3 documents", "English", "CC0-1.0", "The browser gives"):
        assert fact in said, fact
    card.locator("[data-action=start-pack]").click()
    app.page.wait_for_selector("[data-source=test-notes][data-pack=on]", timeout=60_000)
    found = call(app.page, "engine.search", {"query": "tinder", "sources": ["test-notes"]})
    assert found["hits"][0]["document"] == "fire"  # type: ignore[index]
