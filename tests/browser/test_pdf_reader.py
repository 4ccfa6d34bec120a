"""The PDF reader: a cited page as it looks, with the passage marked, and what its tools do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.archives_page import NO_PICKER, call, open_app, wait_until
from tests.browser.conftest import Site
from tests.browser.test_documents import IN_VIEW, add, listed, settled
from tests.unit.documents.helpers import corpus

Start = Callable[..., BrowserContext]
PICTURES = os.environ.get("CAIRN_PICTURES")  # a folder for screenshots, to be looked at
# Ink on the canvas below the first mark: the page itself is drawn where its letters are marked.
INK = """() => { const mark = document.querySelector(".pdf-text mark");
  const page = mark.closest(".pdf-page"), canvas = page.querySelector("canvas");
  if (!canvas) return 0;
  const at = mark.getBoundingClientRect(), box = page.getBoundingClientRect();
  const sharp = canvas.width / box.width;
  const { data } = canvas.getContext("2d").getImageData((at.left - box.left) * sharp,
    (at.top - box.top) * sharp, Math.max(1, at.width * sharp), Math.max(1, at.height * sharp));
  let low = 255, high = 0;
  for (let n = 0; n < data.length; n += 4) { low = Math.min(low, data[n]); high = Math.max(high, data[n]); }
  return high - low; }"""
MARKED = """() => [...document.querySelectorAll(".pdf-text mark")].map((mark) => mark.textContent).join("")"""
CURRENT = "() => Number(document.querySelector('#page-box').value)"


def plain(text: str) -> str:
    """Letters alone, as the reader compares them."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def opened(context: BrowserContext, address: str) -> Page:
    """A reader page, with the first page drawn."""
    reader = context.new_page()
    reader.goto(address)
    reader.wait_for_selector(".pdf-page canvas", timeout=60_000)
    return reader


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def test_a_citation_opens_the_page_of_the_pdf(site: Site, on_disk: Start) -> None:
    """Intent: with the network refused, the right page, and the passage marked where its ink is."""
    context = on_disk()
    page = open_app(context, site.origin).page
    add(page, corpus("pdf/readygov-flood.pdf"))
    assert settled(page)["readygov-flood.pdf"]["status"] == "completed"
    site.stop()
    query = "What should I do when I am under a flood warning?"
    found: Any = call(page, "engine.search", {"query": query})
    hits = [hit for hit in found["hits"] if hit["title"] == "BE PREPARED FOR A FLOOD"]
    assert hits
    for hit in hits[:2]:
        address = urlsplit(hit["reader_url"])
        assert address.path == "/reader/pdf.html" and parse_qs(address.query)["page"] == [str(hit["page"])]
        reader = opened(context, site.origin + hit["reader_url"])
        reader.wait_for_selector("#to-passage:not([hidden])", timeout=30_000)
        assert wait_until(lambda r=reader: r.evaluate(IN_VIEW), 10)
        shown = int(reader.locator("mark").first.evaluate("m => m.closest('.pdf-page').dataset.page"))
        assert shown == hit["page"] == reader.evaluate(CURRENT)
        marked, wanted = plain(reader.evaluate(MARKED)), plain(hit["text"])
        assert len(marked) >= 0.9 * len(wanted), (marked, wanted)
        assert marked[:12] in wanted
        assert wait_until(lambda r=reader: r.evaluate(INK) > 80, 20)
        assert "/reader/text.html?" in (reader.get_attribute("#as-text", "href") or "")
        picture(reader, f"pdf-{hit['page']}-{hit['passage'].rsplit(':')[-1]}")
        reader.close()


