"""Own documents as a person meets them: added on the page, asked, cited, read; and an end in the middle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.archives_page import NO_PICKER, call, open_app, wait_until
from tests.browser.conftest import Guard, Site
from tests.unit.documents.helpers import corpus
from tests.unit.documents.test_readers import docx, paragraph

Start = Callable[..., BrowserContext]
RULES = "# Ward rules\n\nThe storeroom key hangs behind the zebra picture.\n\n## Visits\n\nNot late.\n"
IN_VIEW = """() => { const r = document.querySelector("mark").getBoundingClientRect();
  return r.height > 0 && r.top >= 0 && r.top < innerHeight; }"""


def add(page: Page, *paths: Path) -> None:
    """Add files by the Library's button."""
    page.click(".room[data-room=library]")
    with page.expect_file_chooser() as chooser:
        page.locator("[data-action=add-documents]").first.click()
    chooser.value.set_files(paths)


def listed(page: Page) -> dict[str, Any]:
    """Path → document of every collection, as the engine lists them."""
    found: dict[str, Any] = {}
    collections: Any = call(page, "documents.collections", {})["collections"]
    for collection in collections:
        documents: Any = call(page, "documents.list", {"collection": collection["id"]})["documents"]
        found |= {document["path"]: document for document in documents}
    return found


def settled(page: Page, seconds: float = 240) -> dict[str, Any]:
    """The documents, once none waits."""

    def done() -> dict[str, Any] | None:
        found = listed(page)
        waiting = [d for d in found.values() if d["status"] in ("pending", "processing")]
        return found if found and not waiting else None

    documents: dict[str, Any] = wait_until(done, seconds)
    return documents


def test_files_of_every_kind_are_read_asked_cited_and_opened(
    site: Site, on_disk: Start, tmp_path: Path, guard: Guard
) -> None:
    """Intent: the whole way of a person's own files, with the network refused."""
    files = {
        "rules.md": RULES.encode(),
        "legacy.txt": ("Воду кипятят одну минуту, прежде чем её пить. " * 6).encode("cp1251"),
        "wide.txt": "The lantern oil is in the cellar.\r\n".encode("utf-16"),
        "frequencies.csv": b"name,channel\nHarbour,16\nRescue,67\n",
        "data.json": json.dumps({"pump": {"handle": "left-handed thread"}}).encode(),
        "page.html": b"<h1>Stove</h1><p>Never leave the stove alone.</p><script>alert(1)</script>",
        "plan.docx": docx(paragraph("Evacuate by the western staircase.")),
        "broken.docx": b"PK\x03\x04 this is no document",
        "empty.txt": b"",
    }
    paths = []
    for name, data in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    pdfs = [
        corpus(f"pdf/{n}.pdf") for n in ("readygov-flood", "awkward-password", "awkward-scanned-earthquake")
    ]
    context = on_disk()
    page = open_app(context, site.origin).page
    add(page, *paths, *pdfs)
    documents = settled(page)
    ready = {path for path, d in documents.items() if d["status"] == "completed"}
    assert ready == {"readygov-flood.pdf", *files} - {"broken.docx", "empty.txt"}, documents
    assert documents["awkward-password.pdf"]["code"] == "password_needed"
    assert "no text on pages 1–2" in documents["awkward-scanned-earthquake.pdf"]["reason"]
    assert documents["readygov-flood.pdf"]["pages"] == 2
    page.wait_for_selector('.documents li[data-status="completed"]')
    page.wait_for_selector('.documents li[data-status="failed"]')
    site.stop()  # the installed app needs no server from here on
    password = page.locator("li", has_text="awkward-password.pdf").first
    password.locator("[data-action=retry-document]").click()
    page.fill("#own-secret", "openpassword")
    page.press("#own-secret", "Enter")
    wait_until(lambda: listed(page)["awkward-password.pdf"]["status"] == "completed", 60)

    for question, title, words in (
        ("Where does the storeroom key hang?", "Ward rules", "zebra picture"),
        ("What should I do when I am under a flood warning?", "BE PREPARED FOR A FLOOD", "flood"),
    ):
        page.click(".room[data-room=ask]")
        page.fill("#question", question)
        page.press("#question", "Enter")
        turn = page.locator(".turn").last
        turn.locator(".quotes:not([hidden])").wait_for(timeout=60_000)
        found: Any = call(page, "engine.search", {"query": question})
        own = [hit for hit in found["hits"] if hit["title"] == title]
        assert own and words in own[0]["text"].lower(), [hit["title"] for hit in found["hits"]]
        address = own[0]["reader_url"]
        if title == "BE PREPARED FOR A FLOOD":  # test_pdf_reader.py opens PDFs as they look
            assert address.startswith("/reader/pdf.html?")
            address = address.replace("pdf.html", "text.html")
        reader = context.new_page()
        reader.goto(site.origin + address)
        reader.wait_for_selector("mark", timeout=60_000)
        assert words in reader.inner_text("#text").lower()
        assert wait_until(lambda r=reader: r.evaluate(IN_VIEW), 10)
        reader.close()
    flood = [h for h in found["hits"] if h["title"] == "BE PREPARED FOR A FLOOD"]
    assert {hit["page"] for hit in flood} <= {1, 2}


def test_an_import_goes_on_after_the_browser_was_killed(
    site: Site, on_disk: Start, kill: Callable[[], None], tmp_path: Path
) -> None:
    """Intent: nothing half-visible, nothing lost that was shown ready, no need to choose the files again."""
    manual = corpus("pdf/fema-national-response-framework.pdf")
    paths = [manual]
    for n in range(12):
        paths.append(tmp_path / f"doc{n}.txt")
        paths[-1].write_text(f"Document{n} begins here. " + f"Chapter{n} of the manual goes on. " * 4_000)
    page = open_app(on_disk(), site.origin).page
    add(page, *paths)
    wait_until(lambda: any(d["done"] for d in listed(page).values()), 120)
    before = {path for path, d in listed(page).items() if d["status"] == "completed"}
    kill()
    page = open_app(on_disk(), site.origin).page
    documents = settled(page)
    assert before <= {path for path, d in documents.items() if d["status"] == "completed"}
    lost = [d for d in documents.values() if d["status"] == "failed"]
    assert all("closed before this file was copied" in d["reason"] for d in lost), lost
    assert documents[manual.name]["status"] == "completed"
    collections: Any = call(page, "documents.collections", {})["collections"]
    for document in documents.values():
        if document["status"] == "completed":
            params = {"source": collections[0]["id"], "document": document["id"]}
            assert call(page, "reader.document", params)["sha256"]  # refused when a character is missing


@pytest.fixture(autouse=True)
def plain_picker(context: BrowserContext) -> None:
    """A hidden picker gives no handles: every browser's way."""
    context.add_init_script(NO_PICKER)
