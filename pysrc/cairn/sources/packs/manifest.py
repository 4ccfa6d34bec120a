"""``manifest.json`` of a pack: the published schemas 1 and 2 (FORMATS.md 1.2), and 3, our compact one.

Ours in every schema: ``title``, ``notice`` and ``licence`` of the pack, ``references`` of a
document. Schema 3 is described in docs/pack-format.md. Fields that nobody knows are tolerated, so
that an older Cairn opens a newer pack of the same schema.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cairn.errors import PackInvalid
from cairn.protocol import load_json
from cairn.sources.packs.fields import Fields

MANIFEST = "manifest.json"
PUBLISHED, COMPACT = 2, 3
SCHEMA_VERSION = COMPACT  # the newest that is understood
PASSAGE_SCHEMA_VERSION = 2
MOST_BYTES = 2 << 30  # of a pack, by the format
MOST_DOCUMENTS = 20_000
MOST_MANIFEST_BYTES = 32 << 20
MOST_DOCUMENT_BYTES = 64 << 20
MOST_TEXT_BYTES = (1 << 32) - 1  # places in it are 32-bit

# The names of the published format, so that its readers open our packs.
FTS5_PATH = "indexes/emergency-box-fts5.sqlite3"
VECTOR_PATH = "indexes/emergency-box-e5-q8.bin"
# Those of a compact pack.
TEXTS_PATH = "documents.txt"
COMPACT_FTS5_PATH = "indexes/keywords.sqlite3"
COMPACT_VECTOR_PATH = "indexes/vectors-e5-q8.bin"

_DOCUMENT_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,159}")
_CORPUS_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_LANGUAGE = re.compile(r"[a-z]{3}")
_INDEX_PATH = re.compile(r"indexes/[a-z0-9][a-z0-9._-]{0,120}")


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of a pack; ``references`` are (title, url), ``bytes`` is 0 outside compact packs."""

    id: str
    title: str
    language: str
    collection: str
    source_url: str
    licence: str
    sha256: str
    references: tuple[tuple[str, str], ...] = ()
    bytes: int = 0

    @property
    def path(self) -> str:
        """Its member in the ZIP; in a compact pack only its name in ``contentSha256`` and in errors."""
        return f"documents/{self.id}.txt"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An index member: the FTS5 database or the vector file."""

    path: str
    sha256: str
    bytes: int
    passage_count: int


@dataclass(frozen=True, slots=True)
class VectorEntry(IndexEntry):
    """The vector file and the model that made its vectors."""

    dimensions: int
    model_id: str
    model_revision: str
    model_dtype: str


@dataclass(frozen=True, slots=True)
class TextsEntry:
    """The member that holds all texts of a compact pack; ``sha256`` is that of its packed bytes."""

    sha256: str
    packed_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole manifest, checked. ``fts5`` is None in schema 1, ``vector`` also without vectors.

    ``texts`` is there in compact packs, ``download_bytes`` (the size of the ZIP) in the others.
    """

    corpus_id: str
    version: str
    content_sha256: str
    download_bytes: int
    documents: tuple[DocumentEntry, ...]
    fts5: IndexEntry | None = None
    vector: VectorEntry | None = None
    title: str = ""
    notice: str = ""
    licence: str = ""
    schema_version: int = PUBLISHED
    texts: TextsEntry | None = None

    @property
    def compact(self) -> bool:
        """Whether its texts are one member and its keyword index has places instead of texts."""
        return self.schema_version >= COMPACT

    @property
    def text_bytes(self) -> int:
        """Bytes of all texts of a compact pack."""
        return sum(document.bytes for document in self.documents)

    @property
    def indexes(self) -> tuple[IndexEntry, ...]:
        """The index members there are."""
        return tuple(entry for entry in (self.fts5, self.vector) if entry is not None)

    @property
    def members(self) -> frozenset[str]:
        """Every member the ZIP must have, and no other."""
        texts = [TEXTS_PATH] if self.compact else [document.path for document in self.documents]
        return frozenset([MANIFEST, *texts, *(index.path for index in self.indexes)])


