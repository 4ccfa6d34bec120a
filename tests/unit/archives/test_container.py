"""The ZIM container, on archives made here: every shape and every fault of FORMATS 2.1 and 2.8."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.errors import ArchiveInvalid, ArchiveUnsupported, CairnError, DocumentNotFound
from cairn.sources.archives import cluster as clusters
from cairn.sources.archives.checking import faults, verify_checksum
from cairn.sources.archives.container import Archive
from cairn.sources.archives.decoding import XZ, ZSTD
from cairn.sources.archives.listing import TitleListing, random_entry
from cairn.sources.archives.metadata import counts, illustration, metadata, parse_counter
from cairn.sources.archives.reader import BytesReader, FileReader, JoinedReader, SliceReader
from tests.unit.archives.synthetic import EXTENDED, NONE, Item, zim

TEXTS = {f"page{n}": (f"<p>page {n} " + "word " * n * 50).encode() for n in range(30)}
ITEMS = [
    *[Item("C", path, data, title=path.title()) for path, data in TEXTS.items()],
    Item("C", "ünï/a b", b"unicode"),
    Item("C", "old", target=("C", "hop")),
    Item("C", "hop", target=("C", "page3")),
    Item("M", "Title", "Täst".encode(), mime="text/plain"),
    Item("M", "Counter", b"text/html=30;text/html;raw=true=2", mime="text/plain"),
    Item("W", "mainPage", target=("C", "page7")),
    Item("C", "loop", target=("C", "pool")),
    Item("C", "pool", target=("C", "loop")),
    Item("C", "self", target=("C", "self")),
    Item("C", "nowhere", target=("C", "missing")),
]


def opened(data: bytes) -> Archive:
    return Archive(BytesReader(data))


@pytest.mark.parametrize("codec", [0, NONE, XZ, ZSTD, NONE | EXTENDED, XZ | EXTENDED, ZSTD | EXTENDED])
def test_every_entry_comes_back_whatever_the_compression(codec: int) -> None:
    """Intent: none, xz and zstd, offsets of 4 and 8 bytes."""
    archive = opened(zim(ITEMS, codec=codec))
    for path, data in TEXTS.items():
        entry = archive.required(path)
        assert archive.read(entry) == data
        assert archive.length(entry) == len(data)
        assert archive.mime_type(entry) == "text/html"
        place = archive.place(entry)
        assert (place is not None) == (codec & 15 in (0, 1))
        if place:
            assert archive.reader.read(place.offset, place.length) == data
    assert list(faults(archive)) == []
    verify_checksum(archive)


def test_paths_are_found_as_links_write_them() -> None:
    """Intent: with and without namespace, leading slash, non-ASCII, and no false friends."""
    archive = opened(zim(ITEMS))
    for path in ("page3", "C/page3", "/page3", "A/page3"):
        found = archive.find(path)
        assert found is not None
        assert found.full_path == "C/page3"
    assert archive.required("ünï/a b").title == "ünï/a b"
    assert archive.required("M/Title").namespace == "M"
    for path in ("", "page", "page33", "C/", "X/page3x", "/"):
        assert archive.find(path) is None
    with pytest.raises(DocumentNotFound, match="no page"):
        archive.required("page33")


def test_old_namespaces() -> None:
    """Intent: A, I, J and - as libzim tries them."""
    picture = Item("I", "pic.png", b"picture", mime="image/png")
    items = [Item("A", "x", b"article"), picture, Item("-", "s", b"css")]
    archive = opened(zim(items, minor=0, titles=True))
    for path, data in (("x", b"article"), ("A/x", b"article"), ("pic.png", b"picture"), ("s", b"css")):
        assert archive.read(archive.required(path)) == data
    assert archive.find("I/x") is None
    assert [entry.path for entry in TitleListing(archive)] == ["x"]


def test_redirects_end_or_say_why_not() -> None:
    """Intent: chains are followed; loops and dead ends are one typed error."""
    archive = opened(zim(ITEMS))
    assert archive.read(archive.required("old")) == TEXTS["page3"]
    main = archive.main_page()
    assert main is not None
    assert archive.resolve(main).path == "page7"
    for path in ("loop", "self", "nowhere"):
        with pytest.raises(ArchiveInvalid):
            archive.read(archive.required(path))


def test_a_long_chain_of_redirects_is_cut() -> None:
    """Intent: the hop limit holds without a loop."""
    items = [Item("C", f"r{n:03}", target=("C", f"r{n + 1:03}")) for n in range(80)]
    archive = opened(zim([*items, Item("C", "r080", b"end")]))
    assert archive.read(archive.required("r040")) == b"end"
    with pytest.raises(ArchiveInvalid):
        archive.read(archive.required("r000"))


def test_metadata_counter_and_picture() -> None:
    """Intent: what the library page shows; absent parts are empty, not errors."""
    archive = opened(zim(ITEMS))
    assert metadata(archive, "Title") == "Täst"
    assert metadata(archive, "Licence") == ""
    assert counts(archive) == {"text/html": 30, "text/html;raw=true": 2}
    assert illustration(archive) == b""
    assert parse_counter("image/png=3;text/html;raw=true;charset=utf-8=7;;x=1;text/css=2") == {
        "image/png": 3, "text/html;raw=true;charset=utf-8": 7, "text/css": 2,
    }  # fmt: skip


def listing(*numbers: int) -> Item:
    data = b"".join(number.to_bytes(4, "little") for number in numbers)
    return Item("X", "listing/titleOrdered/v1", data, mime="application/octet-stream+zimlisting")


def test_titles_come_from_v1_else_the_header_else_nowhere() -> None:
    """Intent: FORMATS 2.1's choice; an empty v1 is a list without titles."""
    titles_by_path = {"b": "Apple", "a": "Berry", "c": "apple pie"}
    plain = [Item("C", path, title=title) for path, title in titles_by_path.items()]
    with_v1 = TitleListing(opened(zim([*plain, listing(1, 0)])))
    assert [entry.title for entry in with_v1] == ["Apple", "Berry"]
    from_header = TitleListing(opened(zim([*plain, Item("M", "Title", b"x")], titles=True)))
    assert [entry.title for entry in from_header] == ["Apple", "Berry", "apple pie"]
    assert [entry.path for entry in from_header.starting_with("App", 5)] == ["b"]
    assert len(from_header.starting_with("", 2)) == 2
    assert from_header.starting_with("zz", 5) == []
    for items in ([*plain, listing()], plain):
        archive = opened(zim(items))
        titles = TitleListing(archive)
        assert len(titles) == 0
        assert titles.starting_with("A", 5) == []
        entry = random_entry(archive, titles)
        assert entry is not None
        assert entry.namespace == "C"


