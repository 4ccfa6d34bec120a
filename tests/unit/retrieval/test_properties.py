"""Properties over arbitrary questions: nothing raises, bounds hold."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.passages.words import words
from cairn.retrieval.analysis import MAX_EXCLUDED, MAX_PHRASES, MAX_TERMS, analyse
from cairn.retrieval.overlap import keys, plain_words, stem
from cairn.retrieval.search import search
from tests.unit.retrieval.library import Clock, FakeEmbedder, FakeSource

FRAGMENTS = st.sampled_from(
    [
        '"', "“", "”", "-", "*", "(", ")", " OR ", " NOT ", "NEAR(", "^", ":", " ", "water", "the", "不",
        "净化河水", "ماء", "पानी", "don't",
        "l'eau", "3.5", "\u200f", "\x00", "😀", "-x", "'", "of and", "ß", "İ",
    ]
)  # fmt: skip
QUESTION = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=60).map("".join))
SOURCE = FakeSource(["Boil water.", "净化河水的方法"], vectors=[(1.0, 0.0), (0.0, 1.0)])


@settings(max_examples=200, deadline=None)
@given(QUESTION)
def test_analysis_never_raises_and_keeps_its_bounds(question: str) -> None:
    found = analyse(question)
    assert len(found.terms) <= MAX_TERMS and len(found.phrases) <= MAX_PHRASES
    assert len(found.excluded) <= MAX_EXCLUDED
    assert all(term and term == term.lower() for term in found.terms)
    assert not set(found.excluded) & set(found.terms)
    assert 0 <= found.confidence <= 1
    found.shown.encode()


@settings(max_examples=60, deadline=None)
@given(QUESTION)
def test_search_never_raises(question: str) -> None:
    result = asyncio.run(search(question, sources=[SOURCE], embedder=FakeEmbedder(), clock=Clock()))
    assert all(0 <= c.coverage <= 1 + 1e-9 for c in result.considered)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_keys_never_raise_and_are_never_empty(text: str) -> None:
    assert all(keys(text))
    assert stem(text) or not text


@settings(max_examples=300, deadline=None)
@given(st.one_of(QUESTION, st.text(alphabet="aZ09 '’.,-_é½ßاम止", max_size=60)))
def test_the_fast_way_gives_the_same_words(text: str) -> None:
    """Intent: coverage sees the words that the index and the analysis see."""
    assert plain_words(text) == words(text)
