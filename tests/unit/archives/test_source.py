"""An archive as a source: passages of the best articles, title-only fallback, stable rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from cairn.errors import DocumentNotFound
from cairn.index.types import LexicalQuery
from cairn.sources.archives import titles
from cairn.sources.archives.reader import BytesReader, FileReader
from cairn.sources.archives.source import FULL_TEXT, PER_ARTICLE, TITLE_ONLY, ArchiveSource
from cairn.sources.types import Source
from tests.unit.archives.synthetic import Item, database, zim


def searched(source: Source, *terms: str, limit: int = 10) -> list[tuple[str, str]]:
    """(document, text) of the passages found."""
    rows = [hit.row for hit in source.search_words(LexicalQuery(terms), limit)]
    return [(passage.document_id, passage.text) for passage in source.passages(rows)]


RAY, HELP = "ray_charles_maxi_2023-09.zim", "C/libreoffice/help"


@pytest.mark.parametrize(
    ("archive", "terms", "document", "words"),
    [
        (RAY, "ray charles glaucoma blinded", "A/Ray_Charles", "glaucoma"),
        ("foldoc_en.zim", "konrad zuse", "C/foldoc/konrad zuse", "Plankalkül"),
        ("lo_de.zim", "formeln neu berechnen", f"{HELP}/de/text/scalc/01/06080000.html", "F9"),
        ("lo_ja.zim", "ページ 番号", f"{HELP}/ja/text/swriter/guide/pagenumbers.html", "ページ番号"),
    ],
)
def test_questions_find_their_passage(
    zim_folder: Path, archive: str, terms: str, document: str, words: str
) -> None:
    """Intent: the article that answers is among the first, with the passage that has the words."""
    source = ArchiveSource(FileReader(zim_folder / archive))
    assert source.mode == FULL_TEXT
    found = searched(source, *terms.split())
    assert any(path == document and words in text for path, text in found[:6]), [p for p, _ in found]
    assert len({path for path, _ in found}) * PER_ARTICLE >= len(found)


def test_words_that_no_article_has_together(zim_folder: Path) -> None:
    """Intent: libzim would find nothing; the rare words decide."""
    source = ArchiveSource(FileReader(zim_folder / "foldoc_en.zim"))
    found = searched(source, "plankalkul", "zuse", "bicycle", "nosuchword")
    assert found
    assert "Zuse" in found[0][1]


def test_rows_ids_and_documents_fit_together(zim_folder: Path) -> None:
    """Intent: a citation made today opens tomorrow, and its passage is in the document."""
    path = zim_folder / "ray_charles_maxi_2023-09.zim"
    first, second = ArchiveSource(FileReader(path)), ArchiveSource(FileReader(path))
    hits = first.search_words(LexicalQuery(("atlantic", "records")), 8)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.row))
    passages = first.passages([hit.row for hit in hits])
    assert second.passages([passage.row for passage in passages]) == passages
    for passage in passages:
        document = second.document(passage.document_id)
        assert passage.text in document.text
        assert passage.passage_id.startswith(f"{document.document_id}:")
        assert (passage.source_id, passage.language) == (first.id, "eng")
    assert first.document("A/Ray_charles").document_id == "A/Ray_Charles"


def test_exclusions_phrases_and_nothing(zim_folder: Path) -> None:
    """Intent: the query contract of the port."""
    source = ArchiveSource(FileReader(zim_folder / "jargon_none.zim"))
    assert source.search_words(LexicalQuery(), 5) == []
    assert source.search_words(LexicalQuery(("xyzzyplughnothing",)), 5) == []
    hits = source.search_words(LexicalQuery(("foobar",), ("magic smoke",), ("metasyntactic",)), 9)
    assert hits
    assert all("metasyntactic" not in p.text.lower() for p in source.passages([h.row for h in hits]))
    assert source.search_vector([], 5) == []  # type: ignore[arg-type]


def test_without_an_index_titles_are_searched(zim_folder: Path) -> None:
    """Intent: say so (mode), and find by titles."""
    source = ArchiveSource(FileReader(zim_folder / "suite/withns/wikibooks_be_all_nopic_2017-02.zim"))
    assert source.mode == TITLE_ONLY
    assert source.problem is None
    found = searched(source, "эспэранта", "прыназоўнік")
    assert any("прыназоўнік" in text.lower() for _, text in found)


def test_titles_and_redirects_count(stemmers: None) -> None:
    """Intent: an article is found by the name of a redirect, which no full-text index has."""
    texts = {"Wells": "<h1>Wells</h1><p>How deep to dig for it.</p>", "Other": "<p>Nothing of the kind.</p>"}
    full = database(
        {"deep": [(1, 1)], "noth": [(2, 1)]}, {1: 6, 2: 4}, {1: "C/Wells", 2: "C/Other"}, {"language": "eng"}
    )
    items = [Item("C", path, text.encode()) for path, text in texts.items()]
    items += [
        Item("X", "fulltext/xapian", full, mime="application/octet-stream+xapian"),
        Item("C", "Boreholes", target=("C", "Wells")),
        Item("M", "Title", b"Tiny"), Item("M", "Language", b"eng"),
    ]  # fmt: skip
    source = ArchiveSource(BytesReader(zim(items, titles=True)))
    assert (source.title, source.language, source.mode) == ("Tiny", "eng", FULL_TEXT)
    assert searched(source, "deep")[0][0] == "C/Wells"
    assert source.document("Boreholes").document_id == "C/Wells"
    for path in ("Nowhere", "M/Titel"):
        with pytest.raises(DocumentNotFound):
            source.document(path)
    with pytest.raises(DocumentNotFound):
        source.passages([source.archive.required("Wells").index << 12 | 99])


def test_a_compressed_index_is_no_index() -> None:
    """Intent: libzim refuses it too; titles are searched instead."""
    from cairn.sources.archives.decoding import ZSTD
    from tests.unit.archives import synthetic

    items = [Item("C", "Wells", b"<p>dig</p>"), Item("X", "fulltext/xapian", b"x" * 4096)]
    none = synthetic.NONE
    synthetic.NONE = ZSTD
    try:
        data = zim(items, codec=ZSTD, titles=True)
    finally:
        synthetic.NONE = none
    source = ArchiveSource(BytesReader(data))
    assert (source.mode, source.problem) == (TITLE_ONLY, None)
    assert searched(source, "wells")[0][0] == "C/Wells"


def test_one_damaged_article_does_not_silence_the_others(zim_folder: Path) -> None:
    """Intent: a bad cluster costs its articles, not the search."""
    data = bytearray((zim_folder / "lo_de.zim").read_bytes())
    whole = ArchiveSource(BytesReader(bytes(data)))
    query = LexicalQuery(("formel", "zelle"))
    hit = whole.passages([whole.search_words(query, 1)[0].row])[0]
    entry = whole.archive.required(hit.document_id)
    start = whole.archive.pointer_of_cluster(entry.cluster)
    data[start + 1 : start + 40] = b"\xaa" * 39
    broken = ArchiveSource(BytesReader(bytes(data)))
    broken.search_words(query, 10)
    assert broken.problem is not None


def indexed(terms: dict[str, list[tuple[int, int]]], *titles: str) -> ArchiveSource:
    """An archive with a full-text index in English and these articles."""
    lengths = dict.fromkeys(range(1, len(titles) + 1), 10)
    paths = {number: f"C/{title}" for number, title in enumerate(titles, 1)}
    glass = database(terms, lengths, paths, {"language": "en"})
    items = [Item("C", title, f"<p>About {title.lower()}.</p>".encode(), title) for title in titles]
    return ArchiveSource(BytesReader(zim([*items, Item("X", "fulltext/xapian", glass)], titles=True)))


def test_an_index_made_with_another_stemmer_is_still_found_by_its_words() -> None:
    """Intent: libzim finds nothing there; a question must not lose the article for its spelling."""
    terms = {"adding": [(1, 1)], "boat": [(2, 1)]}
    index = indexed(terms, "Adding", "Boat")._full_text
    assert index is not None
    assert [hit.path for hit in index.search_any("adding", 5).found] == ["C/Adding"]
    assert [hit.path for hit in index.search_any("boats", 5).found] == ["C/Boat"]
    assert index.search("adding", 5).found == []


def test_titles_for_every_key_of_a_large_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: in a list of millions the beginning of titles is looked up; suggestions when it is rare."""
    source = indexed({}, *(f"Lamp {number}" for number in range(9)), "A lamp")
    asked: list[str] = []
    monkeypatch.setattr(source.titles, "suggest", lambda text, limit: asked.append(text) or [])
    assert len(source.titles.while_typing("lamp", 4)) == 4
    assert asked == ["lamp"]
    monkeypatch.setattr(titles, "MANY_TITLES", 5)
    found = source.titles.while_typing("lamp", 4)
    assert [hit.path for hit in found] == ["C/Lamp 0", "C/Lamp 1", "C/Lamp 2", "C/Lamp 3"]
    assert asked == ["lamp"]
    assert [hit.path for hit in source.titles.while_typing("lamp 8", 4)] == ["C/Lamp 8"]
    assert asked == ["lamp", "lamp 8"]