def test_an_empty_archive_has_nothing_and_says_so() -> None:
    """Intent: no entries, no main page, no title, no random article."""
    archive = opened(zim([]))
    assert len(archive) == 0
    assert archive.main_page() is None
    assert archive.find("x") is None
    titles = TitleListing(archive)
    assert random_entry(archive, titles) is None
    assert titles.starting_with("", 3) == []


def patched(offset: int, value: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data[:offset] + value + data[offset + len(value) :]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda data: data[:60], ArchiveInvalid),
        (lambda data: data[:-1], ArchiveInvalid),
        (lambda data: data + b"x", ArchiveInvalid),
        (lambda data: b"PK\3\4" + data[4:], ArchiveInvalid),
        (patched(4, b"\x04\x00"), ArchiveUnsupported),
        (patched(4, b"\x07\x00"), ArchiveUnsupported),
        (patched(32, b"\xff" * 8), ArchiveInvalid),
        (patched(48, b"\xff" * 8), ArchiveInvalid),
        (patched(40, b"\xf0" + b"\xff" * 7), ArchiveInvalid),
        (patched(56, b"\x00" * 8), ArchiveInvalid),
        (patched(24, b"\xff" * 4), ArchiveInvalid),
    ],
)
def test_faults_of_the_header_are_found_at_open(
    change: Callable[[bytes], bytes], kind: type[CairnError]
) -> None:
    """Intent: truncation and nonsense before anything is searched, with a next step."""
    with pytest.raises(kind) as caught:
        opened(change(zim(ITEMS)))
    assert caught.value.hint


