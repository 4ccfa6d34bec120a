"""Re-hashes a pack and checks its indexes against its manifest.

A generator that yields after every piece, so that whoever runs it can show progress, let other
work in between, and stop. Nothing of the pack is used before this ended well.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

from cairn.errors import PackInvalid, PackMismatch
from cairn.index.compact_schema import compact_fault
from cairn.index.lexical_schema import RANGES, TABLE, schema_fault
from cairn.index.vectors import VectorFile
from cairn.passages.ids import passage_sha256
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.canonical import is_canonical
from cairn.sources.packs.manifest import (
    MANIFEST,
    MOST_DOCUMENT_BYTES,
    MOST_MANIFEST_BYTES,
    TEXTS_PATH,
    DocumentEntry,
    IndexEntry,
    Manifest,
    VectorEntry,
    index_metadata,
    parse_manifest,
)
from cairn.sources.packs.solid import cut_at
from cairn.sources.packs.texts import text_fault
from cairn.sources.packs.verify_compact import Step, verify_compact

_ROWS_BETWEEN_STEPS = 500


def read_manifest(archive: PackArchive) -> Manifest:
    """The manifest of a pack, after checking that the ZIP has exactly the members it declares.

    Raises PackInvalid, or PackMismatch when the ZIP has another size than the manifest states.
    """
    manifest = parse_manifest(archive.read(MANIFEST, MOST_MANIFEST_BYTES))
    present = frozenset(archive.members)
    for name in sorted(present - manifest.members):
        raise PackInvalid(
            f"The pack's member {name} is not declared in its manifest.",
            hint="Get the pack again from its maker.",
        )
    for name in sorted(manifest.members - present):
        archive.member(name)  # raises and names it
    if manifest.texts is not None:
        texts = archive.member(TEXTS_PATH)
        if (texts.bytes, texts.packed_bytes) != (manifest.text_bytes, manifest.texts.packed_bytes):
            raise _mismatch(TEXTS_PATH, "size")
        if not is_canonical(archive):
            raise PackInvalid(
                "The pack's ZIP has bytes outside its members that the format does not put there.",
                hint="Get the pack again from its maker.",
            )
    if not manifest.compact and manifest.download_bytes != archive.bytes:
        raise PackMismatch(
            f"The pack has {archive.bytes} bytes, its manifest states {manifest.download_bytes}.",
            hint="Get the pack again; the download may have been cut.",
            retryable=True,
        )
    return manifest


def verify(
    archive: PackArchive,
    manifest: Manifest,
    *,
    fts5_path: str | None,
    vector_path: str | None = None,
    deep: bool = False,
) -> Iterator[Step]:
    """Check everything: every hash, every text, the database, the vectors, the counts.

    The two paths are the index members as openable files (slices of the ZIP, or copies). ``deep``
    also re-hashes every passage and compares the passages with their documents.
    Raises PackInvalid or PackMismatch naming the member.
    """
    yield from _verify_hashes(archive, manifest)
    if manifest.fts5 is None or fts5_path is None:
        return  # schema 1: the index is built where the pack is installed
    with closing(open_read_only(fts5_path)) as db:
        try:
            yield from _verify_fts5(db, manifest, manifest.fts5)
            if manifest.compact:
                yield from verify_compact(db, archive, manifest, deep=deep)
            elif deep:
                yield from _verify_passages(db, archive, manifest)
        except (sqlite3.Error, UnicodeError) as error:  # also messages about it may not be UTF-8
            raise _invalid(manifest.fts5.path, f"it is not a readable database ({error})") from error
    if manifest.vector is not None and vector_path is not None:
        _verify_vectors(vector_path, manifest.vector)


def open_read_only(path: str) -> sqlite3.Connection:
    """A connection to a database that nobody will ever change, with untrusted content."""
    db = sqlite3.connect(
        f"file:{quote(path)}?immutable=1&mode=ro",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    db.text_factory = _as_text
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _as_text(data: bytes) -> str:
    """Text of a database that somebody else made: what is not UTF-8 must not raise in the middle."""
    return data.decode("utf-8", "replace")


def _verify_hashes(archive: PackArchive, manifest: Manifest) -> Iterator[Step]:
    total = sum(archive.member(name).bytes for name in manifest.members)
    done = archive.member(MANIFEST).bytes
    for document, data in _documents(archive, manifest):
        _check_document(document, data)
        done += len(data)
        yield Step("hash", done, total)
    for entry in manifest.indexes:
        if archive.member(entry.path).bytes != entry.bytes:
            raise _mismatch(entry.path, "size")
        digest = hashlib.sha256()
        for piece in archive.stream(entry.path):
            digest.update(piece)
            done += len(piece)
            yield Step("hash", done, total)
        if digest.hexdigest() != entry.sha256:
            raise _mismatch(entry.path, "SHA-256")


def _documents(archive: PackArchive, manifest: Manifest) -> Iterator[tuple[DocumentEntry, bytes]]:
    """Every document with its bytes; the member they come from is read to its end."""
    if manifest.texts is not None:
        digest = hashlib.sha256()
        for piece in archive.raw(TEXTS_PATH):
            digest.update(piece)
        if digest.hexdigest() != manifest.texts.sha256:
            raise _mismatch(TEXTS_PATH, "SHA-256")
        lengths = [document.bytes for document in manifest.documents]
        texts = cut_at(archive.stream(TEXTS_PATH), lengths)
        yield from zip(manifest.documents, texts, strict=True)
    else:
        for document in manifest.documents:
            yield document, archive.read(document.path, MOST_DOCUMENT_BYTES)


def _check_document(document: DocumentEntry, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != document.sha256:
        raise _mismatch(document.path, "SHA-256")
    try:
        fault = text_fault(data.decode("utf-8"))
    except UnicodeDecodeError:
        fault = "its text is not UTF-8"
    if fault:
        raise _invalid(document.path, fault)


def _verify_fts5(db: sqlite3.Connection, manifest: Manifest, entry: IndexEntry) -> Iterator[Step]:
    (result,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise _invalid(entry.path, f"its database is damaged ({result})")
    fault = compact_fault(db) if manifest.compact else schema_fault(db)
    if fault:
        raise _invalid(entry.path, fault)
    metadata = dict(db.execute("SELECT key, value FROM corpus_metadata"))
    for key, value in index_metadata(manifest).items():
        if str(metadata.get(key)) != value:
            raise _invalid(entry.path, f"its {key} is not that of the manifest")
    expected = (entry.passage_count, 1, entry.passage_count)
    for table in (f"{TABLE}_docsize",) if manifest.compact else (f"{TABLE}_content", f"{TABLE}_docsize"):
        if db.execute(f"SELECT count(*), min(id), max(id) FROM {table}").fetchone() != expected:
            raise _invalid(entry.path, f"it does not have {entry.passage_count} passages in a row")
        yield Step("index", 0, entry.passage_count)
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (RANGES,)).fetchone():
        _verify_ranges(db, manifest, entry)


def _verify_ranges(db: sqlite3.Connection, manifest: Manifest, entry: IndexEntry) -> None:
    """Our own table must give each document a part of the rows, without gap or overlap."""
    ranges = db.execute(f"SELECT document_id, first_row, row_count FROM {RANGES} ORDER BY 2")
    known = {document.id for document in manifest.documents}
    following = 0
    for name, first, count in ranges:
        if name not in known or first != following or count < 1:
            raise _invalid(entry.path, f"its {RANGES} do not fit the documents")
        following += count
    if following != entry.passage_count:
        raise _invalid(entry.path, f"its {RANGES} do not fit the documents")


def _verify_passages(db: sqlite3.Connection, archive: PackArchive, manifest: Manifest) -> Iterator[Step]:
    """Every passage hashes to what it says and stands in its document, in order."""
    assert manifest.fts5 is not None
    path, total = manifest.fts5.path, manifest.fts5.passage_count
    entries = {document.id: document for document in manifest.documents}
    current, text, position = "", "", 0
    rows = db.execute(f"SELECT rowid, document_id, body, passage_sha256 FROM {TABLE} ORDER BY rowid")
    for row, document, body, sha256 in rows:
        if passage_sha256(body) != sha256:
            raise _invalid(path, f"passage {row} does not match its hash")
        if document not in entries:
            raise _invalid(path, f"passage {row} is of no document of the pack")
        if document != current:
            data = archive.read(entries[document].path, MOST_DOCUMENT_BYTES)
            current, text, position = document, data.decode("utf-8"), 0
        found = text.find(body, position)
        if found < 0:
            raise _invalid(path, f"passage {row} does not stand in {entries[document].path}")
        position = found + len(body)
        if row % _ROWS_BETWEEN_STEPS == 0:
            yield Step("index", row, total)
    yield Step("index", total, total)


def _verify_vectors(path: str, entry: VectorEntry) -> None:
    with closing(VectorFile(path)) as file:
        header = file.header
        if (header.count, header.dimensions) != (entry.passage_count, entry.dimensions):
            raise _invalid(entry.path, "its counts are not those of the manifest")
        for field, value in (
            ("clientModelId", entry.model_id),
            ("clientModelRevision", entry.model_revision),
            ("clientModelDtype", entry.model_dtype),
        ):
            if header.metadata.get(field) != value:
                raise _invalid(entry.path, f"its {field} is not that of the manifest")


def _invalid(member: str, reason: str) -> PackInvalid:
    return PackInvalid(
        f"The pack's member {member} is not usable: {reason}.",
        hint="Get the pack again from its maker.",
    )


def _mismatch(member: str, what: str) -> PackMismatch:
    return PackMismatch(
        f"The pack's member {member} does not have the {what} that the manifest states.",
        hint="Get the pack again; it was changed or damaged on the way.",
        retryable=True,
    )
