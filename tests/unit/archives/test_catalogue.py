"""Catalogue files: what they list, how it is found, and that a hostile one costs one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.errors import ArchiveAbsent, CairnError, CatalogueInvalid
from cairn.native.picked import PickedPaths
from cairn.sources.archives import catalogue
from cairn.sources.archives.catalogue import Catalogue, open_catalogue, read_catalogue

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"
      xmlns:opds="https://specs.opds.io/opds-1.2">
  <id>3c8d</id><title>All Entries</title><updated>2026-03-01T10:00:00Z</updated>
  <entry>
    <id>urn:uuid:1</id><title>Wikipedia</title><updated>2026-02-02T00:00:00Z</updated>
    <summary>The free  encyclopedia</summary><language>eng</language><name>wikipedia_en_all</name>
    <flavour>maxi</flavour><category>wikipedia</category><tags>wikipedia;_ftindex:yes</tags>
    <articleCount>6912345</articleCount><mediaCount>9</mediaCount>
    <link rel="http://opds-spec.org/image/thumbnail" href="/x.png" type="image/png"/>
    <author><name>Wikipedia</name></author><publisher><name>openZIM</name></publisher>
    <dc:issued>2026-01-15T00:00:00Z</dc:issued>
    <link rel="http://opds-spec.org/acquisition/open-access" type="application/x-zim"
          href="https://mirror.example.org/zim/wp_en_maxi_2026-01.zim.meta4" length="115000000000"/>
  </entry>
  <entry>
    <id>urn:uuid:2</id><title>Médecine pour tous</title><summary>Soins &amp; santé, l’encyclopédie</summary>
    <language>fra,eng</language><name>mdwiki_fr</name><dc:rights>CC BY-SA 4.0</dc:rights>
    <updated>2025-06-30T00:00:00Z</updated>
    <link rel="http://opds-spec.org/acquisition" href="javascript:alert(1).zim" length="nan"/>
  </entry>
  <entry><id>urn:uuid:3</id><summary>Has no title</summary></entry>
</feed>"""
LIBRARY = """<library version="20110515"><book id="5" title="Ray Charles" description="Wikipedia about him"
  language="eng" creator="Wikipedia" publisher="Kiwix" date="2023-09-04" articleCount="284" size="2686"
  url="http://mirror.example.org/ray.zim.meta4" name="ray_charles" tags="music;_pictures:yes"/></library>"""


def read(text: str | bytes, step: int = 50) -> Catalogue:
    data = text.encode() if isinstance(text, str) else text
    pieces = (data[at : at + step] for at in range(0, len(data), step))
    found = [one for one in read_catalogue(pieces) if one is not None]
    assert len(found) == 1
    return found[0]


def titles(found: list[catalogue.Entry]) -> list[str]:
    return [entry.title for entry in found]


@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_an_opds_feed(step: int) -> None:
    found = read(FEED, step)
    assert (found.title, found.date, found.languages) == ("All Entries", "2026-03-01", ["eng", "fra"])
    assert titles(list(found.entries)) == ["Wikipedia", "Médecine pour tous"]
    wikipedia, medicine = (entry.describe() for entry in found.entries)
    assert wikipedia == {
        "title": "Wikipedia", "name": "wikipedia_en_all", "flavour": "maxi",
        "description": "The free encyclopedia", "languages": ["eng"], "date": "2026-01-15",
        "publisher": "openZIM", "licence": "", "articles": 6912345, "bytes": 115_000_000_000,
        "address": "https://mirror.example.org/zim/wp_en_maxi_2026-01.zim",
    }  # fmt: skip
    assert medicine["languages"] == ["fra", "eng"]
    assert (medicine["licence"], medicine["date"]) == ("CC BY-SA 4.0", "2025-06-30")


def test_what_is_no_address_or_number_is_left_out() -> None:
    """Intent: what a person copies begins with http, https or ftp, whatever the file says."""
    medicine = read(FEED).entries[1]
    assert (medicine.address, medicine.bytes, medicine.articles) == ("", 0, 0)


