"""Real archives against facts, golden results of libzim, and libzim itself where it is installed."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pytest

from cairn.errors import ArchiveInvalid, ArchiveUnsupported, CairnError
from cairn.sources.archives.checking import faults, verify_checksum
from cairn.sources.archives.container import Archive
from cairn.sources.archives.fulltext import FullText, open_full_text
from cairn.sources.archives.listing import TitleListing, random_entry
from cairn.sources.archives.metadata import counts, illustration, metadata
from cairn.sources.archives.reader import BytesReader, FileReader, JoinedReader, SliceReader
from cairn.sources.archives.splits import order_parts
from cairn.sources.archives.titles import Titles
from tests.unit.archives import make_golden

NEW, OLD = "suite/noTitleListingV0", "suite/withns"
# name: entries, titles listed, MIME types counted, new namespaces, full text, language, main page
FACTS = {
    "foldoc_en.zim": (15006, 14995, {"text/html": 11781}, True, True, "en", ""),
    "jargon_none.zim": (2318, 2306, {"text/html": 2306}, True, True, "eng", "C/jargon/foo"),
    "lo_de.zim": (2572, 2561, {"text/html": 2561}, True, True, "deu", ""),
    "lo_fr.zim": (2572, 2561, {"text/html": 2561}, True, True, "fra", ""),
    "lo_ja.zim": (2572, 2561, {"text/html": 2561}, True, True, "jpn", ""),
    "ray_charles_maxi_2023-09.zim": (
        531, 335, {"text/html": 139, "image/webp": 145}, False, True, "eng", "A/index",
    ),
    f"{NEW}/small.zim": (16, 1, {"text/html": 1, "image/png": 1}, True, False, "eng", "C/main.html"),
    f"{OLD}/small.zim": (17, 1, {"text/html": 1, "image/png": 1}, False, True, "=en", "A/main.html"),
    f"{NEW}/wikibooks_be_all_nopic_2017-02.zim": (
        123, 66, {"text/html": 66}, True, True, "bel", "C/Першая_старонка.html",
    ),
    f"{OLD}/wikibooks_be_all_nopic_2017-02.zim": (
        118, 70, {"text/html": 66}, False, False, "bel", "A/Першая_старонка.html",
    ),
    "crafted/empty.zim": (0, 0, {}, False, False, "", ""),
}  # fmt: skip
# Faults of openZIM's suite: found when the archive is opened, or by the thorough check.
AT_OPEN = (
    "bad_mimetype_list", "invalid_checksumpos", "invalid_mimelistpos", "outofbounds_clusterptrpos",
    "outofbounds_first_clusterptr", "outofbounds_first_direntptr", "outofbounds_last_direntptr",
    "outofbounds_titleptrpos", "outofbounds_urlptrpos", "smaller_than_header", "nonsorted_dirent_table",
)  # fmt: skip


def opened(path: Path) -> Archive:
    return Archive(FileReader(path))


def golden(stem: str) -> dict[str, list[list[object]]]:
    path = Path(__file__).with_name("golden") / f"{stem}.json"
    found: dict[str, list[list[object]]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def numbers(archive: Archive, found: list[object]) -> list[int]:
    entries = [archive.lookup(hit.path[:1], hit.path[2:]) for hit in found]  # type: ignore[attr-defined]
    return [entry.index for entry in entries if entry is not None]


def full_text(archive: Archive) -> FullText:
    index, problem = open_full_text(archive)
    assert index is not None, problem
    return index


@pytest.mark.parametrize("name", FACTS)
def test_facts(zim_folder: Path, name: str) -> None:
    """Intent: one line of expected facts per archive."""
    entries, listed, mimes, new, indexed, language, main = FACTS[name]
    archive = opened(zim_folder / name)
    titles = TitleListing(archive)
    counted = counts(archive)
    page = archive.main_page()
    assert len(archive) == entries
    assert len(titles) == listed
    assert {mime: counted[mime] for mime in mimes} == mimes
    assert archive.header.new_namespaces == new
    assert open_full_text(archive) == (None, None) if not indexed else full_text(archive).documents > 0
    assert metadata(archive, "Language") == language
    assert (archive.resolve(page).full_path if page else "") == main
    assert [entry.title for entry in titles] == sorted(
        (entry.title for entry in titles), key=lambda title: title.encode()
    )
    if entries:
        verify_checksum(archive)
        assert list(faults(archive)) == []
        entry = random_entry(archive, titles)
        assert entry is not None
        assert archive.read(entry)


def test_a_picture_where_there_is_one(zim_folder: Path) -> None:
    """Intent: the library shows the archive's own picture."""
    for name in ("ray_charles_maxi_2023-09.zim", f"{NEW}/small.zim", f"{OLD}/small.zim"):
        assert illustration(opened(zim_folder / name)).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", make_golden.ENTRIES)
