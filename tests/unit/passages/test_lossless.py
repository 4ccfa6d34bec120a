"""Properties over arbitrary text: nothing lost, nothing doubled, sizes kept, nothing raises."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.passages.blocks import blocks
from cairn.passages.chunker import Sizes, chunk
from cairn.passages.sentences import pieces, sentences, stretches
from cairn.passages.tokens import estimate_tokens
from cairn.passages.words import grams, search_terms, words

FRAGMENTS = st.sampled_from(
    [
        "# Head\n", "## 水\n", "\n\n", "\n", " ", "- item\n", "1. step\n", "| a | b |\n", "|---|\n",
        "Boil water. ", "3.5 l ", "Dr. ", "e.g. ", "煮沸水。", "اغلِ الماء؟ ", "پانی۔ ", "पानी उबालें। ",
        "น้ำต้มสุก ", "```\n", "    code\n", "LOUD LINE\n", "====\n", "e\u0301", "👩\u200d🚒", "\u200f",
        "\ufeff", "You need:\n", "x" * 90, "....", "?!", "\x00", "\ud800", "\r\n", "\u2028", "“quoted.” ",
    ]
)  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=300),
    st.lists(FRAGMENTS, max_size=120).map("".join),
    st.lists(st.one_of(FRAGMENTS, st.text(max_size=12)), max_size=60).map("".join),
)
SMALL = Sizes(10, 25, 40)


def covers(spans: list[tuple[int, int]], text: str) -> bool:
    """Whether consecutive non-empty spans are the whole text."""
    edges = [0, *(end for _, end in spans)]
    starts = [start for start, _ in spans]
    return edges[:-1] == starts and edges[-1] == len(text) and all(a < b for a, b in spans)


@settings(max_examples=150, deadline=None)
@given(TEXT)
def test_passages_are_the_whole_text(text: str) -> None:
    """Intent: issue "your own documents": every character lies in exactly one passage."""
    for sizes in (Sizes(), SMALL):
        spans = chunk(text, "Title", sizes=sizes)
        assert covers([(span.start, span.end) for span in spans], text)
        for span in spans:
            body = text[span.start : span.end]
            assert span.token_estimate == estimate_tokens(body)
            # One run may measure more when its parts were measured apart, never by much.
            assert span.token_estimate <= sizes.most + 1 or len(body) == 1


@settings(max_examples=150, deadline=None)
@given(TEXT, st.sampled_from(["", "eng", "deu", "zh", "tha"]))
def test_blocks_pieces_and_sentences(text: str, language: str) -> None:
    """Intent: each layer parts the text without losing a character."""
    assert covers([(block.start, block.end) for block in blocks(text)], text)
    assert covers(stretches(text), text)
    cut = pieces(text, language)
    assert covers(cut, text)
    found = sentences(text, language)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in found)
    assert all(a[1] <= b[0] for a, b in pairwise(found))


@settings(max_examples=150, deadline=None)
@given(TEXT)
def test_words_and_terms(text: str) -> None:
    """Intent: no input raises; a word is lower case and has a letter or digit."""
    for word in words(text):
        assert word and not any(char.isspace() for char in word)
    terms = search_terms(text).split(" ")
    assert len(terms) == len(set(terms))


@given(st.text(alphabet="止血水火", max_size=8))
def test_grams(run: str) -> None:
    """Intent: every substring of one to three characters, shortest first."""
    expected = [run[i : i + n] for n in (1, 2, 3) for i in range(len(run)) if i + n <= len(run)]
    assert grams(run) == expected
