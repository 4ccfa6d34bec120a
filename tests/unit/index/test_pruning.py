"""Leaving out common words must not change what is found; filters and completions stay inside the index."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.index.kernel import bitmap
from cairn.index.lexical import LexicalIndex
from cairn.index.pruning import EXACT, Split, inverse_frequency, split
from cairn.index.rows import Filters, Rows
from cairn.index.types import LexicalQuery
from tests.unit.index.synthetic_index import make, word

NEVER = 1 << 40
PASSAGES = 1500


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LexicalIndex]:
    path = make(tmp_path_factory.mktemp("pruning") / "i.sqlite3", PASSAGES, seed=5)
    db = sqlite3.connect(f"file:{path.as_posix()}?immutable=1&mode=ro", uri=True, isolation_level=None)
    yield LexicalIndex(db, "test")
    db.close()


# Words that are in most passages, in many, in a few; two that the tokenizer parts; one that is nowhere.
TERMS = st.lists(
    st.one_of(
        st.integers(0, 8).map(word),
        st.integers(9, 80).map(word),
        st.integers(81, 3000).map(word),
        st.sampled_from([f"{word(0)}-{word(1)}", f"{word(3)}'{word(40)}", "nowhere"]),
    ),
    min_size=1,
    max_size=9,
    unique=True,
)


@settings(max_examples=300, deadline=None)
@given(terms=TERMS, limit=st.sampled_from([3, 10, 40]), excluded=st.lists(st.integers(0, 99), max_size=2))
def test_the_first_hits_are_those_of_the_plain_query(
    index: LexicalIndex, terms: list[str], limit: int, excluded: list[int]
) -> None:
    """Intent: what is faster may not be other: rows, order and scores of the first ten."""
    query = LexicalQuery(tuple(terms), excluded=tuple(word(n) for n in excluded if word(n) not in terms))
    plain = index.search(query, limit, common_from=NEVER)
    pruned = index.search(query, limit, common_from=1)
    exact = min(limit, EXACT)
    assert pruned[:exact] == plain[:exact]
    if pruned != plain:
        everything = index.search(query, 10**6, common_from=NEVER)
        assert set(pruned) <= set(everything), "a hit has its score, whatever is left out"


def test_common_words_are_really_left_out(index: LexicalIndex) -> None:
    """Intent: the test above would pass if nothing were ever pruned."""
    rng = random.Random(3)
    pruned = 0
    for _ in range(60):
        query = LexicalQuery((word(0), word(1), word(2), *(word(rng.randint(60, 900)) for _ in range(3))))
        everything = index.search(query, PASSAGES, common_from=NEVER)
        pruned += len(index.search(query, PASSAGES, common_from=1)) < len(everything)
    assert pruned > 45


def test_what_decides_is_a_bound_and_not_a_guess() -> None:
    """Intent: a common word is left out only when all that it can add is less than the last hit has."""
    counts: dict[str, int | None] = {"a": 600, "b": 500, "c": 30, "d": None}
    found = split(counts, 1000, least=1)
    assert found is not None
    assert (found.rare, found.common) == (("c", "d"), ("a", "b"))
    assert found.bound == pytest.approx(2.2 * (inverse_frequency(1000, 600) + inverse_frequency(1000, 500)))
    assert split(counts, 1000, floor=0.5, least=1) == found
    assert split({"a": 600, "b": 300, "c": 30}, 1000, floor=0.5, least=1) == Split(("b", "c"), ("a",), 2.2e-6)
    assert split({"a": 600, "c": 3}, 1000, least=1) is None, "three rows cannot fill the list"
    assert split({"c": 30}, 1000, least=1) is None, "nothing to leave out"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_filter_gives_the_rows_that_pass_in_the_order_they_have(
    index: LexicalIndex, data: st.DataObject
) -> None:
    """Intent: filtering inside the query is the same as filtering everything after it."""
    cuts = sorted(data.draw(st.sets(st.integers(0, PASSAGES), min_size=2, max_size=12)))
    rows = Rows.of(range(first, end) for first, end in zip(cuts[::2], cuts[1::2], strict=False))
    query = LexicalQuery(tuple(data.draw(TERMS)))
    wanted = {row for first, end in rows.ranges for row in range(first, end)}
    assert rows.count == len(wanted)
    everything = index.search(query, 10**6, common_from=NEVER)
    kept = [hit for hit in everything if hit.row in wanted]
    assert index.search(query, 10**6, rows, common_from=NEVER) == kept
    assert index.search(query, 10, rows, common_from=1) == kept[:10]


@given(
    ranges=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40)), max_size=8), count=st.integers(0, 120)
)
def test_rows_become_bitmaps(ranges: list[tuple[int, int]], count: int) -> None:
    """Intent: the kernel and SQL let through the same rows."""
    rows = Rows.of(range(first, first + length) for first, length in ranges)
    among = {row for first, length in ranges for row in range(first, first + length)}
    assert rows.bitmap(count) == bitmap((row for row in among if row < count), count)
    assert all(a[1] < b[0] for a, b in zip(rows.ranges, rows.ranges[1:], strict=False))


def test_filters_pass_what_they_name() -> None:
    """Intent: dimensions are joined by "and", values of one by "or"; nothing named limits nothing."""
    assert Filters().empty and Filters().passes("eng", "Water", "d")
    some = Filters(languages=frozenset({"eng", "spa"}), collections=frozenset({"Water"}))
    assert not some.empty
    assert some.passes("spa", "Water", "d")
    assert not some.passes("fra", "Water", "d")
    assert not some.passes("eng", "Fire", "d")
    assert not Filters(documents=frozenset({"x"})).passes("eng", "Water", "d")


def test_counting_reads_the_words_that_decide(index: LexicalIndex) -> None:
    """Intent: counts beside the filters are about what was asked, not about "the"."""
    rare, common = word(300), word(0)
    only_rare = {hit.row for hit in index.search(LexicalQuery((rare,)), 10**6)}
    assert set(index.matching(LexicalQuery((rare, common)), common_from=1)) == only_rare
    assert len(index.matching(LexicalQuery((common,)), common_from=1)) == len(
        index.search(LexicalQuery((common,)), 10**6)
    )
    assert index.matching(LexicalQuery((rare, "nowhere"))) == sorted(only_rare)
    assert index.matching(LexicalQuery()) == []


def test_an_unfinished_word_is_completed_from_the_index(index: LexicalIndex) -> None:
    """Intent: results while typing: the most frequent word that begins so."""
    whole = word(700)
    completed = index.completion(whole[:3])
    assert completed.startswith(whole[:3])
    frequency = index.document_frequency([completed, whole])
    assert frequency[completed] >= frequency[whole] > 0
    assert index.completion("qqq") == "" and index.completion("aa") == "" and index.completion("-") == ""
