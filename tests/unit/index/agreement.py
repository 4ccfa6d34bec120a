"""500 queries whose hits must be the same everywhere: on CPython and in Pyodide, by any way of searching."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from array import array
from pathlib import Path

from cairn.index.kernel import VectorKernel, VectorLayout, bitmap
from cairn.index.lexical import LexicalIndex
from cairn.index.types import Hit, LexicalQuery
from cairn.index.vectors import VectorWriter, read_header
from tests.unit.index.synthetic_index import make, queries

QUERIES = 500
ROWS = 1200
DIMENSIONS = 64
LIMIT = 20


def by_vectors(kernel: VectorKernel, folder: Path) -> str:
    """A hash of ids, order and scores; every other query is filtered."""
    rng = random.Random(9)

    def vector() -> list[float]:
        return [rng.uniform(-1, 1) for _ in range(DIMENSIONS)]

    path = folder / "agreement.bin"
    with path.open("wb") as file:
        writer = VectorWriter(file, ROWS, {}, DIMENSIONS)
        for _ in range(ROWS):
            writer.add(vector())
        writer.finish()
    data = path.read_bytes()
    kernel.load("agreement", str(path), VectorLayout.of(read_header(data[:4096], len(data))))
    found = []
    for number in range(QUERIES):
        allowed = bitmap(range(number % 7, ROWS, 7), ROWS) if number % 2 else None
        found.append(kernel.search("agreement", array("f", vector()), LIMIT, allowed))
    kernel.unload("agreement")
    return _digest(found)


def by_words(folder: Path) -> str:
    """The same of keyword search, with common words left out."""
    path = make(folder / "agreement.sqlite3", 2000, seed=4)
    db = sqlite3.connect(path, isolation_level=None)
    index = LexicalIndex(db, "test")
    asked = queries(QUERIES, seed=8)
    found = [index.search(LexicalQuery(tuple(terms)), LIMIT, common_from=1) for terms in asked]
    db.close()
    return _digest(found)


def _digest(found: list[list[Hit]]) -> str:
    assert len(found) == QUERIES and sum(map(len, found)) > QUERIES * LIMIT // 2
    lines = [" ".join(f"{hit.row}:{hit.score:.9f}" for hit in hits) for hits in found]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