def test_pages_zoom_find_and_turn(site: Site, on_disk: Start) -> None:
    """Intent: a long PDF is read with the keyboard and the tools; few canvases are kept."""
    context = on_disk()
    page = open_app(context, site.origin).page
    add(page, corpus("pdf/fema-national-response-framework.pdf"))
    settled(page)
    found: Any = call(page, "documents.collections", {})
    source = found["collections"][0]["id"]
    document = listed(page)["fema-national-response-framework.pdf"]
    reader = opened(
        context, f"{site.origin}/reader/pdf.html?source={source}&document={document['id']}&page=20"
    )
    assert reader.evaluate(CURRENT) == 20
    assert reader.inner_text("#page-count") == f"of {document['pages']}"
    reader.press("#pages", "ArrowRight")
    assert wait_until(lambda: reader.evaluate(CURRENT) == 21, 10)
    reader.fill("#page-box", "3")
    reader.press("#page-box", "Enter")
    assert wait_until(lambda: reader.evaluate(CURRENT) == 3, 10)
    for number in range(4, 24):
        reader.click("#next")
        assert wait_until(lambda n=number: reader.evaluate(CURRENT) == n, 10)
    wait_until(lambda: reader.locator(".pdf-page[data-page='23'] canvas").count() == 1, 20)
    assert reader.locator(".pdf-page canvas").count() <= 12

    width = "() => document.querySelector('.pdf-page').offsetWidth"
    before = reader.evaluate(width)
    reader.click("#smaller")
    assert reader.evaluate(width) < before and reader.evaluate(CURRENT) == 23
    reader.click("#fit")
    assert reader.evaluate(width) == before
    tall = "() => { const p = document.querySelector('.pdf-page'); return p.offsetHeight > p.offsetWidth; }"
    assert reader.evaluate(tall)
    reader.click("#rotate")
    assert not reader.evaluate(tall)
    for _ in range(3):
        reader.click("#rotate")

    reader.click("#thumbnails-button")
    reader.wait_for_selector(".thumbnail[data-page='23'] canvas")
    assert reader.locator("#thumbnails [aria-current=page]").inner_text().endswith("Page 23")
    picture(reader, "pdf-thumbnails")
    reader.keyboard.press("Escape")
    assert reader.evaluate("document.activeElement.id") == "thumbnails-button"

    reader.click("#find-button")
    reader.fill("#find-box", "community lifelines")
    reader.wait_for_function("() => /^1 of \\d+$/.test(document.querySelector('#find-count').textContent)")
    reader.wait_for_function("() => CSS.highlights.has('cairn-current')")
    reader.press("#find-box", "Enter")
    reader.wait_for_function("() => document.querySelector('#find-count').textContent.startsWith('2 of')")
    picture(reader, "pdf-find")
    reader.press("#find-box", "Escape")
    assert reader.evaluate("document.activeElement.id") == "find-button"
    for width_now in (820, 390):
        reader.set_viewport_size({"width": width_now, "height": 844})
        sideways = "document.documentElement.scrollWidth - innerWidth"
        assert wait_until(lambda s=sideways: reader.evaluate(s) <= 0, 10)
        small = """() => [...document.querySelectorAll("header button, header a, header input")]
          .filter((n) => n.checkVisibility()).map((n) => [n.id, n.offsetWidth, n.offsetHeight])
          .filter(([, width, height]) => width < 44 || height < 44)"""
        assert reader.evaluate(small) == []
        reader.wait_for_timeout(600)
        picture(reader, f"pdf-{width_now}")


def test_a_password_is_asked_for_and_errors_are_said(site: Site, on_disk: Start) -> None:
    context = on_disk()
    page = open_app(context, site.origin).page
    add(page, corpus("pdf/awkward-password.pdf"))
    settled(page)
    locked = page.locator("li", has_text="awkward-password.pdf").first
    locked.locator("[data-action=retry-document]").click()
    page.fill("#own-secret", "openpassword")
    page.press("#own-secret", "Enter")
    wait_until(lambda: listed(page)["awkward-password.pdf"]["status"] == "completed", 60)
    found: Any = call(page, "documents.collections", {})
    where = f"source={found['collections'][0]['id']}&document={listed(page)['awkward-password.pdf']['id']}"
    reader = context.new_page()
    reader.goto(f"{site.origin}/reader/pdf.html?{where}")
    reader.wait_for_selector("#password[open]", timeout=60_000)
    reader.fill("#password-box", "wrong")
    reader.press("#password-box", "Enter")
    reader.wait_for_selector("#password-why:has-text('does not open it')")
    reader.wait_for_selector("#password[open]")
    reader.fill("#password-box", "openpassword")
    reader.press("#password-box", "Enter")
    reader.wait_for_selector(".pdf-page canvas", timeout=30_000)
    reader.goto(f"{site.origin}/reader/pdf.html?{where}-gone")
    reader.wait_for_selector("#state[data-kind=refused]", timeout=30_000)
    assert len(reader.inner_text("#state")) > 20


@pytest.fixture(autouse=True)
def plain_picker(context: BrowserContext) -> None:
    """A hidden picker gives no handles: every browser's way."""
    context.add_init_script(NO_PICKER)