@pytest.mark.parametrize("codec", [2, 3])
def test_obsolete_compression_is_named(codec: int) -> None:
    """Intent: zlib and bzip2 were given up: say so instead of guessing."""
    data = zim([Item("C", "x", b"content" * 9)], codec=NONE)
    at = data.index((8).to_bytes(4, "little") + (8 + 63).to_bytes(4, "little") + b"content") - 1
    archive = opened(data[:at] + bytes([codec]) + data[at + 1 :])
    with pytest.raises(ArchiveUnsupported, match=r"zlib|bzip2"):
        archive.read(archive.required("x"))


def test_a_huge_cluster_is_decoded_only_as_far_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: the cap is for what is asked; entries before it are still read."""
    monkeypatch.setattr(clusters, "CLUSTER_CAP", 1_000_000)
    items = [Item("C", "a", b"small"), Item("C", "b", bytes(3_000_000)), Item("C", "c", b"behind")]
    for codec in (ZSTD, XZ):
        archive = opened(zim(items, codec=codec))
        assert archive.read(archive.required("a")) == b"small"
        for path in ("b", "c"):
            with pytest.raises(ArchiveUnsupported):
                archive.read(archive.required(path))


def test_decoded_clusters_are_dropped_by_size() -> None:
    """Intent: the cache is bounded in bytes, and what was dropped is read again."""
    archive = Archive(BytesReader(zim(ITEMS, codec=ZSTD)), cluster_cache=1)
    for _ in range(2):
        assert archive.read(archive.required("page9")) == TEXTS["page9"]
    assert len(archive._clusters._open) == 1


GAP = 5 << 30


def far_away() -> tuple[bytes, bytes]:
    """The head of an archive, and its tail, which lies 5 GiB further on."""
    data = bytearray(zim([Item("C", "x", b"far away" * 5)]))
    cut = data.index(b"\x01\x08\x00\x00\x00")
    pointer = int.from_bytes(data[48:56], "little")
    for position in (32, 48, 72, pointer, pointer + 8):
        value = int.from_bytes(data[position : position + 8], "little")
        data[position : position + 8] = (value + GAP).to_bytes(8, "little")
    return bytes(data[:cut]), bytes(data[cut:])


def check_far_away(archive: Archive) -> None:
    place = archive.place(archive.required("x"))
    assert place is not None
    assert place.offset > 1 << 32
    assert archive.read(archive.required("x")) == b"far away" * 5


def test_offsets_beyond_four_gib() -> None:
    """Intent: no offset is cut to 32 bits; a reader that pretends a gap of 5 GiB is enough."""
    head, tail = far_away()

    class Sparse:
        size = len(head) + GAP + len(tail)

        def read(self, offset: int, length: int) -> bytes:
            whole = bytearray(length)
            for start, part in ((0, head), (len(head) + GAP, tail)):
                for index in range(max(offset, start), min(offset + length, start + len(part))):
                    whole[index - offset] = part[index - start]
            return bytes(whole)

    check_far_away(Archive(Sparse()))


@pytest.mark.skipif(sys.platform == "emscripten", reason="memory is no place for 5 GiB")
def test_a_sparse_file_of_five_gib(tmp_path: Path) -> None:
    """Intent: the same of a real file, split in two parts as well."""
    head, tail = far_away()
    path = tmp_path / "far.zim"
    with path.open("wb") as file:
        file.write(head)
        file.seek(len(head) + GAP)
        file.write(tail)
    check_far_away(Archive(FileReader(path)))
    whole, middle = FileReader(path), 4 << 30
    parts = [SliceReader(whole, 0, middle), SliceReader(whole, middle, whole.size - middle)]
    check_far_away(Archive(JoinedReader(parts)))
