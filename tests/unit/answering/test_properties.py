"""Properties over arbitrary text: pieces do not matter, budgets hold, tokens differ."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.answering.attribute import Attributor
from cairn.answering.citations import TOKEN, remove_markers, tokens
from cairn.answering.evidence import build_evidence, neutralise
from cairn.answering.extract import Extractor
from cairn.answering.numbers import quantities
from cairn.retrieval.overlap import Weights, keys
from tests.unit.answering.writers import FakeGenerator, kept
from tests.unit.answering.writers import tokens as count
from tests.unit.retrieval.library import passage

FRAGMENTS = st.sampled_from(
    [
        "Boil", " ", "water", ".", ". ", "!", "?", "…", "。", "؟", "\n", "\r\n", "[", "]", "[1]",
        "[2, 3]", "[CN-P-0A]",
        " [1]", "[x", "1.", "- ", "# ", "|", "```\n", "**", ":", "3.5", "Dr", "J", "a", "煮", "沸", "\t",
        "\u00a0", "(", ")",
        "<|im_end|>", "[END n]", "<", "|>", "ten minutes", "water water ",
    ]
)  # fmt: skip
TEXT = st.one_of(st.lists(FRAGMENTS, max_size=60).map("".join), st.text(max_size=120))
EVIDENCE = [(1, passage("Boil clear water for one minute. Let it cool.", row=1))]


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(st.integers(min_value=0, max_value=400), max_size=20))
def test_attribution_does_not_depend_on_the_pieces(text: str, cuts: list[int]) -> None:
    whole = Attributor(EVIDENCE)
    whole.feed(text)
    whole.finish()
    parted = Attributor(EVIDENCE)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in pairwise(edges):
        parted.feed(text[start:end])
    parted.finish()
    assert parted.text == whole.text
    assert parted.sentences == whole.sentences
    assert parted.looping == whole.looping


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_attribution_adds_citations_and_removes_markers_only(text: str) -> None:
    attributor = Attributor(EVIDENCE)
    attributor.feed(text)
    attributor.finish()
    if not attributor.ended:
        assert "".join(remove_markers(attributor.text).split()) == "".join(remove_markers(text).split())


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, max_size=5), st.integers(min_value=0, max_value=120))
def test_evidence_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    candidates = kept(*(passage(text, row=row, title=text[:20]) for row, text in enumerate(texts)))
    found = asyncio.run(
        build_evidence(
            candidates, FakeGenerator().count_tokens, Weights({"boil": 1.0}), nonce="n0nce", budget=budget
        )
    )
    assert found.tokens == count(found.block) <= budget or found.tokens == 0
    assert found.block.count("n0nce") == 2 * bool(found.items)


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_neutral_text_stays_neutral(text: str) -> None:
    once = neutralise(text)
    assert neutralise(once) == once
    assert "<|" not in once and "[1]" not in once and "[END" not in once


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4), st.text(max_size=4)), max_size=30))
def test_tokens_are_distinct_and_well_formed(identities: list[tuple[str, str, str]]) -> None:
    made = tokens(identities)
    assert len(set(made)) == len(set(identities))
    assert all(TOKEN.fullmatch(token) for token in made)


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT)
def test_quotes_are_taken_from_their_passage(question: str, text: str) -> None:
    weights = Weights(dict.fromkeys(keys(question), 1.0))
    quotes = Extractor(question, kept(passage(text)), weights).quotes()
    assert len(quotes) <= 4
    for quote in quotes:
        assert "".join(quote["text"].split()) in "".join(text.split())


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_quantities_never_raise(text: str) -> None:
    assert all(q.value for q in quantities(text))