def test_every_entry_is_byte_equal(zim_folder: Path, name: str) -> None:
    """Intent: numbers, titles, MIME types and bytes of all entries are those libzim gives."""
    wanted = golden("entries")[name]
    archive = opened(zim_folder / name)
    total = hashlib.sha256()
    for entry in archive:
        total.update(f"{entry.index}\0{entry.title}\0".encode("utf-8", "surrogateescape"))
        total.update(f"{archive.mime_type(entry)}\0".encode())
        total.update(hashlib.sha256(archive.read(entry)).digest())
    assert {"count": len(archive), "sha256": total.hexdigest()} == wanted


def throws_in_xapian(query: str, theirs: list[int]) -> bool:
    """Xapian's parser throws on some queries where CJK meets other words, and libzim shows nothing."""
    cjk, latin = (char > "\u2e80" for char in query), (c.isascii() and c.isalnum() for c in query)
    return not theirs and any(cjk) and any(latin)


def test_rankings_equal_the_golden_ones(zim_folder: Path) -> None:
    """Intent: order of the top 10 equal to libzim on >= 99.5 % of >= 500 queries."""
    equal = total = 0
    misses = []
    for name, queries in golden("rankings").items():
        archive = opened(zim_folder / name)
        index = full_text(archive)
        for query, theirs in queries:
            assert isinstance(query, str)
            assert isinstance(theirs, list)
            ours = numbers(archive, list(index.search(query, 10).found))
            total += 1
            if ours == theirs or throws_in_xapian(query, theirs):
                equal += 1
            else:
                misses.append((name, query, theirs, ours))
    assert total >= 500
    assert equal / total >= 0.995, misses


def test_suggestions_equal_the_golden_ones(zim_folder: Path) -> None:
    """Intent: >= 98 %; Xapian breaks ties among the 100 commonest expansions as its sort happens to."""
    equal = total = 0
    misses = []
    for name, queries in golden("suggestions").items():
        archive = opened(zim_folder / name)
        titles = Titles(archive)
        for text, theirs in queries:
            assert isinstance(text, str)
            ours = numbers(archive, list(titles.suggest(text, 10)))
            total += 1
            equal += ours == theirs
            if ours != theirs:
                misses.append((name, text, theirs, ours))
    assert total >= 300
    assert equal / total >= 0.98, misses


@pytest.mark.parametrize("name", make_golden.RANKED)
def test_rankings_equal_libzim_live(zim_folder: Path, name: str) -> None:
    """Intent: fresh queries against the oracle, where it is installed."""
    libzim = pytest.importorskip("libzim.reader")
    oracle = libzim.Archive(zim_folder / name)
    archive = opened(zim_folder / name)
    index, titles = full_text(archive), Titles(archive)
    dice = random.Random()
    articles = make_golden.texts(oracle)
    wrong = []
    for query in make_golden.draw_queries(articles, 60, dice):
        theirs = make_golden.search(oracle, query)
        ours = numbers(archive, list(index.search(query, 10).found))
        if ours != theirs and not throws_in_xapian(query, theirs):
            wrong.append((query, theirs, ours))
    assert len(wrong) <= 1, wrong
    typed = make_golden.draw_typed(articles, 60, dice)
    ours_by_text = {text: numbers(archive, list(titles.suggest(text, 10))) for text in typed}
    missed = [text for text, ours in ours_by_text.items() if ours != make_golden.suggest(oracle, text)]
    assert len(missed) <= 4, missed


