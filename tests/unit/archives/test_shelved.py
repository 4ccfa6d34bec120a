"""What a page of an archive is marked by, and what is listed of an archive."""

from __future__ import annotations

import pytest

from cairn.errors import ArchiveAbsent, ArchiveInvalid, ArchiveUnsupported
from cairn.sources.archives import shelved
from cairn.sources.archives.picked import NothingPicked, open_picked
from cairn.sources.archives.reader import BytesReader
from cairn.sources.archives.shelved import ShelvedArchive, pieces
from tests.unit.archives.synthetic import Item, zim
from tests.unit.engine.small_archives import pages, small_archive


def opened(data: bytes | None = None) -> ShelvedArchive:
    return ShelvedArchive(BytesReader(data or small_archive()), name="coast.zim", key="k")


def test_a_passage_is_given_in_pieces_that_stand_in_the_page() -> None:
    """Intent: Markdown of ours must not keep a passage from being found in the HTML."""
    text = "## History\n\nThe Pharos stood.\n\n- Built early\n  - Nested\n\n| Height | 100 m |\n\nLast."
    assert pieces(text) == ["The Pharos stood.", "Built early", "Nested", "Height", "100 m", "Last."]
    assert pieces("## Only a heading") == []


def test_every_passage_of_an_article_can_be_marked() -> None:
    archive = opened()
    document = archive.document("C/Lighthouse")
    for place in archive.locate_passages(document):
        page = archive.read_page("C/Lighthouse", place["id"])
        assert page["marked"] == place["id"] and page["marks"]
    assert archive.read_page("C/Lighthouse", "unknown")["marks"] == []


def test_pages_of_other_kinds_are_named_by_their_kind() -> None:
    items = [*pages(), Item("C", "note.txt", b"plain & <b>simple</b>", mime="text/plain")]
    archive = opened(zim([*items, Item("C", "map.pdf", b"%PDF", mime="application/pdf")], titles=True))
    assert archive.read_page("lamp.png")["kind"] == "image"
    assert archive.read_page("note.txt") | {"kind": "text", "html": "plain & <b>simple</b>"} == (
        archive.read_page("note.txt")
    )
    other = archive.read_page("map.pdf")
    assert (other["kind"], other["html"], other["mime"]) == ("other", "", "application/pdf")


def test_a_resource_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelved, "MOST_RESOURCE", 10)
    with pytest.raises(ArchiveUnsupported):
        opened().resource("lamp.png")


def test_an_archive_without_facts_is_still_listed() -> None:
    archive = opened(zim([Item("C", "A", b"<p>words</p>", "A")], titles=True))
    info = archive.describe()
    assert (info["title"], info["languages"], info["documents"]) == ("Untitled archive", [], 1)
    assert archive.main_path() == "C/A"


def test_what_is_described_cannot_be_changed_from_outside() -> None:
    archive = opened()
    archive.describe()["archive"]["state"] = "failed"
    assert archive.describe()["archive"]["state"] == "open"


def test_nothing_is_picked_where_nobody_can() -> None:
    with pytest.raises(ArchiveAbsent):
        open_picked(NothingPicked(), "key")


def test_a_lone_part_says_what_is_missing() -> None:
    class OnePart(NothingPicked):
        def names(self, key: str) -> list[str]:
            return ["coast.zimab"]

    with pytest.raises(ArchiveInvalid, match="zimaa is missing"):
        open_picked(OnePart(), "key")


def test_a_recorded_web_site_says_what_is_missing() -> None:
    """Intent: pages of zimit need their scripts, which never run here; that is said before reading."""
    page = Item("C", "example.org/", b"<p>words</p>", "A")
    scraper = Item("M", "Scraper", b"warc2zim 2.1.0, zimit 2.0", mime="text/plain")
    assert "recorded web site" in opened(zim([page, scraper], titles=True)).describe()["archive"]["problem"]
    assert opened().describe()["archive"]["problem"] == ""