def content_sha256(documents: Iterable[DocumentEntry]) -> str:
    """SHA-256 of the sorted lines ``path NUL sha256``, each ended by LF (FORMATS.md 1.2)."""
    lines = sorted(f"{document.path}\0{document.sha256}\n" for document in documents)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def index_metadata(manifest: Manifest) -> dict[str, str]:
    """The ``corpus_metadata`` that the FTS5 database of this manifest has."""
    return {
        "schemaVersion": str(manifest.schema_version),
        "corpusId": manifest.corpus_id,
        "version": manifest.version,
        "contentSha256": manifest.content_sha256,
        "documentCount": str(len(manifest.documents)),
    }


def parse_manifest(data: bytes) -> Manifest:
    """Check and read a manifest; raises PackInvalid naming the field that is wrong."""
    if len(data) > MOST_MANIFEST_BYTES:
        raise invalid("it is larger than 32 MiB")
    try:
        value = load_json(data.decode("utf-8"), _no_duplicates)
    except ValueError as error:
        raise invalid(f"it is not JSON in UTF-8 ({error})") from error
    top = Fields(value, "", invalid)
    schema = top.integer("schemaVersion", 1, 1_000_000)
    if schema > SCHEMA_VERSION:
        raise PackInvalid(
            f"{MANIFEST} has schema {schema}; this Cairn knows up to {SCHEMA_VERSION}.",
            hint="Update the app, or get an older version of the pack.",
        )
    documents = tuple(_document(entry, schema) for entry in top.objects("documents", 1, MOST_DOCUMENTS))
    _unique(documents)
    fts5, vector = _indexes(top) if schema >= PUBLISHED else (None, None)
    manifest = Manifest(
        corpus_id=top.text("corpusId", 80, _CORPUS_ID),
        version=top.text("version", 120),
        content_sha256=top.sha256("contentSha256"),
        download_bytes=top.integer("downloadBytes", 1, MOST_BYTES) if schema < COMPACT else 0,
        documents=documents,
        fts5=fts5,
        vector=vector,
        title=top.optional_text("title", 200),
        notice=top.optional_text("notice", 2000),
        licence=top.optional_text("licence", 500),
        schema_version=schema,
        texts=_texts(top) if schema >= COMPACT else None,
    )
    if manifest.content_sha256 != content_sha256(documents):
        raise invalid("contentSha256 is not that of its documents")
    if manifest.text_bytes > MOST_TEXT_BYTES:
        raise invalid("its documents are larger than 4 GiB together")
    return manifest


def _document(fields: Fields, schema: int) -> DocumentEntry:
    identifier = fields.text("id", 160, _DOCUMENT_ID)
    entry = DocumentEntry(
        id=identifier,
        title=fields.text("title", 500),
        language=fields.text("language", 3, _LANGUAGE),
        collection=fields.text("collection", 200),
        source_url=fields.url("sourceUrl") if schema < COMPACT or fields.has("sourceUrl") else "",
        licence=fields.text("license", 500),
        sha256=fields.sha256("sha256"),
        references=tuple(
            (reference.text("title", 500), reference.url("url"))
            for reference in fields.objects("references", 0, 100, required=False)
        ),
        bytes=fields.integer("bytes", 1, MOST_DOCUMENT_BYTES) if schema >= COMPACT else 0,
    )
    if schema < COMPACT and fields.text("path", 200) != entry.path:
        raise invalid(f"{fields.name('path')} is not {entry.path}")
    return entry


def _unique(documents: tuple[DocumentEntry, ...]) -> None:
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise invalid(f"the document id {document.id} is there twice")
        seen.add(document.id)


