"""Keyword search at the size of the largest published pack: what leaving out common words saves.

The same questions in the same round: the plain query, the pruned one, and a whole search as the
Search room asks for it (words, passages, ranking, excerpts, reasons).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.pyodide.chromium import in_pyodide
from tests.unit.index import search_measures
from tests.unit.index.synthetic_index import make

PASSAGES = 250_000
MEASURE_SECONDS = 570.0


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    kept = request.config.getoption("--index")
    if kept is not None:
        return Path(kept)
    return make(tmp_path_factory.mktemp("search") / "index.sqlite3", PASSAGES)


@pytest.fixture(scope="module", params=["CPython", "Chromium"])
def measured(request: pytest.FixtureRequest, index: Path) -> Iterator[dict[str, Any]]:
    if request.param == "CPython":
        db = sqlite3.connect(f"file:{index.as_posix()}?immutable=1&mode=ro", uri=True, isolation_level=None)
        found = search_measures.measure(db)
        db.close()
    else:
        with in_pyodide({"/bench/index.sqlite3": index}) as running:
            text = running.call("measureSearch", "/bench/index.sqlite3", limit=MEASURE_SECONDS)
            found = json.loads(text)
    print(f"\n{request.param}, {found['passages']} passages, {len(found['plain'])} questions, milliseconds:")
    for name in ("plain", "pruned", "room", "frequencies", "counts"):
        print(f"  {name:12} median {median(found[name]):8.1f}   sum {sum(found[name]):9.0f}")
    print(f"  pruned / plain {ratio(found, 'pruned'):.3f}, room / plain {ratio(found, 'room'):.3f}")
    yield found


def ratio(found: dict[str, Any], name: str) -> float:
    return sum(found[name]) / sum(found["plain"])


def test_common_words_cost_a_fifth_at_most(measured: dict[str, Any]) -> None:
    """Intent: the first ten hits of the plain query in a fraction of its time."""
    assert measured["same"] == len(measured["plain"])
    assert ratio(measured, "pruned") <= 0.2


def test_a_key_costs_no_more_than_two_bare_queries(measured: dict[str, Any]) -> None:
    """Intent: results while typing, at any size."""
    assert ratio(measured, "room") <= 2
