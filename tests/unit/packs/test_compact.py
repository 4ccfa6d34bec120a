"""Compact packs: small, whole, read in place, and refused when anything in them is not what it says."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import zipfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.errors import CairnError, DocumentCorrupt, PackInvalid
from cairn.index.types import LexicalQuery
from cairn.passages.indexing import expression, indexed_text, tokens_asked
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import COMPACT_FTS5_PATH, COMPACT_VECTOR_PATH, TEXTS_PATH
from cairn.sources.packs.solid import BLOCK, SolidTexts, SolidWriter, cut_at
from cairn.sources.packs.source import PackSource
from cairn.sources.packs.verify import read_manifest, verify
from cairn.sources.packs.zipwriter import ZipWriter
from tests.unit.packs.helpers import small_pack


class Opened:
    """A compact pack and its two indexes as files."""

    def __init__(self, folder: Path, pack: Path) -> None:
        self.folder, self.pack = folder, pack
        self.fts5, self.vectors = folder / "fts5", folder / "vectors"
        archive = PackArchive(pack)
        self.fts5.write_bytes(archive.read(COMPACT_FTS5_PATH, 1 << 30))
        self.vectors.write_bytes(archive.read(COMPACT_VECTOR_PATH, 1 << 30))
        archive.close()

    def source(self) -> PackSource:
        archive = PackArchive(self.pack)
        paths = {"fts5_path": str(self.fts5), "vector_path": str(self.vectors)}
        return PackSource(archive, read_manifest(archive), **paths)

    def verify(self, *, deep: bool = True) -> list[str]:
        with closing(PackArchive(self.pack)) as archive:
            manifest = read_manifest(archive)
            paths = {"fts5_path": str(self.fts5), "vector_path": str(self.vectors)}
            return [step.phase for step in verify(archive, manifest, deep=deep, **paths)]

    def change(self, change: Callable[[sqlite3.Connection], object]) -> None:
        """Change the database and write the pack anew with hashes that fit, as an attacker would."""
        db = sqlite3.connect(self.fts5)
        change(db)
        db.commit()
        db.close()
        with zipfile.ZipFile(self.pack) as old:
            manifest = json.loads(old.read("manifest.json"))
            texts = old.getinfo(TEXTS_PATH)
        with closing(PackArchive(self.pack)) as archive:
            packed = b"".join(archive.raw(TEXTS_PATH))
        self.restate(manifest, texts, packed)

    def restate(self, manifest: dict[str, Any], texts: zipfile.ZipInfo, packed: bytes) -> None:
        """Write the pack with the index as it now is, its size and hash stated."""
        entry = manifest["indexes"]["fts5"]
        entry["bytes"] = self.fts5.stat().st_size
        entry["sha256"] = hashlib.sha256(self.fts5.read_bytes()).hexdigest()
        with self.pack.open("wb") as file:
            writer = ZipWriter(file)
            writer.add_stored(COMPACT_FTS5_PATH, BytesIO(self.fts5.read_bytes()), align=True)
            writer.add_stored(COMPACT_VECTOR_PATH, BytesIO(self.vectors.read_bytes()), align=True)
            writer.add_packed(TEXTS_PATH, BytesIO(packed), texts.CRC, texts.file_size)
            writer.add_stored("manifest.json", BytesIO(json.dumps(manifest).encode()), align=False)
            writer.finish()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    yield Opened(tmp_path, small_pack(tmp_path))


def test_a_good_pack_is_whole_and_an_ordinary_zip(opened: Opened) -> None:
    """Intent: verified to the last passage; any tool unpacks its texts."""
    assert set(opened.verify()) == {"hash", "index"}
    with zipfile.ZipFile(opened.pack) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {
            COMPACT_FTS5_PATH, COMPACT_VECTOR_PATH, TEXTS_PATH, "manifest.json",
        }  # fmt: skip
        assert "# Fire\n\nDry tinder burns." in archive.read(TEXTS_PATH).decode()


def test_passages_are_the_documents_and_carry_their_facts(opened: Opened) -> None:
    """Intent: what is found is what was published, with the same ids as in a published pack."""
    source = opened.source()
    published_folder = opened.folder / "published"
    published_folder.mkdir()
    published = small_pack(published_folder, compatible=True)
    with closing(PackArchive(published)) as archive:
        (opened.folder / "old").write_bytes(archive.read("indexes/emergency-box-fts5.sqlite3", 1 << 30))
    db = sqlite3.connect(opened.folder / "old")
    expected = {
        row[0]: row[1:]
        for row in db.execute(
            "SELECT passage_id, title, language, collection, license, locator, body, passage_sha256, "
            "token_estimate, ordinal FROM passages"
        )
    }
    db.close()
    passages = source.passages(range(source.passage_count))
    assert {p.passage_id for p in passages} == set(expected)
    for p in passages:
        found = (p.title, p.language, p.collection, p.licence, p.locator, p.text, p.sha256,
                 p.token_estimate, p.ordinal)  # fmt: skip
        assert found == expected[p.passage_id]
    document = source.document("boiling-water")
    places = source.locate_passages(document)
    assert "".join(document.text[place["start"] : place["end"]] for place in places) == document.text
    source.close()


def found(source: PackSource, *terms: str, phrases: tuple[str, ...] = ()) -> set[str]:
    hits = source.search_words(LexicalQuery(terms, phrases), 50)
    return {passage.document_id for passage in source.passages([hit.row for hit in hits])}


def test_words_phrases_and_cjk_are_found(opened: Opened) -> None:
    """Intent: one, two or more CJK characters, quoted words in order, and nothing else."""
    source = opened.source()
    assert found(source, "tinder") == {"fire"}
    assert found(source, phrases=("dry tinder",)) == {"fire"}
    assert found(source, phrases=("tinder dry",)) == set()
    for term in ("水", "烧开", "烧开水", "把水烧开一分钟", "话"):
        assert found(source, term) == {"boiling-water-zho"}, term
    assert found(source, "开烧") == found(source, "水把烧") == set()
    assert found(source, phrases=("烧开水",)) == {"boiling-water-zho"}
    frequency = source.document_frequency(["烧开水", "水", "water", "tinder", "开烧"])
    assert frequency["烧开水"] >= 1 and frequency["水"] >= 1 and frequency["开烧"] == 0
    assert frequency["tinder"] == 1 and frequency["water"] > 1
    source.close()


@pytest.mark.parametrize(
    ("text", "indexed", "asked"),
    [
        ("Boil 烧开水 now", "boil  烧开 开水 水  now", '"boil" AND "烧开 开水" AND "now"'),
        ("火", " 火 火", '"火" *'),
        ("don't", "don't", '"don\'t"'),
        ('a "b', 'a "b', '"a b"'),
        ("…", "...", ""),
    ],
)
def test_how_text_is_indexed_and_asked(text: str, indexed: str, asked: str) -> None:
    """Intent: both sides are written down once and fit together."""
    assert indexed_text(text).split() == list(dict.fromkeys(indexed.split()))
    assert expression(text) == asked
    assert tokens_asked("烧开水").split() == ["烧开", "开水"]


FAULTS = [
    ("CREATE TRIGGER t AFTER INSERT ON corpus_metadata BEGIN SELECT 1; END", "trigger"),
    ("CREATE VIEW v AS SELECT 1", "view"),
    ("CREATE TABLE more(a)", "table more"),
    ("CREATE INDEX i ON locators(locator)", "index i"),
    ("DROP TABLE locators; CREATE TABLE locators(number, locator)", "not declared"),
    ("DROP TABLE locators", "lacks the table locators"),
    ("INSERT INTO passages(passages, rank) VALUES ('rank', 'bm25(1)')", "settings"),
    ("UPDATE corpus_metadata SET value = '9' WHERE key = 'version'", "version"),
    ("UPDATE passage_ranges SET first_row = first_row + 1", "do not fit the documents"),
    ("UPDATE passage_ranges SET row_count = row_count + 1", "do not fit the documents"),
    ("DELETE FROM passage_ranges WHERE document_id = 'fire'", "do not fit the documents"),
    ("UPDATE passage_records SET records = substr(records, 33)", "does not follow"),
    ("UPDATE passage_records SET records = CAST(records || zeroblob(32) AS BLOB)", "in a row"),
    ("UPDATE passage_records SET records = 'text'", "no list of records"),
    ("UPDATE passage_records SET records = CAST(records || x'00' AS BLOB)", "no list of records"),
    ("UPDATE locators SET locator = x'00' WHERE number = 0", "headings"),
    ("DELETE FROM locators WHERE number = 0", "headings"),
    ("UPDATE text_blocks SET ends = x'00'", "place for each"),
    ("UPDATE text_blocks SET ends = x'01000000'", "wrongly"),
    ("DELETE FROM text_blocks", "where its blocks end"),
    ("DELETE FROM passages_docsize WHERE id = 2", "in a row"),
]


@pytest.mark.parametrize(("sql", "reason"), FAULTS, ids=[sql[:40] for sql, _ in FAULTS])
def test_a_changed_index_is_refused(opened: Opened, sql: str, reason: str) -> None:
    """Intent: hostile or wrong tables are named even when every hash was restated."""
    opened.change(lambda db: db.executescript(sql))
    with pytest.raises(PackInvalid, match=reason) as caught:
        opened.verify(deep=False)
    assert COMPACT_FTS5_PATH in caught.value.message or TEXTS_PATH in caught.value.message


def test_a_false_hash_is_found_deep_and_at_reading(opened: Opened) -> None:
    """Intent: a passage is never shown that has not the hash it was published with."""

    def lie(db: sqlite3.Connection) -> None:
        (records,) = db.execute("SELECT records FROM passage_records").fetchone()
        db.execute("UPDATE passage_records SET records = ?", (records[:16] + bytes(16) + records[32:],))

    opened.change(lie)
    opened.verify(deep=False)
    with pytest.raises(PackInvalid, match="passage 1 does not match"):
        opened.verify()
    source = opened.source()
    with pytest.raises(DocumentCorrupt):
        source.passages([0])
    assert source.passages([1])[0].row == 1
    source.close()


def test_bytes_between_members_are_refused(opened: Opened) -> None:
    """Intent: no byte of a pack is outside what is checked: padding, dates, attributes."""
    good = opened.pack.read_bytes()
    central = good.rfind(b"PK\x05\x06")
    for place in (12, 500, 60_000, central - 60, central + 4, len(good) - 1):
        data = bytearray(good)
        data[place] ^= 1
        opened.pack.write_bytes(data)
        with pytest.raises(PackInvalid):
            opened.verify()


def test_damage_under_true_hashes_never_escapes(opened: Opened) -> None:
    """Intent: a hostile index that passes as published ends in typed errors, whatever is asked of it."""
    good = opened.fts5.read_bytes()
    with zipfile.ZipFile(opened.pack) as old:
        manifest, texts = json.loads(old.read("manifest.json")), old.getinfo(TEXTS_PATH)
    with closing(PackArchive(opened.pack)) as archive:
        packed = b"".join(archive.raw(TEXTS_PATH))
    rng = random.Random(7)
    for _ in range(60):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 30)):
            data[rng.randrange(100, len(data))] = rng.randrange(256)
        opened.fts5.write_bytes(data)
        opened.restate(manifest, texts, packed)
        with suppress(CairnError):
            opened.verify()
        with suppress(CairnError, sqlite3.DatabaseError), closing(opened.source()) as source:
            for query in (LexicalQuery(("water", "boil", "水", "烧开")), LexicalQuery((), ("rolling boil",))):
                with suppress(CairnError):
                    source.passages([hit.row for hit in source.search_words(query, 40)])
            with suppress(CairnError):
                source.document("boiling-water")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.binary(min_size=1, max_size=3 * BLOCK // 2), min_size=1, max_size=5),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8),
)
def test_any_span_of_the_texts_reads_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, texts: list[bytes], spans: list[tuple[float, float]]
) -> None:
    """Intent: blocks lose nothing, wherever a span begins or ends."""
    whole = b"".join(texts)
    packed = BytesIO()
    solid = SolidWriter(packed)
    for text in texts:
        solid.add(text)
    solid.finish()
    path = tmp_path_factory.mktemp("solid") / "x.zip"
    with path.open("wb") as file:
        writer = ZipWriter(file)
        writer.add_packed("t", packed, solid.crc, solid.bytes)
        writer.finish()
    with zipfile.ZipFile(path) as archive:
        assert archive.read("t") == whole
    with closing(PackArchive(path)) as opened:
        reader = SolidTexts(opened, "t", solid.ends.tobytes())
        assert b"".join(reader.pieces()) == whole
        assert list(cut_at(opened.stream("t"), map(len, texts))) == texts
        for a, b in spans:
            start = int(a * len(whole))
            length = int(b * (len(whole) - start))
            assert reader.read(start, length) == whole[start : start + length]
        with pytest.raises(PackInvalid, match="beyond its end"):
            reader.read(len(whole), 1)
        for ends in (array("I"), array("I", [*solid.ends[:-1], solid.ends[-1] + 1])):
            with pytest.raises(PackInvalid):
                SolidTexts(opened, "t", ends.tobytes())
