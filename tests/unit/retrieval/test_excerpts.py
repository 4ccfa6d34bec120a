"""Excerpts: the part with the words of the question, marked where they stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cairn.retrieval.excerpts import MOST, excerpt, matched
from cairn.retrieval.overlap import Weights, keys_of

LONG = "Some words that say nothing at all come first. " * 12


def weights(*words: str) -> Weights:
    return Weights({key: 1.0 for word in words for key in keys_of(word)})


def marked(text: str, *words: str) -> list[str]:
    found = excerpt(text, weights(*words))
    return [found.text[start:end] for start, end in found.marks]


def test_inflections_and_cjk_are_marked() -> None:
    """Intent: what is marked is what was matched, not only letters that are equal."""
    assert marked("# Bleeding\n\nStop the bleeding. It bleeds.", "bleed") == ["bleeding", "bleeds"]
    assert marked("Agua hervida", "hervir") == []
    assert marked("用力压住伤口,止血方法很多。", "止血方法") == ["止血方法"]
    assert matched("Boil it. Boiling boils CAFÉ", weights("boil", "cafe")) == ["Boil", "CAFÉ"]


def test_the_part_that_tells_is_shown() -> None:
    """Intent: a long passage is cut to where the words of the question are, between words."""
    found = excerpt(LONG + "Press hard on the wound with a cloth. " + LONG, weights("press", "wound"))
    assert "Press hard on the wound" in found.text
    assert found.text.startswith("… ") and found.text.endswith(" …")
    assert [found.text[s:e] for s, e in found.marks] == ["Press", "wound"]
    assert excerpt("# Title only", weights("x")).text == "# Title only"


@given(st.text(max_size=900), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_any_text_has_an_excerpt(text: str, asked: list[str]) -> None:
    """Intent: passages come from anywhere; marks lie inside the excerpt, in order, never overlapping."""
    found = excerpt(text, weights(*asked))
    assert len(found.text) <= MOST + 4
    at = 0
    for start, end in found.marks:
        assert at <= start < end <= len(found.text)
        at = end + 1
