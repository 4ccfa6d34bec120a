"""The search page, and what serves it, in Chromium with the network refused."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page

from tests.browser.app import App as Tab
from tests.browser.conftest import Site
from tests.browser.person import App
from tests.browser.search_page import SearchRoom
from tests.browser.waiting import wait_until

MODELS_SECONDS = 180


def test_the_kernel_compares_vectors_and_numpy_stays_away(context: BrowserContext, site: Site) -> None:
    """Intent: search by meaning runs at memory speed, and the start does not pay for numpy."""
    tab = Tab(context.new_page(), site.origin)
    tab.ready()
    wait_until(
        lambda: tab.request("engine.status")["readiness"]["meaning"]["state"] == "ready", MODELS_SECONDS
    )
    found = tab.request("engine.search", {"query": "¿Cómo paro una hemorragia fuerte?"})
    assert found["mode"] == "hybrid-full-vector"
    assert found["hits"][0]["document"].startswith("severe-bleeding")
    vectors = tab.request("engine.diagnostics")["vectors"]
    assert vectors["kernel"] == "simd"
    assert list(vectors["ways"].values()) == ["rows"]
    assert not tab.page.evaluate(
        "() => performance.getEntriesByType('resource').filter(e => e.name.includes('numpy')).length"
    )


def test_a_person_searches_filters_and_reads(context: BrowserContext, site: Site) -> None:
    """Intent: hits while typing, without any model; filters, reasons, keys, links and going back."""
    app = App.open(context, site.origin)
    page = app.page
    room = SearchRoom.enter(app)
    assert "Search everything" in page.inner_text(".search-empty")
    room.type("first aid bleedi")  # nothing is waited for: the library may still be opening
    assert "bleeding" in room.wait_hits("bleeding")[0].lower()
    assert "Found for “bleeding…”" in page.inner_text("#search-hint")
    assert "bleeding" in room.marks()
    assert page.url.endswith("#search?q=first+aid+bleedi")

    page.locator(".why summary").first.click()
    reasons = page.locator(".hit").first.locator(".why dl").inner_text()
    assert "bleeding" in reasons.lower() and re.search(r"rank \d+ \(score", reasons), reasons

    languages = room.wait_chips("languages")
    assert len(languages) > 1
    room.choose("languages", "Spanish")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.hit .excerpt')].every(e => e.lang === 'spa')"
        " && document.querySelectorAll('.hit').length"
    )
    assert page.locator('.chip[aria-pressed="true"]').inner_text().startswith("Spanish")
    assert page.evaluate("() => document.activeElement.dataset.value") == "spa", "the focus stays"
    assert room.chips("languages").keys() == languages.keys()
    page.locator(".hit").first.get_by_role("button", name="Only this document").click()
    page.wait_for_selector('.chip[data-action="all-documents"]')
    assert len(set(room.titles())) == 1

    address = page.url
    page.click('.room[data-room="library"]')
    assert page.url.endswith("#library")
    page.go_back()
    page.wait_for_selector("#search-box:focus")
    assert page.url == address and room.titles()
    page.reload()
    room.wait_hits()
    assert page.input_value("#search-box") == "first aid bleedi" and len(set(room.titles())) == 1

    page.focus("#search-box")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.className") == "hit-link"
    with context.expect_page() as opened:
        page.keyboard.press("Enter")
    opened.value.wait_for_selector("#document:not([hidden])")
    assert opened.value.locator("mark").count() or opened.value.locator(".marked").count()
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.id") == "search-box"


def test_nothing_found_quotes_and_errors_are_said(context: BrowserContext, site: Site) -> None:
    """Intent: an empty list says what to do next; quotes and minus are explained when they are used."""
    app = App.open(context, site.origin, "/#search?q=qzxvw")
    page = app.page
    page.get_by_text("Nothing found for “qzxvw”").wait_for(timeout=60_000)
    room = SearchRoom(page)
    page.fill("#search-box", '"boiling water" -radio')
    room.wait_hits()
    hint = page.inner_text("#search-hint")
    assert "word for word" in hint and "Without: radio" in hint
    page.wait_for_function("() => document.getElementById('live').textContent.includes('passage')")
    page.fill("#search-box", "")
    page.get_by_text("Search everything in your library").wait_for()
    assert room.titles() == [] and not page.locator(".chip").count()


def test_meaning_joins_without_moving_what_is_pointed_at(context: BrowserContext, site: Site) -> None:
    """Intent: hits of E5 come when it is ready; a list under the pointer keeps its order."""
    app = App.open(context, site.origin)
    page = app.page
    room = SearchRoom.enter(app)
    app.wait_ready("library")
    page.fill("#search-box", "wound that bleeds a lot")
    before = room.wait_hits()
    assert not page.locator('.hit:is([data-found="meaning"], [data-found="both"])').count()
    page.locator(".hit").nth(1).hover()
    page.mouse.move(*_middle(page, ".hit >> nth=1"))
    app.wait_ready("meaning")
    page.locator('.hit:is([data-found="meaning"], [data-found="both"])').first.wait_for(timeout=60_000)
    assert room.titles()[: len(before)] == before
    button = page.get_by_role("button", name="Put in the best order")
    if button.is_visible():
        button.click()
        assert room.titles() != before
    page.fill("#search-box", "¿Cómo paro una hemorragia?")
    page.locator('.hit[data-found="meaning"]').first.wait_for(timeout=60_000)


def test_typing_for_long_holds_nothing_back(context: BrowserContext, site: Site) -> None:
    """Intent: hundreds of searches, most of them cancelled, leave no object, session or request behind."""
    app = App.open(context, site.origin)
    page = app.page
    SearchRoom.enter(app)
    app.wait_ready("library", "meaning")
    page.evaluate(CONNECT)
    words = ["water", "boil", "river", "radio", "shelter", "fire", "knots", "storm", "bleeding", "rope"]
    seen = []
    for number in range(QUERIES):
        query = f"{words[number % 10]} {words[(number * 7 + 3) % 10]} {words[(number * 3 + 1) % 10][:4]}"
        page.evaluate(TYPE, query)
        page.wait_for_timeout(60 if number % 10 else 700)  # faster than the answers, with some pauses
        if number % 60 == 59:
            page.wait_for_timeout(3000)
            seen.append({**page.evaluate(HELD), **page.evaluate("async () => (await report()).held")})
    first, last = seen[0], seen[-1]
    assert last["sessions"] == first["sessions"]
    assert last["requests"] == 1, "only the one that asks"
    assert last["references"] <= first["references"] + 20, seen
    assert last["exposed"] <= first["exposed"] + 20, seen
    assert last["proxies"] <= first["proxies"] + 400, seen  # the page collects them when it must


QUERIES = 300
CONNECT = """() => import("/connection.mjs").then(({ connect }) => {
  const engine = connect();
  engine.listen(() => {});
  globalThis.report = () => engine.request("engine.diagnostics", {}, { timeoutMs: 60000 });
})"""
TYPE = """query => {
  const box = document.getElementById("search-box");
  box.value = query;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}"""
HELD = """() => ({
  exposed: globalThis.proxy_js_map.size,  // MicroPython's objects that JavaScript knows
  proxies: globalThis.proxy_js_ref_map.size,  // JavaScript's objects that MicroPython holds
})"""


def _middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