def test_a_kiwix_library_file() -> None:
    (ray,) = read(LIBRARY).entries
    assert (ray.title, ray.publisher, ray.bytes, ray.articles) == ("Ray Charles", "Kiwix", 2686 * 1024, 284)
    assert ray.address == "http://mirror.example.org/ray.zim"
    assert read(LIBRARY).search("ray")


@pytest.mark.parametrize(
    ("query", "language", "wanted"),
    [
        ("", "", ["Wikipedia", "Médecine pour tous"]),
        ("medecine", "", ["Médecine pour tous"]),
        ("MÉD sant", "", ["Médecine pour tous"]),
        ("openzim ency", "", ["Wikipedia"]),
        ("encyclopedie", "", ["Médecine pour tous"]),
        ("", "fra", ["Médecine pour tous"]),
        ("wikipedia", "fra", []),
        ("wikipedia medicine", "", []),
        ("\"'<>", "", ["Wikipedia", "Médecine pour tous"]),
    ],
)
def test_searching(query: str, language: str, wanted: list[str]) -> None:
    assert titles(read(FEED).search(query, language)) == wanted


def test_titles_come_before_descriptions() -> None:
    books = "".join(
        f'<book title="{title}" description="{about}" language="eng"/>'
        for title, about in (("Chess", "About water too"), ("Water", "And how to find it"), ("Tea", "Leaves"))
    )
    assert titles(read(f"<library>{books}</library>").search("water")) == ["Water", "Chess"]


LAUGHS = """<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<feed><entry><title>&b;</title></entry></feed>"""
OUTSIDE = (
    '<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>'
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "document type"),
        (OUTSIDE, "document type"),
        ('<!DOCTYPE feed SYSTEM "http://example.org/x.dtd"><feed/>', "document type"),
        ("<html><body>Not found</body></html>", "lists no archives"),
        ("Not found", "not well-formed"),
        ("", "not well-formed"),
        ("<feed><entry><title>Cut", "not well-formed"),
        ("<feed><title>&nope;</title></feed>", "not well-formed"),
        ('<?xml version="1.0" encoding="klingon"?><feed/>', "encoding"),
        ("<feed>" + "<a>" * 100, "too deep"),
        (b"\xff\xfe\x00", "not well-formed"),
    ],
)
def test_what_is_no_catalogue_is_refused_with_a_reason(text: str | bytes, reason: str) -> None:
    with pytest.raises(CatalogueInvalid, match=reason) as caught:
        read(text)
    assert caught.value.hint


def test_numbers_and_sizes_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "MOST_ENTRIES", 1)
    with pytest.raises(CatalogueInvalid, match="more than 1 archives"):
        read(FEED)
    monkeypatch.setattr(catalogue, "MOST_BYTES", 100)
    with pytest.raises(CatalogueInvalid, match="larger than"):
        read(FEED)


def test_a_field_of_any_length_is_cut() -> None:
    found = read(f"<feed><entry><title>{'long ' * 400_000}</title></entry></feed>", 10_000)
    assert len(found.entries[0].title) <= catalogue.MOST_TEXT


@given(st.binary(max_size=40), st.integers(0, len(FEED) - 1), st.integers(0, 30))
def test_mutations_end_in_typed_errors(put: bytes, at: int, cut: int) -> None:
    data = FEED.encode()
    try:
        found = read(data[:at] + put + data[at + cut :])
    except CatalogueInvalid:
        return
    for entry in found.entries:
        assert not entry.address or entry.address.lower().startswith(("http://", "https://", "ftp://"))


def test_a_chosen_file_is_read_and_let_go_of(tmp_path: Path) -> None:
    picked = PickedPaths()
    path = tmp_path / "all.xml"
    path.write_text(FEED)
    picked.pick("k", [path])
    name, found = asyncio.run(open_catalogue(picked, "k"))
    assert (name, len(found.entries), picked.names("k")) == ("all.xml", 2, [])
    with pytest.raises(ArchiveAbsent):
        asyncio.run(open_catalogue(picked, "k"))
    path.write_text("")
    picked.pick("k", [path])
    with pytest.raises(CairnError):
        asyncio.run(open_catalogue(picked, "k"))
    assert picked.names("k") == []
