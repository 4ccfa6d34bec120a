"""The vector kernel at the size of the largest published pack, against loops over the same bytes.

Ratios are of the least times (see kernel.mjs): other work on the machine is never quite absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from build import node
from cairn.cli import chromium
from tests.bench import real_vectors
from tests.pyodide.server import serving

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = b"<!doctype html><title>bench</title>"
START = """() => new Promise((resolve, reject) => {
  const worker = new Worker("/bench/kernel.mjs", { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
})"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("bench")
    made = {"/index.html": PAGE}
    for source in (ROOT / "workers" / "vector-kernel.wat", HERE / "read.wat"):
        node.run("wat.mjs", source, folder / "made.wasm")
        made[f"/{source.parent.name}/{source.stem}.wasm"] = (folder / "made.wasm").read_bytes()
    if real_vectors.available():
        made["/bench/passages.f32"] = real_vectors.PASSAGES.read_bytes()
        made["/bench/queries.f32"] = real_vectors.QUERIES.read_bytes()
    folders = {"/workers/": ROOT / "workers", "/bench/": HERE}
    with serving(folders, made) as origin, sync_playwright() as playwright:
        # A profile on disk, as people have: in a private one OPFS goes through another process.
        browser = playwright.chromium.launch_persistent_context(
            folder / "profile", executable_path=chromium.find(), args=["--no-sandbox"]
        )
        try:
            page = browser.pages[0]
            page.goto(f"{origin}/index.html")
            found = page.evaluate(START)
        finally:
            browser.close()
    assert "error" not in found, found["error"]
    report(found)
    yield found


def report(found: dict[str, Any]) -> None:
    speed, disk, recall = found["speed"], found["speed"]["disk"], found["recall"]
    print("\n251,144 x 384, milliseconds, median (least):")
    for name, times in speed["times"].items():
        print(f"  {name:32} {median(times['totals']):8.2f} ({sum(times['parts']):.2f})")
    print(f"  load from memory: rows {speed['loadRows']:.0f}, rows and codes {speed['loadBoth']:.0f}")
    rows, codes = (round(size / 1e6) for size in disk["memory"])
    print(f"  load from OPFS: rows {disk['loadRows']:.0f} ({rows} MB)", end=", ")
    print(f"codes {disk['loadCodes']:.0f} ({codes} MB)")
    print(f"  search with codes in memory, rows from OPFS: {disk['search']:.1f}", end="; ")
    print(f"exact, all rows from OPFS: {disk['streamed']:.0f}")
    kind = "real E5" if recall["real"] else "SYNTHETIC (python -m tests.bench.real_vectors makes real ones)"
    print(
        f"  recall@40 of the pre-filter: {recall['recall']:.4f}, worst query {recall['worst']:.3f}; "
        f"{recall['candidates']} of {recall['rows']} {kind} vectors, {recall['queries']} queries"
    )


def ratio(found: dict[str, Any], name: str, to: str) -> float:
    """The least time of one way by that of another."""
    times = found["speed"]["times"]
    value = sum(times[name]["parts"]) / sum(times[to]["parts"])
    print(f"\n{name} / {to}: {value:.4f} (1/{1 / value:.1f})")
    return value


SCALAR = "scalar JavaScript, int8 query"
"""The loop of the first measurement (268 ms): scores only, nothing is selected."""
FLOATS = "scalar JavaScript, float query"
"""The same with the query as it comes; how V8 compiles it varies more from run to run."""


def test_exact_search_runs_at_the_speed_of_memory(measured: dict[str, Any]) -> None:
    """Intent: a whole exact search costs little more than reading the bytes once."""
    ratio(measured, "exact", FLOATS)
    assert ratio(measured, "exact", SCALAR) <= 1 / 18
    assert ratio(measured, "exact", "plain SIMD read") <= 1.5


def test_the_prefilter_is_faster_and_misses_nothing_that_matters(measured: dict[str, Any]) -> None:
    """Intent: sign codes pay for what they cost."""
    ratio(measured, "pre-filter", FLOATS)
    assert ratio(measured, "pre-filter", SCALAR) <= 1 / 40
    assert measured["recall"]["recall"] >= 0.99
