"""The keyword index: what is found, in which order, and that no input breaks it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from cairn.errors import DocumentNotFound, PackInvalid
from cairn.index.lexical import LexicalIndex
from cairn.index.lexical_query import match_expression
from cairn.index.lexical_schema import COLUMN_NAMES, METADATA_KEYS, schema_fault
from cairn.index.lexical_writer import LexicalWriter
from cairn.index.types import LexicalQuery
from cairn.passages.ids import passage_id, passage_sha256
from cairn.passages.types import Passage

METADATA = dict.fromkeys(METADATA_KEYS, "1")
TEXTS = [
    ("water", "Boiling water", "Water", "Heat", "Boil the water for one minute. Don't drink it hot."),
    ("water", "Boiling water", "Water", "Storage", "Keep water in a clean can. Calefacción apagada."),
    ("zh", "止血", "急救", "方法", "用力压住伤口，止血方法很多。"),
    ("hi", "पानी उबालना", "जल", "विधि", "पानी को एक मिनट तक उबालें।"),
    ("fire", "Fire", "Fire", "Tinder", "Dry tinder burns. Water puts fire out."),
]


def passage(row: int, document: str, title: str, collection: str, locator: str, text: str) -> Passage:
    sha = passage_sha256(text)
    return Passage(
        passage_id(document, locator, sha, 0), document, "test", title, "eng", collection, "CC0-1.0",
        locator, text, sha, 12, row, row,
    )  # fmt: skip


def write(path: Path, texts: list[tuple[str, str, str, str, str]] = TEXTS) -> Path:
    writer = LexicalWriter(str(path))
    for row, text in enumerate(texts):
        writer.add(passage(row, *text), source_url="https://example.org/", reader_url=f"/r?{row}")
    assert writer.finish(METADATA) == len(texts)
    return path


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    """Opened as packs are: read-only and immutable."""
    path = write(tmp_path / "index.sqlite3")
    db = sqlite3.connect(f"file:{path.as_posix()}?immutable=1&mode=ro", uri=True, isolation_level=None)
    yield LexicalIndex(db, "test")
    db.close()


def rows(index: LexicalIndex, *terms: str, phrases: tuple[str, ...] = (), excluded: tuple[str, ...] = ()
         ) -> list[int]:  # fmt: skip
    hits = index.search(LexicalQuery(terms, phrases, excluded), 10)
    assert all(a.score >= b.score for a, b in pairwise(hits))
    return [hit.row for hit in hits]


def test_finds_words_in_every_script(index: LexicalIndex) -> None:
    """Intent: a word, a CJK gram, a Hindi word and an unaccented word all find their passage."""
    assert rows(index, "minute") == [0]
    assert rows(index, "止血") == [2]
    assert rows(index, "伤口") == [2]
    assert rows(index, "उबालें") == [3]
    assert rows(index, "calefaccion") == [1]
    assert rows(index, "don't") == [0]


def test_title_outweighs_body(index: LexicalIndex) -> None:
    """Intent: FORMATS 1.3, weights 7, 2, 4, 1, 0.6: a title match comes before a mention."""
    assert rows(index, "fire")[0] == 4
    assert rows(index, "water")[-1] == 4
    assert set(rows(index, "water")) == {0, 1, 4}


def test_equal_scores_keep_row_order(tmp_path: Path) -> None:
    """Intent: the same question gives the same order, everywhere."""
    path = write(tmp_path / "same.sqlite3", [("d", "Same", "C", "L", "same words here")] * 5)
    db = sqlite3.connect(path, isolation_level=None)
    assert [hit.row for hit in LexicalIndex(db, "t").search(LexicalQuery(("same",)), 3)] == [0, 1, 2]
    db.close()


def test_phrases_and_exclusions(index: LexicalIndex) -> None:
    """Intent: a phrase is required as adjacent words, an excluded word never matches."""
    assert rows(index, phrases=("boil the water",)) == [0]
    assert rows(index, phrases=("water the boil",)) == []
    assert rows(index, "clean", phrases=("water",))[0] == 1
    assert set(rows(index, "clean", phrases=("water",))) == {0, 1, 4}
    assert set(rows(index, "water", excluded=("fire",))) == {0, 1}
    assert rows(index, phrases=("止血方法",)) == [2]
    assert rows(index, excluded=("fire",)) == []


HOSTILE = [
    "", " ", "*", "-", '"', '""', '"a" OR NEAR(', "NEAR(a b, 2)", "a AND", "^a", "body:water", "{title}: a",
    "water*", "😀", "😀😀", "\x00", "water\x00boil", "()", "'; DROP TABLE passages; --", "\ud800", "a\ud800b",
    "a" * 10_000, "\u0301", "‮", "%", "\\", "+", "a + b", "—",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_input_raises(index: LexicalIndex, text: str) -> None:
    """Intent: FTS5 syntax, emoji and rubbish are words or nothing, never an error."""
    for query in (
        LexicalQuery((text,)),
        LexicalQuery((), (text,)),
        LexicalQuery(("water", text), (text,), (text,)),
        LexicalQuery((text,) * 500),
        LexicalQuery(tuple(text)),
    ):
        index.search(query, 5)
    index.document_frequency([text, "water"])


def test_many_terms_and_limits(index: LexicalIndex) -> None:
    """Intent: a 10,000-character question is cut, a limit is kept."""
    terms = tuple(f"word{n}" for n in range(3000))
    assert index.search(LexicalQuery(terms), 5) == []
    assert len(match_expression(LexicalQuery(terms)).split(" OR ")) == 128
    assert len(index.search(LexicalQuery(("water",)), 2)) == 2
    assert index.search(LexicalQuery(("water",)), 0) == []


def test_passages_in_the_order_asked(index: LexicalIndex) -> None:
    """Intent: ranking decides the order, not the database."""
    found = index.passages([4, 0])
    assert [item.row for item in found] == [4, 0]
    assert found[1] == passage(0, *TEXTS[0])
    with pytest.raises(DocumentNotFound):
        index.passages([99])


def test_document_frequency(index: LexicalIndex) -> None:
    """Intent: common words are known to be common, in the tokenizer's own terms."""
    frequency = index.document_frequency(["water", "WATER", "minute", "nothing", "don't", "उबालें", "😀"])
    assert frequency["water"] == frequency["WATER"] == 3
    assert frequency["minute"] == 1
    assert frequency["nothing"] == frequency["😀"] == 0
    assert frequency["don't"] == 1 and frequency["उबालें"] >= 1
    assert index.document_frequency(["calefacción"]) == {"calefacción": 1}
    assert index.passage_count == 5


