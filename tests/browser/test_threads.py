"""Conversations as a person has them: kept, found again, changed, taken along, really deleted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import Site
from tests.browser.person import App, Turn

WATER = "How do I make river water safe to drink?"
Start = Callable[..., BrowserContext]


def citations(turn: Turn) -> list[tuple[str, str]]:
    """Number and name of each citation in a turn, and the addresses of its sources."""
    found: list[Any] = turn.node.locator(".cite").evaluate_all(
        "all => all.map(c => [c.textContent, c.getAttribute('aria-label')])"
    )
    return [(number, name) for number, name in found] + [(s["title"], s["href"]) for s in turn.sources()]


def open_history(page: Page) -> list[str]:
    """Open the drawer; the titles in it."""
    page.click("#open-threads")
    page.wait_for_selector("#threads[open]")
    page.wait_for_function("document.querySelector('#threads > .hint').textContent !== ''")
    return page.locator(".thread-name > span").all_inner_texts()


def words(text: str) -> set[str]:
    """Its words of Latin letters."""
    return set(re.findall("[a-z]+", text.lower()))


def wait_titles(page: Page, *expected: str) -> None:
    """Wait until the drawer lists these threads."""
    page.wait_for_function(
        """expected => JSON.stringify([...document.querySelectorAll('.thread-name > span')]
          .map((e) => e.innerText)) === JSON.stringify(expected)""",
        arg=list(expected),
        timeout=20_000,
    )


def test_a_conversation_is_there_after_a_reload_as_it_was(site: Site, on_disk: Start) -> None:
    """Intent: ask, follow up, reload: the same turns, words, citations; the preview and sheet work."""
    app = App.open(on_disk(), site.origin)
    page = app.page
    app.wait_ready()
    first = app.ask(WATER).wait_done()
    second = app.ask("How long must it boil high in the mountains?").wait_done()
    before = [(t.quotes, t.written, citations(t)) for t in (first, second)]
    assert before[0][2]
    page.reload()
    again = [app.turn(n).wait_done() for n in (0, 1)]
    assert [(t.quotes, t.written, citations(t)) for t in again] == before
    assert page.locator(".turn").count() == 2
    again[0].node.locator(".cite").first.focus()
    page.wait_for_selector("#peek:not([hidden])")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet[open]")
    page.keyboard.press("Escape")

    again[0].node.locator("[data-action=why]").click()
    panel = again[0].node.locator(".debug")
    panel.locator(".bars li").first.wait_for()
    words = panel.inner_text()
    for part in ("Searched for", "Joined order", "Given to the model", "Prompt", "generate", "tokens/s"):
        assert part in words, part
    page.set_viewport_size({"width": 390, "height": 844})
    assert panel.evaluate("e => e.scrollWidth <= e.clientWidth"), "the panel must be scrolled sideways"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_query_and_a_question_are_changed_where_they_stand(site: Site, on_disk: Start) -> None:
    """Intent: one click on "searched: …" changes the query and asks again; so does the question."""
    app = App.open(on_disk(), site.origin)
    page = app.page
    app.wait_ready("library")
    turn = app.ask("How much?").wait_done()
    turn.node.locator("[data-action=edit-query]").click()
    page.keyboard.press("Escape")
    assert turn.node.locator(".edit").count() == 0
    assert page.evaluate("document.activeElement.dataset.action") == "edit-query", "the focus was lost"
    turn.node.locator("[data-action=edit-query]").click()
    page.keyboard.type("how much drinking water does each person need")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.quotes')?.innerText.match(/lit(re|er)/)", timeout=60_000)
    turn.wait_done()
    assert "how much drinking water" in turn.node.locator(".searched").inner_text()
    assert turn.node.locator(".asked").inner_text() == "How much?"
    assert page.locator(".turn").count() == 1

    turn.node.locator("[data-action=edit-question]").click()
    page.keyboard.type(WATER)
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.asked').innerText.includes('river')")
    turn.wait_done()
    assert WATER in turn.node.locator(".searched").inner_text()
    assert "boil" in turn.quotes.lower()
    page.reload()
    assert app.turn(0).wait_done().node.locator(".asked").inner_text() == WATER
    assert page.locator(".turn").count() == 1


def test_stop_keeps_what_was_written(site: Site, on_disk: Start) -> None:
    """Intent: silence soon after the click, the partial answer stored; what is read stays in its place."""
    app = App.open(on_disk(), site.origin)
    page = app.page
    page.set_viewport_size({"width": 390, "height": 700})
    app.wait_ready()
    turn = app.ask(WATER)
    turn.wait_writing()
    page.evaluate("document.querySelector('.sources').scrollIntoView({block: 'start'})")
    page.evaluate(
        """px => {
          const box = document.querySelector('#main').getBoundingClientRect();
          const spot = document.elementFromPoint(box.left + box.width / 2, box.top + px);
          globalThis.beingRead = spot.closest('.source') ?? spot.closest('.turn-body > *') ?? spot;
        }""",
        48,  # where people read: READING_PX of web/ui/dom.py
    )
    place = "globalThis.beingRead.getBoundingClientRect().top"
    before = page.evaluate(place)
    length = len(turn.written)
    page.wait_for_function(
        "length => document.querySelector('.written').innerText.length > length + 20", arg=length
    )
    moved = abs(page.evaluate(place) - before)
    assert moved <= 1, f"what was being read moved by {moved} px"

    silence = page.evaluate(
        """async () => {
          const written = document.querySelector('.written');
          let last = performance.now();
          const seen = new MutationObserver(() => { last = performance.now(); });
          seen.observe(written, {childList: true, subtree: true, characterData: true});
          const began = performance.now();
          document.querySelector('#stop').click();
          await new Promise((done) => setTimeout(done, 2000));
          return last - began;
        }"""
    )
    print(f"stop to silence: {silence:.0f} ms")
    turn.wait_done(10)
    kept = turn.written
    assert kept.strip()
    assert "Stopped" in turn.node.locator(".notes").inner_text()
    page.reload()
    again = app.turn(0).wait_done()
    assert again.written == kept
    assert "Stopped" in again.node.locator(".notes").inner_text()


def test_an_answer_that_a_reload_cut_off_is_kept(site: Site, on_disk: Start) -> None:
    """Intent: the engine dies in the middle of an answer; question, quotes and sources are there after."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready()
    turn = app.ask(WATER)
    turn.node.locator(".quotes:not([hidden])").wait_for(timeout=60_000)
    quotes = turn.quotes
    app.page.reload()
    again = app.turn(0).wait_done()
    assert again.quotes == quotes
    assert re.search("closed while|Stopped", again.node.locator(".notes").inner_text())


