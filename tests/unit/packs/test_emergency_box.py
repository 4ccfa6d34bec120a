"""Emergency Box packs as they are published install and answer, made by code that is not the product's."""

from __future__ import annotations

import hashlib
import struct
from array import array
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.index.types import LexicalQuery
from cairn.index.vectors import quantise
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.passages.words import search_terms
from cairn.sources.packs.install import install, open_installed
from cairn.sources.packs.source import PackSource
from tests.unit.packs.emergency_box import PublishedDocument, PublishedPassage, Vectors, write_published
from tests.unit.packs.helpers import drive, silent

MODEL = ("multilingual-e5-small", "761b726dd34fb83930e26aab4e9ac3899aa1fa78", "q8")


def document(number: int, *texts: str, language: str = "eng") -> PublishedDocument:
    title = f"Sheet {number}"
    passages = tuple(
        PublishedPassage(title, text, search_terms(title, "Water", title, text)) for text in texts
    )
    return PublishedDocument(
        f"sheet-{number}", title, language, "Water", "https://example.org/", "Public domain", passages
    )


DOCUMENTS = (
    document(1, "Boil the water.\n\n", "Let it cool.\n"),
    document(2, "Dry tinder burns. Dry tinder burns.\n\n", "Boil the water.\n"),
    document(3, "把水烧开一分钟，然后放凉。\n", language="zho"),
)


def vectors(count: int) -> Vectors:
    rows, norms = b"", b""
    for number in range(count):
        vector = [0.1] * 32
        vector[number] = 1.0
        values, norm = quantise(vector)
        rows, norms = rows + values, norms + struct.pack("<f", norm)
    return Vectors(rows, norms, 32, MODEL, "made for a test")


def installed(folder: Path, pack: Path) -> PackSource:
    files = DirectoryFiles(folder / "stored")
    return drive(open_installed(files, drive(install(files, LocalFetch(folder), pack.name, silent)).record))


@pytest.mark.parametrize("schema", [1, 2])
def test_both_schemas_install_and_answer(tmp_path: Path, schema: int) -> None:
    """Intent: FORMATS.md part 1, unchanged: indexes unpacked, or built where there are none."""
    pack = tmp_path / "box.zip"
    count = sum(len(each.passages) for each in DOCUMENTS)
    made = vectors(count) if schema == 2 else None
    write_published(pack, DOCUMENTS, schema=schema, vectors=made, scratch=tmp_path)
    source = installed(tmp_path, pack)
    assert source.id == "emergency-box-text" and source.describe()["documents"] == 3
    hits = source.search_words(LexicalQuery(("tinder",)), 5)
    passages = source.passages([hit.row for hit in hits])
    assert [passage.document_id for passage in passages] == ["sheet-2"]
    assert passages[0].sha256 == hashlib.sha256(passages[0].text.encode()).hexdigest()
    assert source.search_words(LexicalQuery((), ("the water",)), 5)
    assert source.search_words(LexicalQuery(("烧开",)), 5)
    assert source.document("sheet-1").text == "Boil the water.\n\nLet it cool.\n"
    if schema == 2:
        assert source.passage_count == count and source.vector_model is not None
        query = array("f", [0.0] * 32)
        query[2] = 1.0
        assert source.search_vector(query, 1)[0].row == 2
    else:
        assert source.vector_model is None
    source.close()


def test_a_changed_word_is_refused(tmp_path: Path) -> None:
    """Intent: the writer's hashes are real ones."""
    pack = tmp_path / "box.zip"
    write_published(pack, DOCUMENTS, scratch=tmp_path)
    data = bytearray(pack.read_bytes())
    data[data.find(b"documents/sheet-1.txt") + 25] ^= 4
    pack.write_bytes(data)
    with pytest.raises(PackInvalid):
        installed(tmp_path, pack)
