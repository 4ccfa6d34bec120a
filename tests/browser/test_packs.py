"""Packs as a person meets them: chosen, dropped, asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page

from tests.browser.archives_page import call, open_app, wait_until
from tests.browser.conftest import Site
from tests.unit.packs.helpers import small_pack
from tests.unit.packs.published import schema_one
from tests.unit.packs.sea_pack import sea_pack

Start = Callable[..., BrowserContext]


def packs(page: Page) -> list[str]:
    """Titles of the packs that are listed."""
    return page.locator("[aria-labelledby=packs-title] .card h4").all_inner_texts()


def let_fall(page: Page, *paths: Path) -> None:
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
    let_fall(app.page, tmp_path / "stick")
    card = app.page.locator("[data-job][data-state=asking]")
    card.wait_for(timeout=60_000)
    said = card.inner_text()
    for fact in ("Test notes", "1.0", "3 documents", "English", "CC0-1.0", "The browser gives"):
        assert fact in said, fact
    card.locator("[data-action=start-pack]").click()
    app.page.wait_for_selector("[data-source=test-notes][data-pack=on]", timeout=60_000)
    found = call(app.page, "engine.search", {"query": "tinder", "sources": ["test-notes"]})
    assert found["hits"][0]["document"] == "fire"  # type: ignore[index]


def job(page: Page, state: str) -> Locator:
    """The card of a pack on its way, once it is in that state."""
    card = page.locator(f"article[data-job][data-state={state}]")
    card.wait_for(timeout=60_000)
    return card


def on(page: Page, pack: str) -> Locator:
    """The card of a pack that answers."""
    card = page.locator(f"[data-source={pack}][data-pack=on]")
    card.wait_for(timeout=90_000)
    return card


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack whose index has to be built here, which takes a few seconds."""
    folder = tmp_path_factory.mktemp("slow")
    return schema_one(sea_pack(folder, "1", compatible=True), folder / "sea.zip")


def test_it_is_held_and_goes_on_and_survives_the_tab(
    site: Site, on_disk: Start, kill: Callable[[], None], slow: Path
) -> None:
    """Intent: pause, go on, stop; and after the browser was killed, the file again and on it goes."""
    app = open_app(on_disk(), site.origin)
    let_fall(app.page, slow)
    job(app.page, "asking").locator("[data-action=start-pack]").click()
    running = job(app.page, "running")
    running.locator("[data-action=pause-pack]").click()
    held = job(app.page, "paused")
    assert "Paused" in held.inner_text()
    held.locator("[data-action=resume-pack]").click()
    job(app.page, "running")
    wait_until(lambda: "Building its index" in app.page.locator("article[data-job]").inner_text(), 60)
    kill()

    app = open_app(on_disk(), site.origin)
    app.page.click(".room[data-room=library]")
    waiting = job(app.page, "waiting")
    assert "sea.zip" in waiting.inner_text()
    cleared = app.page.locator("[aria-labelledby=packs-title] > .news[data-kind=waiting]")
    wait_until(lambda: "cleared away" in " ".join(cleared.all_inner_texts()), 30)
    let_fall(app.page, slow)
    on(app.page, "sea-notes")
    assert app.page.locator("article[data-job]").count() == 0
    assert call(app.page, "engine.search", {"query": "keeper1", "sources": ["sea-notes"]})["hits"]


def test_switching_verifying_and_removing(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: every button does what it says, and the keyboard stays where it was."""
    app = open_app(on_disk(), site.origin)
    let_fall(app.page, small_pack(tmp_path))
    job(app.page, "asking").locator("[data-action=start-pack]").click()
    card = on(app.page, "test-notes")
    card.locator("[data-action=verify-pack]").click()
    wait_until(lambda: "every byte is as published" in app.page.inner_text("#view-library"), 30)
    card.locator("[data-action=switch-pack]").press("Enter")
    off = app.page.locator("[data-source=test-notes][data-pack=off]")
    off.wait_for()
    focused = "document.activeElement.getAttribute('data-action')"
    wait_until(lambda: app.page.evaluate(focused) == "switch-pack", 10)
    off.locator("[data-action=switch-pack]").press("Enter")
    on(app.page, "test-notes").locator("[data-action=remove-pack]").press("Enter")
    wait_until(lambda: app.page.evaluate(focused) == "keep-pack", 10)
    app.page.click("[data-action=really-remove-pack]")
    wait_until(lambda: packs(app.page) == ["Field notes"], 30)

    app.page.locator(
        "[data-source=starter] [data-action=remove-pack], [data-action=remove-pack]"
    ).first.click()
    app.page.click("[data-action=really-remove-pack]")
    back = app.page.locator("[data-action=repair-pack]")
    back.wait_for()
    back.click()
    wait_until(lambda: packs(app.page) == ["Field notes"], 60)
