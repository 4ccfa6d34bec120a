"""The whole thing as a person meets it: real parts, real models, nothing asked outside the origin.

Each test starts from a fresh profile on disk; the guard fixture fails a test on any request to
another origin and on any uncaught error of a page.
"""

from __future__ import annotations

import re
import sqlite3
import time
import zipfile
from array import array
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import BrowserContext, Page

from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import COMPACT_FTS5_PATH, TEXTS_PATH
from cairn.sources.packs.solid import BLOCK
from cairn.sources.packs.verify import read_manifest
from cairn.sources.packs.verify_compact import places
from tests.browser.conftest import SITE, Guard, Site
from tests.browser.person import App

WATER = "How do I make river water safe to drink?"
SPANISH = "¿Cómo calculo el panel solar y la batería que necesito?"  # in the notes in English only
Start = Callable[..., BrowserContext]


def in_view(page: Page, selector: str) -> bool:
    """Whether an element stands within the window."""
    return bool(
        page.eval_on_selector(
            selector,
            "e => { const r = e.getBoundingClientRect();"
            " return r.bottom > 0 && r.top < innerHeight && r.height > 0; }",
        )
    )


def word_for_word(written: str) -> bool:
    """Whether every sentence of a small model's answer stands in a document of the pack."""
    with zipfile.ZipFile(SITE / "packs" / "starter.zip") as pack:
        names = [n for n in pack.namelist() if n.startswith("documents")]
        library = " ".join(" ".join(pack.read(n).decode().split()) for n in names)
    _, _, text = written.partition("\n")  # the line above it says how it came about
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s*\d+\s*", text)]
    return all(" ".join(s.split()) in library for s in sentences if s)


def test_a_question_typed_before_the_engine_is_up_is_answered(site: Site, on_disk: Start) -> None:
    """Intent: the box is focused and typable before Pyodide has loaded, and nothing typed is lost."""
    app = App.open(on_disk(), site.origin)
    assert app.page.evaluate("document.activeElement.id") == "question"
    app.page.keyboard.type(WATER)
    assert app.state("library") == "starting", "the engine was up before anything could be typed"
    assert app.page.input_value("#question") == WATER
    app.page.keyboard.press("Enter")
    turn = app.turn(0)
    turn.node.locator(".quotes:not([hidden])").wait_for(timeout=60_000)
    assert "boil" in turn.quotes.lower()
    assert turn.node.locator(".quotes .cite").count() >= 1


def test_answer_with_citations_stop_spanish_and_reader(site: Site, on_disk: Start) -> None:
    """Intent: query, sources, quotes, streamed text with citations; stop; E5 across languages; reader."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready()

    turn = app.ask(WATER)
    turn.wait_writing()
    assert "searched" in turn.node.locator(".searched").inner_text()
    lengths = {len(turn.written)}
    while turn.node.locator(".turn-foot button").count() == 0:
        lengths.add(len(turn.written))
        app.page.wait_for_timeout(50)
    assert len(lengths) >= 4, "the text did not stream"
    assert turn.node.locator(".written .cite").count() >= 1, turn.written
    assert word_for_word(turn.written), turn.written
    assert "tokens/s" in turn.node.locator(".speed").inner_text()
    assert "smollm2" in turn.node.locator(".speed").inner_text()
    cited = turn.sources()[0]
    assert urlsplit(cited["href"]).path == "/reader/text.html"

    stopped = app.ask("How should I store drinking water, and how much do I need for each person?")
    stopped.wait_writing()
    began = time.monotonic()
    app.page.click("#stop")
    stopped.wait_done(10)
    silence = time.monotonic() - began
    assert silence < 2, f"{silence:.2f} s from stop to silence"
    assert "Stopped" in stopped.node.locator(".notes").inner_text()
    kept = stopped.written
    app.page.wait_for_timeout(500)
    assert kept.strip() and stopped.written == kept

    spanish = app.ask(SPANISH).wait_done()
    documents = [parse_qs(urlsplit(s["href"]).query)["document"][0] for s in spanish.sources()]
    assert any(name in ("solar-charging", "batteries") for name in documents), documents

    reader = turn.open_reader(turn.node.locator(".quotes .cite").first)
    assert urlsplit(reader.url).netloc == urlsplit(site.origin).netloc
    assert reader.inner_text("#title").strip()
    facts = reader.inner_text("#facts")
    for fact in ("Field notes", "English", "CC0-1.0"):
        assert fact in facts
    assert "Checked against" in reader.inner_text("#verified")
    first = turn.node.locator(".quotes p").nth(1).inner_text().rstrip("0123456789").strip()
    marked = " ".join(reader.locator("#text mark").all_inner_texts())
    assert first[:40] in " ".join(marked.split()), (first, marked)
    assert in_view(reader, "#text mark.first")


def test_the_installed_app_needs_neither_network_nor_server(site: Site, on_disk: Start) -> None:
    """Intent: close everything, stop the server, cut the network, open again: it starts and answers."""
    context = on_disk()
    app = App.open(context, site.origin)
    app.wait_ready()
    app.page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=60_000)
    context.close()

    site.stop()
    context = on_disk()
    context.set_offline(True)
    app = App.open(context, site.origin)
    app.wait_ready()
    turn = app.ask("How do I stop heavy bleeding?").wait_done()
    assert "pressure" in turn.quotes.lower()
    assert turn.node.locator(".written .cite").count() >= 1, turn.written
    reader = turn.open_reader(turn.node.locator(".quotes .cite").first)
    assert "bleeding" in reader.inner_text("#title").lower()
    assert in_view(reader, "#text mark.first")


def test_a_question_outside_the_library_is_refused(site: Site, on_disk: Start) -> None:
    """Intent: no passage, no answer; the model is not even asked."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready()
    for question in ("What is the capital of Peru?", "Who won the football world cup in 1998?"):
        turn = app.ask(question).wait_done()
        assert turn.node.locator('[data-outcome="no_match"]').count() == 1, question
        assert turn.node.locator(".written").is_hidden()
        assert turn.node.locator(".speed").count() == 0


