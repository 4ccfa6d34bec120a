"""Verification: a good pack passes, and whatever is changed in it is found and named."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.errors import CairnError, PackInvalid, PackMismatch
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import FTS5_PATH, MANIFEST, VECTOR_PATH
from cairn.sources.packs.verify import read_manifest, verify
from tests.unit.packs.helpers import small_pack

Members = dict[str, bytes]


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Members:
    archive = PackArchive(small_pack(tmp_path_factory.mktemp("pack"), compatible=True))
    found = {name: archive.read(name, 1 << 30) for name in archive.members}
    archive.close()
    return found


def check(members: Members, folder: Path, *, deep: bool = True) -> list[str]:
    """Write the members as a ZIP and verify it; return the phases seen."""
    path = folder / "pack.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    fts5, vectors = folder / "fts5", folder / "vectors"
    fts5.write_bytes(members.get(FTS5_PATH, b""))
    vectors.write_bytes(members.get(VECTOR_PATH, b""))
    opened = PackArchive(path)
    try:
        manifest = read_manifest(opened)
        steps = verify(opened, manifest, fts5_path=str(fts5), vector_path=str(vectors), deep=deep)
        return [step.phase for step in steps]
    finally:
        opened.close()


def restated(members: Members, **changes: bytes | None) -> Members:
    """Change members and state their new hashes and the ZIP's new size, as an attacker would."""
    changed = dict(members)
    for name, data in changes.items():
        if data is None:
            del changed[name]
        else:
            changed[name] = data
    manifest = json.loads(changed[MANIFEST])
    for entry in (*manifest["documents"], *manifest["indexes"].values()):
        if entry["path"] in changed:
            entry["sha256"] = hashlib.sha256(changed[entry["path"]]).hexdigest()
            if "bytes" in entry:
                entry["bytes"] = len(changed[entry["path"]])
    lines = sorted(f"{d['path']}\0{d['sha256']}\n" for d in manifest["documents"])
    manifest["contentSha256"] = hashlib.sha256("".join(lines).encode()).hexdigest()
    return sized(changed, manifest)


def sized(members: Members, manifest: dict[str, Any]) -> Members:
    changed = dict(members)
    for _ in range(5):
        changed[MANIFEST] = json.dumps(manifest).encode()
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, data in changed.items():
                archive.writestr(name, data)
        manifest["downloadBytes"] = len(buffer.getvalue())
    return changed


def refusal(members: Members, folder: Path, kind: type[CairnError] = PackInvalid) -> str:
    with pytest.raises(kind) as caught:
        check(members, folder)
    return caught.value.message


def test_a_good_pack_passes(members: Members, tmp_path: Path) -> None:
    """Intent: every part is looked at, with progress."""
    phases = check(sized(members, json.loads(members[MANIFEST])), tmp_path)
    assert set(phases) == {"hash", "index"}


def test_size_and_members_must_be_as_declared(members: Members, tmp_path: Path) -> None:
    """Intent: nothing extra, nothing missing, not one byte more."""
    good = sized(members, json.loads(members[MANIFEST]))
    assert "manifest states" in refusal({**good, MANIFEST: good[MANIFEST] + b" "}, tmp_path, PackMismatch)
    assert "extra.txt is not declared" in refusal({**good, "extra.txt": b"x"}, tmp_path)
    without = {name: data for name, data in good.items() if name != "documents/fire.txt"}
    assert "documents/fire.txt is not usable: it is missing" in refusal(without, tmp_path)
    assert "manifest.json" in refusal({"a": b"b"}, tmp_path)


