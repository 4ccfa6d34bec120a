"""Times keyword search, here or inside Pyodide (tests/bench/test_search.py)."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from cairn.answering.debug import describe_candidate
from cairn.index.lexical import LexicalIndex
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.retrieval.analysis import analyse
from cairn.retrieval.excerpts import excerpt
from cairn.retrieval.search import search_words
from cairn.sources.types import Document, VectorModel
from tests.unit.index.synthetic_index import queries

QUESTIONS = 12
LIMIT = 40
NEVER = 1 << 40


class IndexSource:
    """A keyword index as a source."""

    id = "bench"
    title = "Bench"
    kind: Literal["pack"] = "pack"
    mode = "lexical-fallback"
    vector_model: VectorModel | None = None

    def __init__(self, index: LexicalIndex) -> None:
        self._index = index
        self.passage_count = index.passage_count

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        return self._index.search(query, limit)

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        return []

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return self._index.document_frequency(terms)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        return self._index.passages(rows)

    def document(self, document_id: str) -> Document:
        raise NotImplementedError


def _clock() -> float:
    return time.perf_counter() * 1000


def measure(db: sqlite3.Connection) -> dict[str, Any]:
    """Milliseconds of each question by each way, and how many had the same first ten hits."""
    index = LexicalIndex(db, "bench")
    source = IndexSource(index)
    found: dict[str, Any] = {name: [] for name in ("plain", "pruned", "room", "frequencies", "counts")}
    same = 0
    for terms in queries(QUESTIONS):
        query = LexicalQuery(tuple(terms))
        began = _clock()
        index.document_frequency(terms)
        found["frequencies"].append(_clock() - began)
        began = _clock()
        plain = index.search(query, LIMIT, common_from=NEVER)
        found["plain"].append(_clock() - began)
        began = _clock()
        pruned = index.search(query, LIMIT)
        found["pruned"].append(_clock() - began)
        same += pruned[:10] == plain[:10]
        began = _clock()
        _drive(_room(source, " ".join(terms)))
        found["room"].append(_clock() - began)
        began = _clock()
        index.matching(query)
        found["counts"].append(_clock() - began)
    return {**found, "same": same, "passages": index.passage_count}


async def _room(source: IndexSource, text: str) -> None:
    """What engine.search does by words, up to the JSON."""
    stage = await search_words(analyse(text), sources=[source], clock=_clock)
    for candidate in [*stage.result.kept, *stage.result.considered][:20]:
        excerpt(candidate.passage.text, stage.weights)
        describe_candidate(candidate, stage.weights)


def _drive(coroutine: Any) -> None:
    """Run to the end; nothing in it waits for anything outside."""
    async_sleep = asyncio.sleep

    async def at_once(seconds: float) -> None:
        return None

    asyncio.sleep = at_once  # type: ignore[assignment]
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        return
    finally:
        asyncio.sleep = async_sleep
