"""A keyword index of any size with words as natural text has them: a few everywhere, most hardly anywhere.

Word n of the vocabulary occurs in proportion to 1 / (n + 2.7) (Zipf and Mandelbrot); the first
dozens are in most passages. The same seed gives the same table.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
from pathlib import Path

from cairn.index.lexical_schema import COLUMNS, RANGES, TABLE, create_tables

VOCABULARY = 60_000
WORDS = 60
PER_DOCUMENT = 25
_LETTERS = "aeioubdfglmnprst"


def word(number: int) -> str:
    """Word ``number`` of the vocabulary; common ones are short, as in any language."""
    text = ""
    number += len(_LETTERS)
    while number:
        number, digit = divmod(number, len(_LETTERS))
        text += _LETTERS[digit]
    return f"{text}x"


def weights() -> list[float]:
    """Cumulative weight of each word."""
    return list(itertools.accumulate(1 / (n + 2.7) for n in range(VOCABULARY)))


def make(path: Path, passages: int, seed: int = 1) -> Path:
    """Write the index; no UNINDEXED column has more than a few bytes."""
    rng = random.Random(seed)
    vocabulary = [word(n) for n in range(VOCABULARY)]
    cumulative = weights()
    names = ", ".join(name for name, _, _ in COLUMNS)
    insert = f"INSERT INTO {TABLE}(rowid, {names}) VALUES (?{', ?' * len(COLUMNS)})"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    create_tables(db)
    db.execute("BEGIN")
    for row in range(passages):
        drawn = rng.choices(vocabulary, cum_weights=cumulative, k=rng.randint(WORDS // 2, WORDS * 3 // 2))
        document = f"d{row // PER_DOCUMENT}"
        values = {
            "passage_id": f"p{row}",
            "document_id": document,
            "title": " ".join(drawn[:2]),
            "language": ("eng", "spa", "fra")[row // PER_DOCUMENT % 3],
            "collection": f"Shelf {row // PER_DOCUMENT % 7}",
            "locator": drawn[2],
            "body": " ".join(drawn),
            "token_estimate": str(len(drawn)),
            "ordinal": str(row % PER_DOCUMENT),
        }
        db.execute(insert, (row + 1, *(values.get(name, "") for name, _, _ in COLUMNS)))
    for first in range(0, passages, PER_DOCUMENT):
        count = min(PER_DOCUMENT, passages - first)
        db.execute(f"INSERT INTO {RANGES} VALUES (?, ?, ?)", (f"d{first // PER_DOCUMENT}", first, count))
    db.execute(f"INSERT INTO {TABLE}({TABLE}) VALUES ('optimize')")
    db.execute("COMMIT")
    db.close()
    return path


def queries(count: int, seed: int = 2) -> list[list[str]]:
    """Questions of five words: some in most passages, some in few, as people ask."""
    rng = random.Random(seed)
    asked = []
    for _ in range(count):
        common = rng.sample(range(25), rng.randint(2, 3))
        rare = [int(300 * 100 ** rng.random()) for _ in range(5 - len(common))]
        numbers = [*common, *rare]
        rng.shuffle(numbers)
        asked.append([word(n) for n in numbers])
    return asked