def test_threads_are_found_named_taken_along_and_deleted(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: list, search, rename, export, delete, clear, keep off; with the keyboard, and really gone."""
    context = on_disk()
    app = App.open(context, site.origin)
    page = app.page
    app.wait_ready("library")
    bleeding, chinese = "How do I stop heavy bleeding?", "如何净化河水？"
    quoted: dict[str, set[str]] = {}
    for question in (WATER, bleeding, chinese):
        if page.locator("#new-thread").is_visible():
            page.click("#new-thread")
        quoted[question] = words(app.ask(question).wait_done().quotes)
    only_there = max(quoted[bleeding] - quoted[WATER] - quoted[chinese], key=len)
    assert open_history(page) == [chinese, bleeding, WATER]
    assert page.evaluate("document.activeElement.type") == "search"

    page.keyboard.type("净化")
    wait_titles(page, chinese)
    page.fill("#threads .find", only_there.upper())
    wait_titles(page, bleeding)
    page.fill("#threads .find", "zzzz")
    wait_titles(page)
    assert "No thread" in page.inner_text("#threads > .hint")
    page.fill("#threads .find", "")
    wait_titles(page, chinese, bleeding, WATER)

    page.focus("#threads .find")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # what can be done with the third, the oldest
    page.click("[data-action=rename-thread]")
    page.keyboard.type("My river")
    page.keyboard.press("Enter")
    wait_titles(page, chinese, bleeding, "My river")

    with page.expect_download() as saved:
        page.click("[data-action=export-markdown]")
    assert saved.value.suggested_filename == "My-river.md"
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert text.startswith("# My river\n")
    for part in (f"## {WATER}", "> ", "**Sources**", "CC0-1.0", "[CN-P-", "asked: Field notes"):
        assert part in text, part
    with page.expect_download() as saved:
        page.click("[data-action=export-json]")
    value = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert value["thread"]["title"] == "My river"
    (turn,) = value["turns"]
    assert turn["question"] == WATER
    assert turn["result"]["citations"][0]["sha256"]
    assert turn["settings"]["sources"][0]["title"] == "Field notes"

    page.click("[data-action=delete-thread]")
    page.click("[data-action=leave-thread]")
    page.click("[data-action=delete-thread]")
    page.click("[data-action=really-delete-thread]")
    wait_titles(page, chinese, bleeding)
    page.click(".thread-row:last-child .thread-name")
    page.wait_for_selector("#threads:not([open])", state="attached")
    assert app.turn(0).wait_done().node.locator(".asked").inner_text() == bleeding

    open_history(page)
    page.uncheck("#keep-threads")
    page.click("[data-action=clear-threads]")
    page.click("[data-action=really-clear-threads]")
    wait_titles(page)
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.dataset.thread") == "empty"
    app.ask("What do I say in a Mayday call?").wait_done()
    assert open_history(page) == []
    page.keyboard.press("Escape")
    page.reload()
    app.wait_ready("library")
    page.wait_for_function("document.documentElement.dataset.thread === 'empty'", timeout=30_000)


def test_sources_and_length_are_chosen_and_remembered(site: Site, on_disk: Start) -> None:
    """Intent: the choice is asked with, kept with the thread, and said in words on the button."""
    app = App.open(on_disk(), site.origin)
    page = app.page
    app.wait_ready("library")
    page.click("#choose-sources")
    page.wait_for_selector("#chooser[open]")
    page.check('#chooser input[value="detailed"]')
    page.click('#chooser input[name="source"]')
    assert page.is_checked('#chooser input[name="source"]'), "nothing at all was chosen to be asked"
    assert page.locator("#chooser select").count() == 0, "a language was offered that no model writes"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "choose-sources"
    app.ask(WATER).wait_done()
    page.reload()
    app.turn(0).wait_done()
    page.wait_for_function("document.querySelector('#choose-sources').innerText.includes('Detailed')")
    page.click("#new-thread")


def test_questions_that_are_too_long_or_invisible(site: Site, on_disk: Start) -> None:
    """Intent: nothing is cut in silence, and a question of nothing but marks is not asked."""
    app = App.open(on_disk(), site.origin)
    page = app.page
    app.wait_ready("library")
    page.fill("#question", "\u200b\u200e\u2066 \ufeff")
    page.press("#question", "Enter")
    assert page.locator(".turn").count() == 0
    page.fill("#question", "water " * 900)
    assert "5,400" in page.inner_text("#question-length")
    page.press("#question", "Enter")
    turn = app.turn(0).wait_done()
    assert "4,000" in turn.node.locator(".notes").inner_text()
    assert page.is_hidden("#question-length")


def test_a_page_whose_scripts_are_missing_says_so(site: Site, context: BrowserContext) -> None:
    """Intent: "Starting" is not the last word when a part of the page cannot be had."""
    context.route("**/vendor/pyscript/**", lambda route: route.fulfill(status=503, body=""))
    page = context.new_page()
    page.goto(site.origin, wait_until="commit")
    page.wait_for_selector('.banner[data-name="page"]', timeout=30_000)
    assert "could not be loaded (/vendor/pyscript/" in page.inner_text('.banner[data-name="page"]')
