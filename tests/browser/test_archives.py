"""Archives as a person meets them: chosen, asked, cited, read, kept, lost, removed; and hostile ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.archives_page import (
    archive,
    call,
    cards,
    choose,
    open_app,
    read,
    readiness,
    wait_for_article,
    wait_until,
)
from tests.browser.conftest import ROOT, Guard, Site
from tests.unit.archives.synthetic import Item, zim
from tests.unit.engine.small_archives import small_archive

RAY = "When did Ray Charles go blind?"
Start = Callable[..., BrowserContext]
GONE = (
    "script", "style", "iframe", "object", "embed", "form", "input", "svg", "video", "audio", "base",
    "[onload]", "[onerror]", "[ontoggle]", "[srcset]", "[background]",
)  # fmt: skip

MARKED_IN_VIEW = """() => { const r = document.querySelector("mark").getBoundingClientRect();
  return r.top >= 0 && r.top < innerHeight; }"""
PICTURES = """[...document.querySelectorAll("img[data-shown]")].filter(i => i.naturalWidth > 1).length"""


def test_a_question_is_answered_from_an_archive_and_read_there(site: Site, on_disk: Start) -> None:
    """Intent: add, ask, quote, cite, open, see the passage marked and the pictures; go on reading."""
    path = archive("ray_charles_maxi_2023-09.zim")
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, path)
    assert cards(app.page) == ["Ray Charles"]
    facts = app.page.inner_text(".card[data-state=open]")
    for fact in ("English", "2023-09-04", "Kiwix", "139 articles", "Full text", "2.8 MB", path.name):
        assert fact in facts, fact
    assert app.state("archives") == "ready"

    turn = app.ask(RAY)
    assert "seven" in turn.locator(".quotes").inner_text()
    card = turn.locator("a.source", has=app.page.locator("strong", has_text="Ray Charles")).first
    address = card.get_attribute("href") or ""
    assert address.startswith("/reader/wiki.html?source=zim-")

    reader, frame = read(context, site.origin + address)
    marked = " ".join(frame.locator("mark").all_inner_texts())
    assert "blind by the age of seven" in marked
    assert frame.evaluate(MARKED_IN_VIEW)
    line = frame.inner_text(".cairn-source")
    for fact in ("Ray Charles", "English", "2023", "Kiwix", "Licence not stated"):
        assert fact in line
    frame.evaluate("scrollTo(0, 0)")
    wait_until(lambda: frame.evaluate(PICTURES) > 0, 20)

    assert reader.locator("#contents button").count() > 3
    reader.click("#find-button")
    reader.fill("#find-box", "Georgia on My Mind")
    wait_until(lambda: " of " in reader.inner_text("#find-count"), 5)
    reader.keyboard.press("Escape")

    reader.fill("#title-box", "hit the road")
    reader.locator("#title-list li").first.wait_for()
    reader.keyboard.press("Enter")
    frame = wait_for_article(reader, "Hit the Road Jack")
    frame.locator('a[data-path="A/One_Mint_Julep"]').first.click()
    wait_for_article(reader, "One Mint Julep")
    reader.go_back()
    wait_for_article(reader, "Hit the Road Jack")
    reader.go_back()
    frame = wait_for_article(reader, "Ray Charles")
    assert frame.locator("mark").count()
    before = reader.title()
    reader.click("#random")
    wait_until(lambda: reader.title() != before, 20)
    reader.click("#main-page")
    wait_for_article(reader, "Main Page")


def test_german_and_japanese_archives_are_found_by_search(site: Site, on_disk: Start) -> None:
    paths = [archive("lo_de.zim"), archive("lo_ja.zim")]
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, *paths)
    wait_until(lambda: len(cards(app.page)) == 2, 60)
    for query, language, word in (
        ("Wie füge ich eine Tabelle in ein Dokument ein?", "deu", "Tabelle"),
        ("表をテキスト文書に挿入する", "jpn", "表"),
    ):
        found = call(app.page, "engine.search", {"query": query, "semantic": False})
        hits = [hit for hit in found["hits"] if hit["language"] == language]  # type: ignore[attr-defined]
        assert hits, (query, found)
        assert hits[0]["mode"] == "xapian-full-text"
        assert any(word in hit["text"] for hit in hits)
        _, frame = read(context, site.origin + hits[0]["reader_url"])
        assert frame.locator("mark").count(), hits[0]
        assert frame.evaluate("document.documentElement.lang") == language


def test_damaged_files_cost_one_sentence_and_the_others_answer(
    site: Site, on_disk: Start, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.zim"
    cut.write_bytes(small_archive()[:-700])
    text = tmp_path / "letter.zim"
    text.write_text("Dear reader, this is no archive. " * 20)
    app = open_app(on_disk(), site.origin)
    for path, reason in ((cut, "bytes are missing at its end"), (text, "not a ZIM archive")):
        choose(app.page, path)
        news = app.page.inner_text(".news[data-kind=failed]")
        assert news.startswith(f"{path.name}: ")
        assert reason in news
        assert cards(app.page) == []
    turn = app.ask("How do I make river water safe to drink?")
    assert "boil" in turn.locator(".quotes").inner_text().lower()


def test_a_copy_is_kept_and_a_chosen_file_is_asked_for_again(
    site: Site, on_disk: Start, tmp_path: Path
) -> None:
    """Intent: a copy opens by itself after a restart; a file outside must be chosen again, and says so."""
    kept, outside = tmp_path / "kept.zim", tmp_path / "outside.zim"
    kept.write_bytes(small_archive())
    outside.write_bytes(zim([
        Item("C", "Tide", b"<h1>Tide</h1><p>The tide turns about every six hours.</p>", "Tide"),
        Item("M", "Title", b"Tide tables", mime="text/plain"),
    ], titles=True))  # fmt: skip
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, kept)
    app.page.click("[data-action=copy-archive]")
    app.page.wait_for_selector("text=A copy inside the app")
    choose(app.page, outside)
    assert sorted(cards(app.page)) == ["Coast book", "Tide tables"]
    context.close()

    context = on_disk()
    app = open_app(context, site.origin)
    assert app.state("archives") == "degraded"
    app.page.click(".room[data-room=library]")
    app.page.wait_for_selector(".card[data-state=absent]")
    assert cards(app.page) == ["Coast book"]
    assert "permission" in app.page.inner_text(".card[data-state=absent] .news")
    with app.page.expect_file_chooser() as chooser:
        app.page.click("[data-action=reopen-archive]")
    chooser.value.set_files(outside)
    wait_until(lambda: len(cards(app.page)) == 2, 20)

    for left in (1, 0):
        app.page.locator("[data-action=remove-archive]").first.click()
        app.page.click("[data-action=really-remove-archive]")
        wait_until(lambda left=left: len(cards(app.page)) == left, 20)
    assert kept.is_file() and outside.is_file()


LARGE = 240_000_000
"""Bytes of an archive whose copy takes seconds."""


def test_a_copy_that_was_stopped_goes_on_after_a_restart(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: a copy of gigabytes survives a pause and a closed browser, and loses nothing."""
    path = tmp_path / "large.zim"
    path.write_bytes(zim([
        Item("C", "Tide", b"<h1>Tide</h1><p>The tide turns about every six hours.</p>", "Tide"),
        Item("C", "film.webm", bytes(LARGE), mime="video/webm"),
        Item("C", "last", b"the last words of the file", mime="text/plain"),
        Item("M", "Title", b"Tide films", mime="text/plain"),
        Item("W", "mainPage", target=("C", "Tide")),
    ], titles=True))  # fmt: skip
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, path)
    app.page.click("[data-action=copy-archive]")
    app.page.wait_for_function("document.querySelector('.copying progress')?.value > 0", timeout=60_000)
    app.page.click("[data-action=stop-copy]")
    go_on = app.page.locator("[data-action=copy-archive]", has_text="Go on copying")
    go_on.wait_for(timeout=60_000)
    stopped_at = copied(app.page)
    assert 0 < stopped_at < path.stat().st_size
    context.close()

    context = on_disk()
    app = open_app(context, site.origin)
    app.page.click(".room[data-room=library]")
    app.page.wait_for_selector(".card[data-state=absent]")
    assert copied(app.page) == stopped_at
    with app.page.expect_file_chooser() as chooser:
        app.page.click("[data-action=reopen-archive]")
    chooser.value.set_files(path)
    go_on = app.page.locator("[data-action=copy-archive]", has_text="Go on copying")
    go_on.click(timeout=60_000)
    app.page.wait_for_selector("text=A copy inside the app", timeout=120_000)
    source = call(app.page, "engine.status", {})["sources"][-1]["id"]  # type: ignore[index]
    assert call(app.page, "archives.main", {"source": source})["path"] == "C/Tide"
    last = call(app.page, "archives.article", {"source": source, "path": "last"})
    assert last["html"] == "the last words of the file"