def test_rows_of_a_document(index: LexicalIndex, tmp_path: Path) -> None:
    """Intent: the reader marks a passage by its document's rows, also in a published pack."""
    assert index.document_rows("water") == range(2)
    assert index.document_rows("fire") == range(4, 5)
    assert not index.document_rows("none")
    path = write(tmp_path / "published.sqlite3")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TABLE passage_ranges")
    published = LexicalIndex(db, "t")
    assert published.document_rows("water") == range(2)
    assert not schema_fault(db)
    db.close()


def test_same_passages_same_bytes(tmp_path: Path) -> None:
    """Intent: packs are reproducible."""
    assert write(tmp_path / "a").read_bytes() == write(tmp_path / "b").read_bytes()


def test_rows_must_be_consecutive(tmp_path: Path) -> None:
    """Intent: vector rows and FTS rows can never shift against each other."""
    writer = LexicalWriter(str(tmp_path / "x"))
    with pytest.raises(ValueError, match="does not follow"):
        writer.add(passage(3, *TEXTS[0]), source_url="", reader_url="")


def test_schema_faults_are_named(tmp_path: Path) -> None:
    """Intent: a database with a trigger, a view, other columns or options is refused."""

    def fault(statement: str) -> str:
        path = tmp_path / "f.sqlite3"
        path.unlink(missing_ok=True)
        db = sqlite3.connect(write(path))
        db.executescript(statement)
        found = schema_fault(db)
        db.close()
        return found

    assert fault("SELECT 1") == ""
    assert "trigger" in fault("CREATE TRIGGER t AFTER INSERT ON corpus_metadata BEGIN SELECT 1; END")
    assert "view" in fault("CREATE VIEW v AS SELECT 1")
    assert "table extra" in fault("CREATE TABLE extra(a)")
    assert "lacks" in fault("DROP TABLE corpus_metadata")
    assert "not an FTS5" in fault("DROP TABLE passages; CREATE TABLE passages(a)")
    columns = ", ".join(COLUMN_NAMES)
    tokenize = "tokenize = 'unicode61 remove_diacritics 2'"
    assert "columns" in fault(f"DROP TABLE passages; CREATE VIRTUAL TABLE passages USING fts5(a, {tokenize})")
    assert "options" in fault(
        f"DROP TABLE passages; CREATE VIRTUAL TABLE passages USING fts5({columns}, detail=none, {tokenize})"
    )


def test_a_broken_database_is_named(tmp_path: Path) -> None:
    """Intent: corrupt pages end as a typed error, not as sqlite3's."""
    path = write(tmp_path / "broken.sqlite3")
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    db = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(PackInvalid, match="keyword index"):
        LexicalIndex(db, "t").search(LexicalQuery(("water",)), 5)
    db.close()
