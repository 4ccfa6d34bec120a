"""The manifest: what is accepted, what is refused, and that each refusal names the field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.errors import PackInvalid
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MANIFEST, content_sha256, manifest_json, parse_manifest
from tests.unit.packs.helpers import small_pack


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path: Path = small_pack(tmp_path_factory.mktemp("pack"), compatible=True)
    archive = PackArchive(path)
    data = archive.read(MANIFEST, 1 << 20)
    archive.close()
    return data


def test_the_fields_of_the_published_format(raw: bytes) -> None:
    """Intent: FORMATS 1.2, exact names, so that published readers open our packs."""
    value = json.loads(raw)
    assert {"schemaVersion", "corpusId", "version", "contentSha256", "downloadBytes", "documents",
            "passageSchemaVersion", "indexes"} <= set(value)  # fmt: skip
    assert set(value["documents"][0]) == {
        "id", "title", "language", "collection", "sourceUrl", "license", "path", "sha256", "references",
    }  # fmt: skip
    assert set(value["indexes"]["fts5"]) == {"path", "sha256", "bytes", "passageCount"}
    assert {"dimensions", "modelId", "modelRevision", "modelDtype"} < set(value["indexes"]["vector"])


def test_round_trip(raw: bytes) -> None:
    """Intent: reading and writing lose nothing; unknown fields are tolerated."""
    manifest = parse_manifest(raw)
    assert manifest_json(manifest) == raw
    assert manifest.title == "Test notes" and manifest.notice == "Only a test."
    assert manifest.documents[0].references == (("A guide", "https://example.org/guide"),)
    value = json.loads(raw)
    value["future"] = value["documents"][0]["future"] = {"a": 1}
    assert parse_manifest(json.dumps(value).encode()) == manifest


def test_schema_1_has_no_indexes(raw: bytes) -> None:
    """Intent: an old pack is read, and known to need an index."""
    value = json.loads(raw)
    value["schemaVersion"] = 1
    assert parse_manifest(json.dumps(value).encode()).fts5 is None


def edit(path: str, new: Any) -> Callable[[dict[str, Any]], None]:
    """Set (or with ... delete) a field named by a dotted path."""

    def change(value: dict[str, Any]) -> None:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        target: Any = value
        for part in parents:
            target = target[part]
        if new is ...:
            del target[last]
        else:
            target[last] = new

    return change


FAULTS = [
    ("schemaVersion", 3), ("schemaVersion", "2"), ("schemaVersion", ...), ("schemaVersion", True),
    ("corpusId", "Bad Id"), ("corpusId", ""), ("corpusId", None), ("version", "v" * 121),
    ("version", 1), ("contentSha256", "0" * 64), ("contentSha256", "xyz"), ("downloadBytes", 0),
    ("downloadBytes", 2**31 + 1), ("downloadBytes", 1.5), ("documents", []), ("documents", {}),
    ("documents.0.id", "../etc"), ("documents.0.id", "a" * 161), ("documents.0.title", " "),
    ("documents.0.title", "t" * 501), ("documents.0.title", "a\u0000b"), ("documents.0.language", "en"),
    ("documents.0.language", "ENG"), ("documents.0.collection", ...), ("documents.0.sourceUrl", "ftp://x/y"),
    ("documents.0.sourceUrl", "javascript:alert(1)"), ("documents.0.sourceUrl", "https://"),
    ("documents.0.license", ""), ("documents.0.path", "documents/other.txt"),
    ("documents.0.sha256", "A" * 64), ("documents.0.references", [1]),
    ("documents.0.references", [{"title": "t", "url": "x"}]), ("passageSchemaVersion", 1),
    ("indexes", ...), ("indexes.fts5", None), ("indexes.fts5.path", "indexes/../x"),
    ("indexes.fts5.path", "manifest.json"), ("indexes.fts5.bytes", -1), ("indexes.fts5.passageCount", 7),
    ("indexes.fts5.sha256", 5), ("indexes.vector.dimensions", 0), ("indexes.vector.modelId", ...),
    ("indexes.vector.path", "indexes/emergency-box-fts5.sqlite3"), ("title", 5), ("notice", "n" * 3000),
]  # fmt: skip


@pytest.mark.parametrize(("path", "new"), FAULTS, ids=lambda value: str(value)[:40])
def test_each_wrong_field_is_refused_by_name(raw: bytes, path: str, new: Any) -> None:
    """Intent: one clear sentence that names the field."""
    value = json.loads(raw)
    edit(path, new)(value)
    with pytest.raises(PackInvalid) as caught:
        parse_manifest(json.dumps(value).encode())
    named = path.split(".")[-1]
    assert named in caught.value.message or named in ("schemaVersion", "passageCount", "path"), caught.value
    assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 100_000, b'{"a":' * 70],
    ids=["empty", "cut", "list", "null", "utf16", "twice", "deep", "deep objects"],
)
def test_what_is_no_manifest(data: bytes) -> None:
    """Intent: nonsense ends as a typed error; in Pyodide a deep nesting must not reach the parser."""
    with pytest.raises(PackInvalid, match=r"manifest\.json"):
        parse_manifest(data)


def test_documents_must_be_distinct(raw: bytes) -> None:
    """Intent: two documents never share an id."""
    value = json.loads(raw)
    value["documents"].append(value["documents"][0])
    with pytest.raises(PackInvalid, match="twice"):
        parse_manifest(json.dumps(value).encode())


def test_content_hash_is_order_free(raw: bytes) -> None:
    """Intent: FORMATS 1.2, sorted lines "path NUL sha256", each ended by LF."""
    documents = parse_manifest(raw).documents
    assert content_sha256(documents) == content_sha256(reversed(documents))