def copied(page: Page) -> int:
    """Bytes of an unfinished copy, as the engine tells."""
    sources: Any = call(page, "engine.status", {})["sources"]
    return int(sources[-1]["archive"]["copied"])


def test_a_second_tab_adds_through_the_tab_in_charge(site: Site, on_disk: Start, tmp_path: Path) -> None:
    path = tmp_path / "coast.zim"
    path.write_bytes(small_archive())
    context = on_disk()
    first = open_app(context, site.origin)
    page = context.new_page()
    page.goto(site.origin)
    page.wait_for_selector("html[data-page=ready]")
    choose(page, path)
    assert cards(page) == ["Coast book"]
    first.page.bring_to_front()
    wait_until(lambda: first.state("archives") == "ready", 20)
    source = call(page, "engine.status", {})["sources"][-1]["id"]  # type: ignore[index]
    first.page.close()  # the other takes over, and hands the file to its own engine
    wait_until(lambda: not page.locator(".banner[data-name=role]").count(), 60)
    wait_until(lambda: readiness(page) == "ready", 90)
    assert call(page, "archives.main", {"source": source})["path"] == "C/Lighthouse"


PICKER = """
globalThis.showOpenFilePicker = async () => {
  const root = await navigator.storage.getDirectory();
  return [await root.getFileHandle("coast.zim")];
};
"""
PUT = """async bytes => {
  const root = await navigator.storage.getDirectory();
  const file = await (await root.getFileHandle("coast.zim", { create: true })).createWritable();
  await file.write(new Uint8Array(bytes));
  await file.close();
}"""