def test_no_question_breaks_the_page(site: Site, on_disk: Start) -> None:
    """Intent: empty, endless, wordless and syntax-like questions end in an answer, never in an error."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready("library")
    app.page.press("#question", "Enter")
    assert app.page.locator(".turn").count() == 0, "an empty question was asked"
    for question in ("water " * 2_000, "😀🔥💧", '"a" OR NEAR(', "-", "*", "'; DROP TABLE passages;--"):
        turn = app.ask(question).wait_done()
        assert turn.node.locator('.note[data-kind="failed"]').count() == 0, question[:40]


def byte_before(document: str, folder: Path) -> int:
    """A byte of the starter pack early in the block in which a document begins: all of it hangs on it."""
    with closing(PackArchive(SITE / "packs" / "starter.zip")) as archive:
        (folder / "index").write_bytes(archive.read(COMPACT_FTS5_PATH, 1 << 30))
        (start,) = (place.start for place in places(read_manifest(archive)) if place.id == document)
        texts = archive.member(TEXTS_PATH).offset
    with closing(sqlite3.connect(folder / "index")) as db:
        ends = array("I", db.execute("SELECT ends FROM text_blocks").fetchone()[0])
    block = start // BLOCK
    return texts + (ends[block - 1] if block else 0) + 60


def test_a_damaged_document_is_refused_with_a_reason(site: Site, on_disk: Start, tmp_path: Path) -> None:
    """Intent: a document whose bytes changed on the device is not shown."""
    context = on_disk()
    app = App.open(context, site.origin)
    app.wait_ready("library")
    turn = app.ask(WATER)
    turn.node.locator(".quotes .cite").first.wait_for(timeout=60_000)
    href = turn.sources()[0]["href"]
    document = parse_qs(urlsplit(href).query)["document"][0]
    size = (SITE / "packs" / "starter.zip").stat().st_size
    app.page.goto(site.origin + "/licences.json")  # same origin, no engine: the files are free
    changed = app.page.evaluate(
        """async ([size, at]) => {
          const root = await navigator.storage.getDirectory();
          const folder = await root.getDirectoryHandle("cairn");
          for await (const handle of folder.values()) {
            if (handle.kind !== "file" || (await handle.getFile()).size !== size) continue;
            const bytes = new Uint8Array(await (await handle.getFile()).slice(at, at + 1).arrayBuffer());
            const writable = await handle.createWritable({keepExistingData: true});
            await writable.write({type: "write", position: at, data: new Uint8Array([bytes[0] ^ 0xff])});
            await writable.close();
            return handle.name;
          }
          return "";
        }""",
        [size, byte_before(document, tmp_path)],
    )
    assert changed, "the installed pack was not found in OPFS"
    app.page.goto(site.origin + href)
    app.page.wait_for_selector("#state[data-kind=refused]", timeout=60_000)
    reason = app.page.inner_text("#state")
    assert "is not what Field notes was published with" in reason, reason
    assert app.page.is_hidden("#document")


def test_without_storage_the_page_says_so_and_no_question_hangs(
    site: Site, context: BrowserContext, guard: Guard
) -> None:
    """Intent: a browser without any storage gets a reason and an end, not an endless "Starting"."""
    guard.expect("indexedDB is not defined")  # PyScript's own, which goes on without it
    context.add_init_script(
        "delete globalThis.StorageManager?.prototype.getDirectory; delete globalThis.indexedDB;"
    )
    app = App.open(context, site.origin)
    app.page.wait_for_selector('.banner[data-name="failed"]', timeout=30_000)
    turn = app.ask(WATER).wait_done(10)
    assert turn.node.locator('.note[data-kind="failed"]').count() == 1
    assert "starting" not in {app.state(part) for part in ("library", "meaning", "answers")}