@pytest.mark.parametrize("name", ["documents/fire.txt", FTS5_PATH, VECTOR_PATH])
def test_changed_bytes_are_found(members: Members, tmp_path: Path, name: str) -> None:
    """Intent: a member that is not what the manifest promises is refused by name."""
    data = bytearray(members[name])
    data[-2] ^= 1
    changed = sized({**members, name: bytes(data)}, json.loads(members[MANIFEST]))
    assert name in refusal(changed, tmp_path, PackMismatch)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\xff\xfe", "not UTF-8"), (b"\xef\xbb\xbfText\n", "byte order mark"), (b"a\r\nb\n", "carriage"),
        (b"no end", "line feed"), (b" \n", "blank"), ("e\u0301\n".encode(), "NFC"), (b"a\0b\n", "NUL"),
    ],
)  # fmt: skip
def test_text_rules(members: Members, tmp_path: Path, text: bytes, reason: str) -> None:
    """Intent: FORMATS 1.2, texts are UTF-8, NFC, LF, without BOM or NUL."""
    message = refusal(restated(members, **{"documents/fire.txt": text}), tmp_path)
    assert reason in message and "documents/fire.txt" in message


def altered(members: Members, folder: Path, change: Callable[[sqlite3.Connection], object]) -> Members:
    """The pack with a changed database, restated throughout."""
    path = folder / "change.sqlite3"
    path.write_bytes(members[FTS5_PATH])
    db = sqlite3.connect(path)
    change(db)
    db.commit()
    db.close()
    return restated(members, **{FTS5_PATH: path.read_bytes()})


SQL_FAULTS = [
    ("CREATE TRIGGER t AFTER INSERT ON corpus_metadata BEGIN SELECT 1; END", "trigger"),
    ("CREATE VIEW v AS SELECT 1", "view"),
    ("UPDATE corpus_metadata SET value = '9' WHERE key = 'version'", "version"),
    ("DELETE FROM corpus_metadata WHERE key = 'corpusId'", "corpusId"),
    ("DELETE FROM passages WHERE rowid = 2", "in a row"),
    ("UPDATE passage_ranges SET document_id = 'x' WHERE document_id = 'fire'", "passage_ranges"),
    ("UPDATE passage_ranges SET row_count = row_count + 1", "passage_ranges"),
    ("DELETE FROM passage_ranges", "passage_ranges"),
    ("UPDATE passages SET body = 'changed' WHERE rowid = 1", "does not match its hash"),
    ("UPDATE passages SET document_id = 'x' WHERE rowid = 1", "no document"),
    ("DROP TABLE passages; CREATE TABLE passages(a)", "not an FTS5"),
]


@pytest.mark.parametrize(("sql", "reason"), SQL_FAULTS, ids=[reason for _, reason in SQL_FAULTS])
def test_a_changed_database_is_refused(members: Members, tmp_path: Path, sql: str, reason: str) -> None:
    """Intent: a malicious or wrong database is named even when every hash was restated."""
    message = refusal(altered(members, tmp_path, lambda db: db.executescript(sql)), tmp_path)
    assert reason in message and FTS5_PATH in message


def test_broken_databases_are_refused(members: Members, tmp_path: Path) -> None:
    """Intent: corrupt pages and what is no database end as typed errors."""
    good = members[FTS5_PATH]
    for data in (b"not a database" * 1000, good[:4096] + b"\xff" * (len(good) - 4096), good[:-4096]):
        refusal(restated(members, **{FTS5_PATH: data}), tmp_path)


def test_passages_must_stand_in_their_document(members: Members, tmp_path: Path) -> None:
    """Intent: a citation can never show words that the document does not have."""

    def lie(db: sqlite3.Connection) -> None:
        sha256 = hashlib.sha256(b"Drink bleach.").hexdigest()
        db.execute(
            "UPDATE passages SET body = ?, passage_sha256 = ? WHERE rowid = 1", ("Drink bleach.", sha256)
        )

    assert "does not stand in" in refusal(altered(members, tmp_path, lie), tmp_path)


def test_vectors_must_fit(members: Members, tmp_path: Path) -> None:
    """Intent: a vector file of another size or model is refused."""
    good = members[VECTOR_PATH]
    short = good[:12] + struct.pack("<I", 31) + good[16:]
    assert "norms do not start" in refusal(restated(members, **{VECTOR_PATH: short}), tmp_path)
    other = good.replace(b'"clientModelRevision": "test"', b'"clientModelRevision": "else"')
    assert other != good
    assert "clientModelRevision" in refusal(restated(members, **{VECTOR_PATH: other}), tmp_path)