def test_a_remembered_handle_opens_by_itself_while_access_is_granted(site: Site, on_disk: Start) -> None:
    """Intent: on Chromium the next start needs no click (a handle in OPFS stands in for one on the disk)."""
    context = on_disk()
    app = open_app(context, site.origin)
    app.page.evaluate(PUT, list(small_archive()))
    app.page.evaluate(PICKER)
    app.page.click(".room[data-room=library]")
    app.page.click("[data-action=add-archive]")
    app.page.wait_for_selector(".card[data-state=open]")
    context.close()

    app = open_app(on_disk(), site.origin)
    wait_until(lambda: app.state("archives") == "ready", 20)
    app.page.click(".room[data-room=library]")
    app.page.wait_for_selector(".card[data-state=open]")
    app.page.click("[data-action=remove-archive]")
    app.page.click("[data-action=really-remove-archive]")
    wait_until(lambda: not cards(app.page), 20)


def test_a_file_dropped_on_the_page_is_added(site: Site, on_disk: Start) -> None:
    app = open_app(on_disk(), site.origin)
    app.page.evaluate(
        """bytes => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], "coast.zim"));
          for (const type of ["dragenter", "drop"]) {
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true }));
          }
        }""",
        list(small_archive()),
    )
    app.page.wait_for_selector(".card[data-state=open]")
    assert cards(app.page) == ["Coast book"]


HOSTILE = ROOT / "tests" / "data" / "hostile.html"


def test_a_hostile_article_runs_nothing_and_asks_for_nothing(
    site: Site, on_disk: Start, guard: Guard, tmp_path: Path
) -> None:
    """Intent: whatever stands in an archive, no script runs and no request leaves the origin."""
    host = "evil.example:8080"
    css = f"@import 'http://{host}/i.css'; h1 {{ color: rgb(1, 2, 3); background: url(http://{host}/c.png) }}"
    path = tmp_path / "trap.zim"
    path.write_bytes(zim([
        Item("C", "Trap", HOSTILE.read_bytes(), "Trap"),
        Item("C", "trap.css", css.encode(), mime="text/css"),
        Item("M", "Title", b"<img src=x onerror=top.hurt='title'>", mime="text/plain"),
        Item("M", "Description", b"<b onclick=top.hurt=1>bold</b>", mime="text/plain"),
    ], titles=True))  # fmt: skip
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, path)
    source = call(app.page, "engine.status", {})["sources"][-1]["id"]  # type: ignore[index]
    reader, frame = read(context, f"{site.origin}/reader/wiki.html?source={source}&path={quote('C/Trap')}")
    assert "Harmless words stay." in frame.inner_text("body")
    address = reader.url
    for link in ("js", "data"):
        frame.evaluate(f"document.getElementById('{link}').click()")
        assert frame.get_attribute(f"#{link}", "href") is None
    frame.click("#out")
    assert reader.inner_text("#outside-address") == f"http://{host}/page"
    reader.click("#outside-close")
    frame.focus("#protocol")
    reader.keyboard.press("Enter")
    assert f"{host}/page2" in reader.inner_text("#outside-address")
    reader.click("#outside-close")
    for name in GONE:
        assert frame.locator(f"body {name}").count() == 0, name
    time.sleep(1.5)  # what was to be fetched later
    assert reader.url == address
    for page in (reader, app.page):
        assert page.evaluate("globalThis.hurt") is None
    asked = [url for url in guard.origins if host in url]
    assert not asked
    # Parsing (in a document without a window) lets the policy report handlers and <base>; nothing may
    # have got as far as being loaded.
    loads = [line for line in guard.console if "Loading the" in line or "Refused to load" in line]
    assert not loads, loads
    assert frame.evaluate("getComputedStyle(document.querySelector('p.x')).position") == "static"
    assert frame.evaluate("getComputedStyle(document.querySelector('.x'), '::after').content") in (
        "none",
        "normal",
    )


