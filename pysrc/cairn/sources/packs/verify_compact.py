"""Checks of a compact pack: every passage has a place, the places are the texts, the blocks fit."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from cairn.errors import PackInvalid
from cairn.index.compact import DocumentPlace
from cairn.index.compact_schema import BLOCKS, LOCATORS, RECORD, RECORD_BYTES, RECORDS
from cairn.index.lexical_schema import RANGES
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import TEXTS_PATH, IndexEntry, Manifest
from cairn.sources.packs.solid import SolidTexts, damaged

_ROWS_BETWEEN_STEPS = 500
_LONGEST_LOCATOR = 500
_NO_RECORD = (-1, 0, b"")


@dataclass(frozen=True, slots=True)
class Step:
    """Progress: ``done`` of ``total`` bytes hashed, or index rows checked."""

    phase: str  # "hash" | "index"
    done: int
    total: int


def open_texts(db: sqlite3.Connection, archive: PackArchive) -> SolidTexts:
    """The texts of a compact pack by the places of blocks that its index has; raises PackInvalid."""
    try:
        found = db.execute(f"SELECT ends FROM {BLOCKS} WHERE number = 0").fetchone()
    except UnicodeError as error:  # SQLite's message names what is damaged, in its bytes
        raise damaged(TEXTS_PATH, "its index is damaged") from error
    if found is None or not isinstance(found[0], bytes):
        raise damaged(TEXTS_PATH, "its index does not say where its blocks end")
    return SolidTexts(archive, TEXTS_PATH, found[0])


def places(manifest: Manifest) -> list[DocumentPlace]:
    """Where each document stands in the texts."""
    found: list[DocumentPlace] = []
    start = 0
    for entry in manifest.documents:
        found.append(
            DocumentPlace(
                entry.id, entry.title, entry.language, entry.collection, entry.licence, start, entry.bytes
            )
        )
        start += entry.bytes
    return found


def verify_compact(
    db: sqlite3.Connection, archive: PackArchive, manifest: Manifest, *, deep: bool
) -> Iterator[Step]:
    """Check records, locators, ranges and blocks against the manifest.

    ``deep`` also inflates every block on its own and re-hashes every passage. Raises PackInvalid.
    """
    assert manifest.fts5 is not None
    entry = manifest.fts5
    texts = open_texts(db, archive)
    _check_locators(db, entry)
    records = _records(db, entry)
    row = 0
    for first, count, place in _documents(db, manifest, entry):
        position = place.start
        if first != row:
            raise damaged(entry.path, f"the rows of {place.id} are not in the order of the texts")
        for _ in range(count):
            start, length, digest = next(records, _NO_RECORD)
            if start != position:
                raise damaged(entry.path, f"passage {row + 1} does not follow the one before it")
            if deep:
                _check_passage(texts.read(start, length), digest, entry, row)
            position += length
            row += 1
            if row % _ROWS_BETWEEN_STEPS == 0:
                yield Step("index", row, entry.passage_count)
        if position != place.start + place.bytes:
            raise damaged(entry.path, f"its passages are not the text of {place.id}")
    if next(records, None) is not None or row != entry.passage_count:
        raise damaged(entry.path, f"it does not have {entry.passage_count} passages in a row")
    yield Step("index", row, entry.passage_count)


def _documents(
    db: sqlite3.Connection, manifest: Manifest, entry: IndexEntry
) -> Iterator[tuple[int, int, DocumentPlace]]:
    ranges = {
        name: (first, count)
        for name, first, count in db.execute(f"SELECT document_id, first_row, row_count FROM {RANGES}")
    }
    for place in places(manifest):
        if place.id not in ranges:
            raise damaged(entry.path, f"it has no passage of {place.id}")
        first, count = ranges[place.id]
        yield first, count, place


def _records(db: sqlite3.Connection, entry: IndexEntry) -> Iterator[tuple[int, int, bytes]]:
    """Start, length and digest of all records in the order of rows."""
    for (data,) in db.execute(f"SELECT records FROM {RECORDS} ORDER BY number"):
        if not isinstance(data, bytes) or len(data) % RECORD_BYTES:
            raise damaged(entry.path, f"{RECORDS} has a row that is no list of records")
        for start, length, _, _, _, digest in RECORD.iter_unpack(data):
            yield start, length, digest


def _check_locators(db: sqlite3.Connection, entry: IndexEntry) -> None:
    found = db.execute(f"SELECT number, locator FROM {LOCATORS} ORDER BY number")
    for expected, (number, locator) in enumerate(found):
        if number != expected or not isinstance(locator, str) or len(locator) > _LONGEST_LOCATOR:
            raise damaged(entry.path, f"its {LOCATORS} are not a list of headings")


def _check_passage(data: bytes, digest: bytes, entry: IndexEntry, row: int) -> None:
    if hashlib.sha256(data).digest()[:16] != digest:
        raise damaged(entry.path, f"passage {row + 1} does not match its hash")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise PackInvalid(
            f"The pack's member {entry.path} is not usable: passage {row + 1} cuts a character in two.",
            hint="Get the pack again from its maker.",
        ) from None