@pytest.mark.parametrize("variant", [NEW, OLD])
def test_split_sets_are_one_archive(zim_folder: Path, variant: str) -> None:
    """Intent: parts in any order; search works across them; a missing part is a typed error."""
    folder = zim_folder / variant
    names = [path.name for path in folder.glob("*_splitted.zima?")]
    parts = [FileReader(folder / name) for name in order_parts(sorted(names, reverse=True))]
    whole = opened(folder / "wikibooks_be_all_nopic_2017-02.zim")
    split = Archive(JoinedReader(parts))
    assert [split.read(entry) for entry in split] == [whole.read(entry) for entry in whole]
    if variant == NEW:
        assert full_text(split).search("эспэранта", 5) == full_text(whole).search("эспэранта", 5)
    with pytest.raises(ArchiveInvalid):
        Archive(JoinedReader(parts[:-1]))
    with pytest.raises(ArchiveInvalid):
        order_parts([name for name in names if not name.endswith("ab")])


@pytest.mark.parametrize("variant", [NEW, OLD])
def test_an_embedded_archive_is_read_in_place(zim_folder: Path, variant: str) -> None:
    """Intent: an archive may lie inside a larger file."""
    alone = opened(zim_folder / variant / "small.zim")
    whole = FileReader(zim_folder / variant / "small.zim.embedded")
    inside = Archive(SliceReader(whole, 8, alone.reader.size))
    assert [inside.read(entry) for entry in inside] == [alone.read(entry) for entry in alone]


@pytest.mark.parametrize("variant", [NEW, OLD])
def test_an_archive_embedded_in_many_pieces_is_one_address_space(zim_folder: Path, variant: str) -> None:
    """Intent: twenty cuts, some through entries and clusters, with other bytes between the pieces."""
    alone = opened(zim_folder / variant / "small.zim")
    path = zim_folder / variant / "small.zim.embedded.multi"
    between, at = b"NEWSECTIONZIMMULTI", len("BEGINZIMMULTIPART")
    pieces = path.read_bytes()[at : -len("ENDZIMMULTIPART")].split(between)
    assert len(pieces) > 10
    readers = []
    for piece in pieces:
        readers.append(SliceReader(FileReader(path), at, len(piece)))
        at += len(piece) + len(between)
    inside = Archive(JoinedReader(readers))
    verify_checksum(inside)
    assert [inside.read(entry) for entry in inside] == [alone.read(entry) for entry in alone]


def invalid(folder: Path) -> list[Path]:
    return sorted(path for variant in (NEW, OLD) for path in (folder / variant).glob("invalid.*.zim"))


def test_deliberately_broken_archives_are_recognised(zim_folder: Path) -> None:
    """Intent: every fault of openZIM's suite is a typed error with a next step."""
    assert len(invalid(zim_folder)) == 28
    for path in invalid(zim_folder):
        kind = path.name.split(".")[1]
        try:
            archive = opened(path)
        except (ArchiveInvalid, ArchiveUnsupported) as error:
            assert error.hint
            assert kind in AT_OPEN, path
            continue
        found = list(faults(archive))
        try:
            for entry in archive:
                archive.read(entry)
        except CairnError as error:
            found.append(error.message)
        assert found, path


def test_crafted_corner_cases(zim_folder: Path) -> None:
    """Intent: loops, dead ends and obsolete compression, as found in the wild."""
    folder = zim_folder / "crafted"
    extended = opened(folder / "extended.zim")
    assert all(extended.read(entry) for entry in extended if not entry.is_redirect)
    broken = {"loop": ArchiveInvalid, "badredirect": ArchiveInvalid, "zlib": ArchiveUnsupported}
    for name, kind in broken.items():
        archive = opened(folder / f"{name}.zim")
        wrong = 0
        for entry in archive:
            try:
                archive.read(entry)
            except kind as error:
                wrong += 1
                assert error.hint
        assert wrong


def test_old_databases_leave_titles(zim_folder: Path) -> None:
    """Intent: an index that cannot be read is no reason not to open the archive."""
    data = (zim_folder / OLD / "small.zim").read_bytes()
    archive = Archive(BytesReader(data.replace(b"Xapian Glass", b"Xapian Chert")))
    index, problem = open_full_text(archive)
    assert index is None
    assert isinstance(problem, ArchiveUnsupported)
    assert [hit.path for hit in Titles(archive).suggest("Test", 3)] == ["A/main.html"]