@pytest.mark.parametrize("html", ["", "<p>" * 3000, "\0\0<!--", "<table><td>" * 200, "<![CDATA[ x"])
def test_odd_pages_are_shown(site: Site, on_disk: Start, tmp_path: Path, html: str) -> None:
    path = tmp_path / "odd.zim"
    path.write_bytes(zim([Item("C", "Odd", html.encode(), "Odd")], titles=True))
    context = on_disk()
    app = open_app(context, site.origin)
    choose(app.page, path)
    source = call(app.page, "engine.status", {})["sources"][-1]["id"]  # type: ignore[index]
    reader, frame = read(context, f"{site.origin}/reader/wiki.html?source={source}&path=C%2FOdd")
    assert frame.inner_text(".cairn-title") == "Odd"
    assert reader.is_hidden("#state")


def test_a_saved_catalogue_is_browsed_without_a_network(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: what there is, in which language, how large, and an address to copy; nothing is asked."""
    books = "".join(
        f'<book title="{title}" description="{about}" language="{language}" date="2026-01-02" size="20480"'
        f' publisher="openZIM" articleCount="120" name="{title.lower()}" url="https://m.example.org/{title}.zim"/>'
        for title, about, language in (
            ("Wikimed", "Medicine for everyone", "eng"),
            ("Vikidia", "L’encyclopédie des enfants", "fra"),
            *((f"Forum{number}", "Questions and answers", "eng") for number in range(40)),
        )
    )
    path = tmp_path / "library.xml"
    path.write_text(f"<library>{books}</library>", encoding="utf-8")
    app = open_app(on_disk(), site.origin)
    page = app.page
    page.click(".room[data-room=library]")
    with page.expect_file_chooser() as chooser:
        page.click("[data-action=open-catalogue]")
    chooser.value.set_files(path)
    page.locator(".catalogue .card").nth(23).wait_for()
    assert page.inner_text("#catalogue-count") == "24 of 42 shown"
    page.click("#catalogue-more")
    page.locator(".catalogue .card").nth(41).wait_for()
    assert page.locator("#catalogue-more").is_hidden()
    page.fill("#catalogue-query", "encyclopedie")
    wait_until(lambda: page.locator(".catalogue .card h5").all_inner_texts() == ["Vikidia"], 10)
    facts = page.inner_text(".catalogue .card")
    for fact in ("French", "2026-01-02", "openZIM", "120 articles", "21 MB", "not stated in the catalogue"):
        assert fact in facts, fact
    assert page.inner_text(".catalogue .zim-address") == "https://m.example.org/Vikidia.zim"
    assert page.locator("#catalogue-query").evaluate("node => node === document.activeElement")
    page.select_option("#catalogue-language", "eng")
    wait_until(lambda: page.locator(".catalogue .card").count() == 0, 10)
    page.click("[data-action=close-catalogue]")
    assert page.locator(".catalogue").count() == 0
    path.write_text('<!DOCTYPE x [<!ENTITY e "x">]><library/>')
    with page.expect_file_chooser() as chooser:
        page.click("[data-action=open-catalogue]")
    chooser.value.set_files(path)
    page.wait_for_selector(".news[data-kind=failed]")
    assert "document type" in page.inner_text(".news[data-kind=failed]")
