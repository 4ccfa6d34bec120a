"""What installing a large pack costs in Chromium, beside a plain copy of the same bytes.

    python -m tests.bench.large_pack            # makes the packs, some minutes
    python -m tests.bench.large_install

Prints: time of the install over that of a plain copy of the same file into the origin's storage,
bytes in storage over those of the ZIP (also at the peak of an update), growth of the engine's heap,
and time of a question. Storage is measured on disk, in the browser's profile.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import BrowserContext, Page, sync_playwright

from cairn.cli import chromium
from cairn.cli.serve import serving
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.build import index_entry
from cairn.sources.packs.manifest import COMPACT_FTS5_PATH, TEXTS_PATH, manifest_json
from cairn.sources.packs.verify import read_manifest
from cairn.sources.packs.zipwriter import ZipWriter
from tests.bench import measures
from tests.bench.chromium import ARGUMENTS, PAGES, request
from tests.bench.large_pack import OUT

SITE = Path(__file__).resolve().parents[2] / "dist" / "site"
MINUTES = 30
QUESTIONS = (
    "how to make water safe to drink", "signs of shock and what to do", "edible plants in the desert",
    "radio frequency for emergencies", "how long does food keep without a fridge", "purificar agua",
)  # fmt: skip


class Disk:
    """Bytes of the origin's files in a profile; the most there were since :meth:`watch`."""

    def __init__(self, profile: Path) -> None:
        self._folder = profile / "Default" / "File System"
        self._stop = threading.Event()
        self.peak = 0

    def bytes(self) -> int:
        """What the files take now."""
        total = 0
        for path in self._folder.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:
                continue
        return total

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Look every fifth of a second."""
        self.peak = self.bytes()

        def look() -> None:
            while not self._stop.wait(0.2):
                self.peak = max(self.peak, self.bytes())

        self._stop.clear()
        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()


def plain_copy(context: BrowserContext, origin: str, pack: Path) -> float:
    """Seconds of a plain copy."""
    page = context.new_page()
    page.goto(f"{origin}bench/copy.html")
    page.set_input_files("#file", pack)
    ms: float = page.evaluate("copied")
    page.close()
    return ms / 1000


def drop(page: Page, pack: Path) -> None:
    """Drop a file on the page, as a person does."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(pack)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})
    session.detach()


def install(page: Page, pack: Path, version: str) -> float:
    """Seconds from saying yes until the pack is on."""
    drop(page, pack)
    page.wait_for_selector("[data-job][data-state=asking] [data-action=start-pack]")
    began = time.monotonic()
    page.click("[data-job][data-state=asking] [data-action=start-pack]")
    while not any(s["version"] == version for s in request(page, "engine.status")["result"]["sources"]):
        failed = page.query_selector("[data-job][data-state=failed]")
        if failed is not None:
            raise RuntimeError(failed.inner_text())
        time.sleep(0.05)
    return time.monotonic() - began


def engine_heap(page: Page) -> float:
    """Bytes of the engine's worker."""
    return sum(size for name, size in measures.heap(page).items() if "engine" in name)


def with_version(pack: Path, version: str, output: Path) -> None:
    """The same compact pack as another version of it."""
    with closing(PackArchive(pack)) as archive, tempfile.TemporaryDirectory() as folder:
        manifest = read_manifest(archive)
        assert manifest.fts5 is not None and manifest.vector is not None
        index, vectors = Path(folder, "index"), Path(folder, "vectors")
        for path, name in ((index, COMPACT_FTS5_PATH), (vectors, manifest.vector.path)):
            with path.open("wb") as file:
                for piece in archive.stream(name):
                    file.write(piece)
        with closing(sqlite3.connect(index)) as db, db:
            db.execute("UPDATE corpus_metadata SET value = ? WHERE key = 'version'", (version,))
        texts = archive.member(TEXTS_PATH)
        with output.open("wb") as file, index.open("rb") as new, vectors.open("rb") as same:
            entry = index_entry(COMPACT_FTS5_PATH, new, manifest.fts5.passage_count)
            manifest = replace(manifest, version=version, fts5=entry)
            writer = ZipWriter(file)
            writer.add_stored(COMPACT_FTS5_PATH, new, align=True)
            writer.add_stored(manifest.vector.path, same, align=True)
            packed = BytesIO(b"".join(archive.raw(TEXTS_PATH)))
            writer.add_packed(TEXTS_PATH, packed, texts.crc, texts.bytes)
            writer.add_stored("manifest.json", BytesIO(manifest_json(manifest)), align=False)
            writer.finish()


def questions(page: Page, source: str) -> float:
    """Median milliseconds of keyword searches in one source, as the page sees them."""
    times = []
    for question in QUESTIONS * 2:
        reply = request(page, "engine.search", query=question, semantic=False, sources=[source])
        assert reply["result"]["hits"], question
        times.append(reply["ended"] - reply["began"])
    return median(times)


def run(pack: Path, newer: Path | None, source: str) -> dict[str, Any]:
    """Install, ask, update; the figures."""
    size = pack.stat().st_size
    found: dict[str, Any] = {"zip": size}
    with (
        tempfile.TemporaryDirectory(prefix="cairn-bench-") as profile,
        serving(SITE, {"/bench": PAGES}) as server,
        sync_playwright() as playwright,
    ):
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium.find(), args=ARGUMENTS
        )
        context.set_default_timeout(MINUTES * 60_000)
        try:
            copies = [plain_copy(context, server.url, pack) for _ in range(2)]
            page = context.new_page()
            page.add_init_script(PAGES.joinpath("probe.js").read_text(encoding="utf-8"))
            page.goto(server.url, wait_until="commit")
            library = '.cell[data-cell="library"][data-state="ready"]'
            page.wait_for_selector(library, state="attached")
            page.wait_for_function("crossOriginIsolated")
            disk = Disk(Path(profile))
            before, heap = disk.bytes(), engine_heap(page)
            found["install_s"] = install(page, pack, "synthetic-1")
            found["heap_growth"] = engine_heap(page) - heap
            found["installed_ratio"] = (disk.bytes() - before) / size
            found["question_ms"] = questions(page, source)
            if newer is not None:
                with disk.watch():
                    found["update_s"] = install(page, newer, "synthetic-2")
                found["update_peak_ratio"] = (disk.peak - before) / size
                found["after_update_ratio"] = (disk.bytes() - before) / size
            page.close()
            copies.append(plain_copy(context, server.url, pack))
        finally:
            context.close()
    found["copy_s"] = median(copies)
    found["install_over_copy"] = found["install_s"] / found["copy_s"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, default=OUT)
    parser.add_argument("--only", choices=("compact", "published"))
    options = parser.parse_args()
    if options.only != "published":
        pack, newer = options.packs / "large-compact.zip", options.packs / "large-compact-2.zip"
        if not newer.is_file():
            with_version(pack, "synthetic-2", newer)
        print("compact", json.dumps(run(pack, newer, "cairn-large"), indent=1), flush=True)
    if options.only != "compact":
        pack = options.packs / "large-published-2.zip"
        print("published", json.dumps(run(pack, None, "emergency-box-text"), indent=1), flush=True)


if __name__ == "__main__":
    main()