def _indexes(top: Fields) -> tuple[IndexEntry, VectorEntry | None]:
    if top.integer("passageSchemaVersion", 1, 1_000_000) != PASSAGE_SCHEMA_VERSION:
        raise invalid(f"passageSchemaVersion is not {PASSAGE_SCHEMA_VERSION}")
    indexes = top.object("indexes")
    fields = indexes.object("fts5")
    fts5 = IndexEntry(*_index(fields))
    if not indexes.has("vector"):
        return fts5, None
    fields = indexes.object("vector")
    vector = VectorEntry(
        *_index(fields),
        dimensions=fields.integer("dimensions", 1, 4096),
        model_id=fields.text("modelId", 200),
        model_revision=fields.text("modelRevision", 200),
        model_dtype=fields.text("modelDtype", 40),
    )
    if vector.passage_count != fts5.passage_count:
        raise invalid("its two indexes have different passage counts")
    if vector.path == fts5.path:
        raise invalid("its two indexes have the same path")
    return fts5, vector


def _texts(top: Fields) -> TextsEntry:
    fields = top.object("texts")
    if fields.text("path", 130) != TEXTS_PATH:
        raise invalid(f"{fields.name('path')} is not {TEXTS_PATH}")
    return TextsEntry(fields.sha256("packedSha256"), fields.integer("packedBytes", 1, MOST_BYTES))


def _index(fields: Fields) -> tuple[str, str, int, int]:
    return (
        fields.text("path", 130, _INDEX_PATH),
        fields.sha256("sha256"),
        fields.integer("bytes", 1, MOST_BYTES),
        fields.integer("passageCount", 1, 50_000_000),
    )


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a field is there twice")
    return value


def invalid(reason: str) -> PackInvalid:
    """The error of a wrong manifest."""
    return PackInvalid(f"{MANIFEST} is not usable: {reason}.", hint="Get the pack again from its maker.")


def manifest_json(manifest: Manifest) -> bytes:
    """A manifest as the bytes of ``manifest.json``; the same manifest gives the same bytes."""
    value: dict[str, Any] = {
        "schemaVersion": manifest.schema_version,
        "corpusId": manifest.corpus_id,
        "version": manifest.version,
        "title": manifest.title,
        "notice": manifest.notice,
        "licence": manifest.licence,
        "contentSha256": manifest.content_sha256,
        "downloadBytes": manifest.download_bytes,
        "documents": [_document_json(document, manifest.compact) for document in manifest.documents],
    }
    if manifest.compact:
        del value["downloadBytes"]
    if manifest.fts5 is not None:
        value["passageSchemaVersion"] = PASSAGE_SCHEMA_VERSION
        value["indexes"] = {"fts5": _index_json(manifest.fts5)}
    if manifest.vector is not None:
        value["indexes"]["vector"] = {
            **_index_json(manifest.vector),
            "dimensions": manifest.vector.dimensions,
            "modelId": manifest.vector.model_id,
            "modelRevision": manifest.vector.model_revision,
            "modelDtype": manifest.vector.model_dtype,
        }
    if manifest.texts is not None:
        texts = manifest.texts
        value["texts"] = {
            "path": TEXTS_PATH, "packedSha256": texts.sha256, "packedBytes": texts.packed_bytes,
        }  # fmt: skip
        return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _document_json(document: DocumentEntry, compact: bool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": document.id,
        "title": document.title,
        "language": document.language,
        "collection": document.collection,
        "sourceUrl": document.source_url,
        "license": document.licence,
        **({"bytes": document.bytes} if compact else {"path": document.path}),
        "sha256": document.sha256,
        "references": [{"title": title, "url": url} for title, url in document.references],
    }
    return {name: field for name, field in value.items() if field or not compact}


def _index_json(entry: IndexEntry) -> dict[str, Any]:
    return {
        "path": entry.path,
        "sha256": entry.sha256,
        "bytes": entry.bytes,
        "passageCount": entry.passage_count,
    }
