"""Text to passages: nothing is lost, whatever the text; pages and headings are where they are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.passages.chunker import Sizes
from cairn.sources.documents.cutting import good_end, page_range, pieces, units
from cairn.sources.documents.text import Headings, Piece, Unit

SMALL = Sizes(least=8, target=20, most=40)
PARTS = (
    *("# Water", "## Wells", "Boil it.", "\n", "\n\n", "\r\n", "\r", "| a | b |", "```", " ", "\t", "\0"),
    *("水を沸かす。", "اغلِ الماء؟", "- item", "x" * 300, "🙂", "1. one"),
)
JOINED = st.lists(st.sampled_from(PARTS), max_size=120).map("".join)
TEXTS = st.one_of(st.text(max_size=2_000), JOINED)


def cut(text: str, size: int = 200, sizes: Sizes = SMALL) -> list[Piece]:
    headings = Headings()
    found: list[Piece] = []
    start = 0
    for unit in units(text, size=size):
        found += pieces(unit, "Title", headings, title="Title", start=start, sizes=sizes)
        start += len(unit.text)
    return found


@given(TEXTS, st.integers(20, 400))
@settings(max_examples=300, deadline=None)
def test_every_character_lies_in_exactly_one_passage(text: str, size: int) -> None:
    """Intent: "lose nothing": the passages joined are the text, at the offsets they say."""
    found = cut(text, size)
    assert "".join(piece.text for piece in found) == text
    at = 0
    for piece in found:
        assert piece.start == at
        at += len(piece.text)


def test_a_line_of_a_million_characters_is_cut_and_kept() -> None:
    """Intent: the peer drops four fifths of a long line."""
    for text in ("word " * 200_000, "x" * 1_000_000, "水" * 200_000):
        found = cut(text, 48_000, Sizes())
        assert "".join(piece.text for piece in found) == text
        assert max(piece.tokens for piece in found) <= 700


def test_a_unit_ends_before_a_heading_or_after_a_paragraph() -> None:
    """Intent: units are an engine's matter; a reader must not notice where one ends."""
    text = "a b. " * 30 + "\n\n## Next\n\n" + "c d. " * 10
    assert text[good_end(text) :].startswith("## Next")
    text = "a b. " * 30 + "\n\n" + "c d. " * 10
    assert text[good_end(text) :].startswith("c d.")
    assert good_end("x" * 10 + "\r\n" + "y" * 8) == 12
    assert good_end("x" * 9 + "\r") == 9  # the line end stays whole


def test_headings_become_a_path_across_units() -> None:
    """Intent: a passage says under which chapter its section stands."""
    text = "# Book\n\n## Water\n\n" + "Boil it well. " * 40 + "\n\n### Wells\n\n" + "Dig. " * 200
    found = cut(text, 400)
    paths = list(dict.fromkeys(piece.locator for piece in found))
    assert paths == ["Book › Water", "Book › Water › Wells"]
    assert cut("# Title\n\n## Part\n\n" + "Words are here. " * 9)[-1].locator == "Part"


def test_a_heading_in_code_is_none() -> None:
    """Intent: a comment of a shell script is not a chapter."""
    found = cut("# Real\n\n```\n# not one\n```\n\n" + "Words are here. " * 9, 5_000)
    assert {piece.locator for piece in found} == {"Real"}


def test_pages_are_those_of_the_first_and_last_visible_character() -> None:
    """Intent: a citation opens the page that its first word stands on."""
    unit = Unit("one two\n\nthree\n\nfour", ((0, 4), (9, 5), (16, 7)))
    assert page_range(unit, 0, 20) == (4, 7)
    assert page_range(unit, 7, 14) == (5, 5)  # blank lines of the page before do not count
    assert page_range(unit, 9, 16) == (5, 5)
    assert page_range(Unit("text"), 0, 4) == (0, 0)
