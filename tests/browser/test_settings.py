"""The Settings room: what is kept, what was asked of the network, another language, a fresh start."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import Site
from tests.browser.person import App

Start = Callable[..., BrowserContext]


def enter_settings(app: App) -> Page:
    app.page.click('.room[data-room="settings"]')
    app.page.wait_for_selector("#view-settings .facts dd")
    return app.page


def test_storage_and_the_log_of_requests_are_told(site: Site, on_disk: Start) -> None:
    """Intent: a person sees what Cairn keeps and that nothing was asked of any other place."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready("library")
    app.page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=60_000)
    page = enter_settings(app)
    facts = page.inner_text("#view-settings .kept .facts")
    assert "Packs" in facts and "The app itself" in facts
    total = re.search(r"In all\s+([\d.]+) MB", facts)
    assert total is not None and float(total[1]) > 30, facts
    assert page.locator("#persisted").inner_text()
    page.wait_for_selector("#view-settings .log p")
    assert int(page.get_attribute("#view-settings .log p[data-count]", "data-count") or 0) > 50
    assert page.get_attribute("#view-settings .log p[data-elsewhere]", "data-elsewhere") == "0"
    entries = page.inner_text("#view-settings .requests")
    assert "/boot.mjs" in entries and str(date.today().year) in entries


def test_arabic_turns_the_page_round(site: Site, on_disk: Start) -> None:
    """Intent: the chosen language is there after a reload, right to left from the first paint."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready("library")
    page = enter_settings(app)
    page.select_option("#language-choice", "ar")
    page.wait_for_selector('html[dir="rtl"]')
    page.wait_for_selector('html[data-page="ready"]')
    assert page.get_attribute("html", "lang") == "ar"
    rail = page.locator(".rail").bounding_box()
    assert rail is not None and rail["x"] > 600, rail


def test_everything_can_be_removed(site: Site, on_disk: Start) -> None:
    """Intent: "Remove everything" leaves nothing of the library, after one clear question."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready("library")
    page = enter_settings(app)
    page.click('[data-action="erase"]')
    page.click('[data-action="keep-all"]')
    assert page.is_visible('[data-action="erase"]')
    page.evaluate("localStorage.setItem('left-over', '1')")
    page.click('[data-action="erase"]')
    page.route("**/boot.mjs", lambda route: route.abort())  # the app does not fill it again at once
    page.click('[data-action="really-erase"]')
    page.wait_for_url(site.origin + "/", timeout=30_000)
    assert page.evaluate("localStorage.getItem('left-over')") is None
    left = page.evaluate(
        "(async () => { const names = [];"
        " for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);"
        " return [names, await caches.keys()]; })()"
    )
    assert left[0] == [], left


def test_a_fresh_start_gets_the_app_anew_and_keeps_the_library(site: Site, on_disk: Start) -> None:
    """Intent: a kept app that does not work can be left behind; without the server it stays."""
    context = on_disk()
    app = App.open(context, site.origin)
    app.wait_ready("library")
    app.page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=60_000)
    app.page.goto(site.origin + "/fresh.html")
    site.stop()
    app.page.click("#fresh")
    app.page.wait_for_function("document.querySelector('#said').textContent.length > 10")
    site.start()
    app.page.click("#fresh")
    app.page.wait_for_url(site.origin + "/")
    again = App(app.page)
    again.page.wait_for_selector("#question")
    again.wait_ready("library")
    again.page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=60_000)
