"""Packs in the published Emergency Box layout, to the letter of FORMATS.md part 1.

Written apart from the product's own code for it: another SQLite table, another ZIP writer. Schema 1
has documents alone; schema 2 has the 15-column table and, where vectors are given, a WBVE5Q8 file.
Members are deflated. Texts and vectors are the caller's.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FTS5 = "indexes/emergency-box-fts5.sqlite3"
VECTORS = "indexes/emergency-box-e5-q8.bin"
_DATE = (2026, 8, 17, 0, 0, 0)
_COLUMNS = (
    "passage_id UNINDEXED, document_id UNINDEXED, source_id UNINDEXED, title, language UNINDEXED, "
    "collection, source UNINDEXED, license UNINDEXED, locator, body, search_terms, "
    "passage_sha256 UNINDEXED, token_estimate UNINDEXED, ordinal UNINDEXED, reader_url UNINDEXED"
)


@dataclass(frozen=True, slots=True)
class PublishedPassage:
    """A passage: its text stands in its document, passages one after the other."""

    locator: str
    text: str
    search_terms: str


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """A document whose text is its passages one after the other, ending with one LF."""

    id: str
    title: str
    language: str
    collection: str
    source_url: str
    licence: str
    passages: tuple[PublishedPassage, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(passage.text for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Vectors:
    """int8 rows and their float32 norms, a row for each passage, and the model that made them."""

    rows: bytes
    norms: bytes
    dimensions: int
    model: tuple[str, str, str]  # id, revision, dtype
    note: str = ""


def write_published(
    path: Path,
    documents: Sequence[PublishedDocument],
    *,
    schema: int = 2,
    vectors: Vectors | None = None,
    corpus_id: str = "emergency-box-text",
    version: str = "2026.08.17-preview.3",
    scratch: Path,
) -> None:
    """Write the ZIP; ``scratch`` is a folder for the database."""
    manifest: dict[str, Any] = {
        "schemaVersion": schema,
        "corpusId": corpus_id,
        "version": version,
        "contentSha256": "",
        "downloadBytes": 0,
        "documents": [_document(document) for document in documents],
    }
    lines = sorted(f"{entry['path']}\0{entry['sha256']}\n" for entry in manifest["documents"])
    manifest["contentSha256"] = _sha256("".join(lines).encode())
    database = scratch / "published.sqlite3"
    if schema == 2:
        count = _write_database(database, documents, manifest)
        manifest["passageSchemaVersion"] = 2
        manifest["indexes"] = {"fts5": _index(FTS5, database, count)}
        if vectors is not None:
            file = scratch / "published.bin"
            file.write_bytes(_vector_head(vectors, count, version) + vectors.rows + vectors.norms)
            manifest["indexes"]["vector"] = {
                **_index(VECTORS, file, count),
                "dimensions": vectors.dimensions,
                "modelId": vectors.model[0],
                "modelRevision": vectors.model[1],
                "modelDtype": vectors.model[2],
                **({"note": vectors.note} if vectors.note else {}),
            }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for document in documents:
            archive.writestr(_member(f"documents/{document.id}.txt"), document.text)
        for entry in manifest.get("indexes", {}).values():
            name = entry["path"]
            source = database if name == FTS5 else file
            with archive.open(_member(name), "w") as out, source.open("rb") as data:
                while piece := data.read(1 << 20):
                    out.write(piece)
        # The manifest states the ZIP's own size: it is stored, so its length decides.
        end = archive.fp.tell()  # type: ignore[union-attr]
        names = [*(info.filename for info in archive.infolist()), "manifest.json"]
        around = sum(46 + len(name.encode()) for name in names) + 22 + 30 + len("manifest.json")
        while manifest["downloadBytes"] != (size := end + around + len(_json(manifest))):
            manifest["downloadBytes"] = size
        member = _member("manifest.json")
        member.compress_type = zipfile.ZIP_STORED
        archive.writestr(member, _json(manifest))
    assert path.stat().st_size == manifest["downloadBytes"]


def _document(document: PublishedDocument) -> dict[str, str]:
    return {
        "id": document.id,
        "title": document.title,
        "language": document.language,
        "collection": document.collection,
        "sourceUrl": document.source_url,
        "license": document.licence,
        "path": f"documents/{document.id}.txt",
        "sha256": _sha256(document.text.encode()),
    }


def _write_database(path: Path, documents: Sequence[PublishedDocument], manifest: dict[str, Any]) -> int:
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = DELETE", "synchronous = FULL", "temp_store = MEMORY",
                   "secure_delete = ON"):  # fmt: skip
        db.execute(f"PRAGMA {pragma}")
    db.execute("BEGIN")
    db.execute("CREATE TABLE corpus_metadata(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
    db.execute(
        f"CREATE VIRTUAL TABLE passages USING fts5({_COLUMNS}, tokenize = 'unicode61 remove_diacritics 2')"
    )
    rows = _rows(documents, manifest["version"])
    db.executemany(f"INSERT INTO passages VALUES ({', '.join('?' * 15)})", rows)
    db.executemany(
        "INSERT INTO corpus_metadata VALUES (?, ?)",
        [
            ("schemaVersion", "2"), ("corpusId", manifest["corpusId"]), ("version", manifest["version"]),
            ("contentSha256", manifest["contentSha256"]), ("documentCount", str(len(documents))),
        ],
    )  # fmt: skip
    db.execute("INSERT INTO passages(passages) VALUES ('optimize')")
    db.execute("COMMIT")
    (count,) = db.execute("SELECT count(*) FROM passages_docsize").fetchone()
    db.close()
    return int(count)


def _rows(documents: Iterable[PublishedDocument], version: str) -> Iterator[tuple[object, ...]]:
    for document in documents:
        seen: dict[tuple[str, str], int] = {}
        for ordinal, passage in enumerate(document.passages):
            digest = _sha256(passage.text.encode())
            number = seen.get((passage.locator, digest), 0)
            seen[passage.locator, digest] = number + 1
            identity = "\0".join((document.id, passage.locator, digest, str(number)))
            passage_id = f"{document.id}:{_sha256(identity.encode())[:20]}"
            yield (
                passage_id, document.id, version, document.title, document.language, document.collection,
                document.source_url, document.licence, passage.locator, passage.text, passage.search_terms,
                digest, max(1, len(passage.text) // 4), ordinal, f"reader?passage={passage_id}",
            )  # fmt: skip


def _vector_head(vectors: Vectors, count: int, version: str) -> bytes:
    norms = 4096 + count * vectors.dimensions
    said = {
        "passageCount": count, "dimensions": vectors.dimensions, "corpusVersion": version,
        "clientModelId": vectors.model[0], "clientModelRevision": vectors.model[1],
        "clientModelDtype": vectors.model[2],
    }  # fmt: skip
    fixed = struct.pack("<8sIIIIQQ", b"WBVE5Q8\0", 1, vectors.dimensions, count, 4096, 4096, norms)
    return (fixed.ljust(64, b"\0") + json.dumps(said).encode()).ljust(4096, b"\0")


def _index(name: str, path: Path, count: int) -> dict[str, Any]:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return {"path": name, "sha256": digest.hexdigest(), "bytes": path.stat().st_size, "passageCount": count}


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    return info


def _json(manifest: dict[str, Any]) -> bytes:
    return json.dumps(manifest, ensure_ascii=False).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
