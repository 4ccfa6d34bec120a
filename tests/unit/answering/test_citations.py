"""Tokens, reader addresses and the markers a model may not make."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

import cairn.answering.citations as module
from cairn.answering.citations import (
    MARKER_MAX_CHARS,
    TOKEN,
    citations,
    identity_code,
    marker_numbers,
    reader_url,
    remove_markers,
    tokens,
)
from tests.unit.answering.writers import kept
from tests.unit.retrieval.library import passage


def test_a_token_depends_on_the_passage_alone() -> None:
    """Intent: the same passage has the same token in every answer."""
    one, two = ("notes", "water", "water:1"), ("notes", "water", "water:2")
    alone, beside = tokens([one]), tokens([two, one])
    assert alone == [beside[1]] and len(set(beside)) == 2
    assert all(TOKEN.fullmatch(token) for token in beside)
    assert tokens([one, one]) == alone * 2
    assert tokens([one], kind="A")[0].startswith("[CN-A-")
    assert alone == ["[CN-P-" + identity_code(*one)[:12] + "]"]


def test_the_parts_of_an_identity_are_kept_apart() -> None:
    assert identity_code("a", "bc", "d") != identity_code("ab", "c", "d")
    assert len(identity_code("a", "b", "c")) == 52


def test_colliding_tokens_are_lengthened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: whatever the hash does, two passages of one answer never share a token."""
    codes = {"a": "0" * 12 + "AAAA" + "0" * 36, "b": "0" * 12 + "AAAB" + "0" * 36, "c": "1" * 52}
    monkeypatch.setattr(module, "identity_code", lambda source, document, passage: codes[passage])
    made = tokens([("s", "d", name) for name in "abc"])
    assert made == [f"[CN-P-{'0' * 12}AAAA]", f"[CN-P-{'0' * 12}AAAB]", f"[CN-P-{'1' * 12}]"]


def test_reader_url_survives_any_id() -> None:
    """Intent: an id cannot add parameters, leave the page or the origin."""
    url = reader_url("a&b=c", "../x#y?z", "水:1 2")
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.path, parts.fragment) == ("", "", "/reader/text.html", "")
    assert parse_qs(parts.query) == {"source": ["a&b=c"], "document": ["../x#y?z"], "passage": ["水:1 2"]}


def test_a_pdf_of_the_person_opens_at_its_page() -> None:
    """Intent: only where the file itself is kept; its pages are those of the passage."""
    one = passage("Boil it.", row=3)
    own = replace(one, source_id="documents-1", page=7, last_page=8)
    addresses = [
        citations([kept_one], {})[0]["reader_url"]
        for kept_one in kept(own, replace(own, page=0), replace(own, source_id="notes"))
    ]
    parts = urlsplit(addresses[0])
    assert (parts.scheme, parts.netloc, parts.path) == ("", "", "/reader/pdf.html")
    assert parse_qs(parts.query) == {
        "source": ["documents-1"],
        "document": [one.document_id],
        "passage": [one.passage_id],
        "page": ["7"],
        "last": ["8"],
    }
    assert all(address.startswith("/reader/text.html?") for address in addresses[1:])


def test_citations_carry_what_the_page_shows() -> None:
    found = citations(
        kept(passage("Boil it.", row=3, title="Water", locator="Boiling")), {"notes": "Field notes"}
    )
    assert len(found) == 1
    assert found[0]["n"] == 1 and found[0]["source_title"] == "Field notes"
    assert (
        found[0]["title"] == "Water" and found[0]["locator"] == "Boiling" and found[0]["text"] == "Boil it."
    )
    assert found[0]["mode"] == "lexical-fallback" and found[0]["cited"] is False
    assert found[0]["reader_url"].startswith("/reader/text.html?source=notes&document=d3&passage=")


@pytest.mark.parametrize(
    "marker",
    [
        "[1]",
        "[12]",
        "[1, 2]",
        "[1][2]",
        "[1-3]",
        "[Source 1]",
        "[note 2]",
        "[^1]",
        "[CN-P-0ABC]",
        "[WB-E-0ABC12D]",
        "[来源1]",
    ],
)
def test_invented_markers_are_removed(marker: str) -> None:
    assert remove_markers(f"Boil it{marker}.") == "Boil it."
    assert len(marker) <= MARKER_MAX_CHARS


@pytest.mark.parametrize("text", ["[see below]", "[10 minutes]", "[2019]", "a[i]", "[]", "[x](y)", "[ 1"])
def test_other_brackets_stay(text: str) -> None:
    assert remove_markers(text) == text


def test_numbers_of_a_marker() -> None:
    assert marker_numbers("[1, 3]") == (1, 3)
    assert marker_numbers("[CN-P-012345]") == ()
