"""Writes a compact index: the same rows give the same bytes (docs/pack-format.md)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cairn.index.compact_schema import (
    BLOCKS,
    COLUMNS,
    LOCATORS,
    RECORD_BYTES,
    RECORDS,
    RECORDS_PER_ROW,
    Record,
    open_empty,
)
from cairn.index.lexical_schema import METADATA_KEYS, RANGES, TABLE

_INSERT = (
    f"INSERT INTO {TABLE}(rowid, {', '.join(name for name, _ in COLUMNS)}) "
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"
)


@dataclass(frozen=True, slots=True)
class CompactRow:
    """A passage for the index: its words by column, and its span within its document in bytes."""

    words: tuple[str, ...]  # one text for each of COLUMNS
    start: int
    length: int
    locator: str
    token_estimate: int
    occurrence: int
    digest: bytes  # first 16 bytes of the SHA-256 of its text


class CompactWriter:
    """Fills a new database, a document at a time, in the order of the texts."""

    def __init__(self, path: str, text_bytes: int) -> None:
        self._db = open_empty(path, text_bytes)
        self._ranges: list[tuple[str, int, int]] = []
        self._locators: dict[str, int] = {}
        self._records = bytearray()
        self.rows = 0
        self._text_bytes = 0

    def add_document(self, document_id: str, text_bytes: int, rows: Sequence[CompactRow]) -> None:
        """Append the passages of a document that has so many bytes."""
        self._ranges.append((document_id, self.rows, len(rows)))
        for row in rows:
            self.rows += 1
            self._db.execute(_INSERT, (self.rows, *row.words))
            locator = self._locators.setdefault(row.locator, len(self._locators))
            self._records += Record(
                self._text_bytes + row.start, row.length, locator,
                row.token_estimate, row.occurrence, row.digest,
            ).pack()  # fmt: skip
        self._text_bytes += text_bytes

    def finish(self, metadata: Mapping[str, str], block_ends: array[int]) -> int:
        """Write metadata and places, optimise, close; return the rows.

        ``block_ends`` says where each block of the packed texts ends (u32).
        """
        db = self._db
        db.executemany(
            "INSERT INTO corpus_metadata VALUES (?, ?)", [(key, metadata[key]) for key in METADATA_KEYS]
        )
        db.executemany(f"INSERT INTO {RANGES} VALUES (?, ?, ?)", sorted(self._ranges))
        db.executemany(
            f"INSERT INTO {LOCATORS} VALUES (?, ?)",
            [(number, locator) for locator, number in self._locators.items()],
        )
        db.executemany(f"INSERT INTO {RECORDS} VALUES (?, ?)", enumerate(self._groups()))
        db.execute(f"INSERT INTO {BLOCKS} VALUES (0, ?)", (block_ends.tobytes(),))
        db.execute(f"INSERT INTO {TABLE}({TABLE}) VALUES ('optimize')")
        db.execute("COMMIT")
        db.execute("VACUUM")  # pages freed by the merge would stay in every pack
        db.close()
        return self.rows

    def _groups(self) -> list[bytes]:
        size = RECORDS_PER_ROW * RECORD_BYTES
        return [bytes(self._records[at : at + size]) for at in range(0, len(self._records), size)]
