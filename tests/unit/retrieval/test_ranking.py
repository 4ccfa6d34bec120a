"""Fusion over sources, diversity, and the verdict."""

from __future__ import annotations

import pytest

from cairn.retrieval.analysis import analyse
from cairn.retrieval.judge import judge, probability
from cairn.retrieval.overlap import Weights
from cairn.retrieval.ranking import CONSIDERED, Ranked, merge, rank, voting
from cairn.retrieval.types import Candidate
from tests.unit.retrieval.library import passage

NOTHING = Weights({})


def candidate(row: int, coverage: float = 0.5, cosine: float = 0.0, **more: str) -> Candidate:
    text = f"text number {row} about matter {row * 7} and thing {row * 13}"
    return Candidate(
        passage(text, row=row, **more),
        0.0,
        coverage=coverage,
        semantic_score=cosine,
        semantic_rank=int(cosine > 0),
    )


def test_lists_of_several_sources_are_merged_by_coverage() -> None:
    """Intent: bm25 of two indexes cannot be compared; each list keeps its own order."""
    a = [candidate(1, 0.9), candidate(2, 0.1), candidate(3, 0.8)]
    b = [candidate(4, 0.5, source="b"), candidate(5, 0.4, source="b")]
    assert [c.passage.row for c in merge([a, b])] == [1, 4, 5, 2, 3]
    assert merge([[], []]) == []


def test_votes() -> None:
    """Intent: hits that cover little have no vote; none has one when even the best covers little."""
    words = [candidate(1, 0.9), candidate(2, 0.1)]
    assert [c.passage.row for c in voting(words)] == [1]
    assert voting([candidate(1, 0.39), candidate(2, 0.3)]) == []
    assert voting([]) == []


def test_of_two_translations_the_one_in_the_words_of_the_question_comes_first() -> None:
    """Intent: language-neutral vectors make translations equal; words tell which one can be read."""
    spanish, english = candidate(1, 0.5, 0.860, language="spa"), candidate(2, 0.0, 0.865)
    found = rank(Ranked([], [[english, spanish]]), analyse("q"), NOTHING)
    assert [c.passage.row for c in found.considered] == [1, 2]
    far = candidate(3, 0.5, 0.80, language="spa")
    found = rank(Ranked([], [[english, far]]), analyse("q"), NOTHING)
    assert [c.passage.row for c in found.considered] == [2, 3]


def test_hits_without_a_vote_stay_candidates() -> None:
    words = [candidate(1, 0.1), candidate(2, 0.1)]
    found = rank(Ranked([words], [[candidate(3, cosine=0.9)]]), analyse("q"), NOTHING)
    assert [c.passage.row for c in found.considered] == [3, 1, 2]
    assert found.considered[1].fused == 0.0


def test_bounds() -> None:
    """Intent: at most 80 considered, 8 kept, 2 of a document; every drop says why."""
    words = [candidate(row, document=f"d{row // 4}") for row in range(100)]
    found = rank(Ranked([words]), analyse("q"), NOTHING)
    assert len(found.considered) == CONSIDERED and len(found.kept) == 8
    documents = [c.passage.document_id for c in found.kept]
    assert max(map(documents.count, documents)) == 2
    assert {c.dropped for c in found.considered} == {"", "per_document", "limit"}


def test_near_duplicates_are_dropped_across_documents() -> None:
    twin = "Boil the water for one minute and let it cool before you drink it."
    words = [Candidate(passage(twin, row=row, document=f"d{row}"), 0.0, coverage=1) for row in (1, 2)]
    found = rank(Ranked([words]), analyse("q"), NOTHING)
    assert [c.dropped for c in found.considered] == ["", "duplicate"]


def test_ranks_are_numbered_from_one() -> None:
    words = [candidate(1), candidate(2)]
    found = rank(Ranked([words], [[words[1]]]), analyse("q"), NOTHING)
    by_row = {c.passage.row: c for c in found.considered}
    assert (by_row[1].lexical_rank, by_row[1].semantic_rank) == (1, 0)
    assert (by_row[2].lexical_rank, by_row[2].semantic_rank) == (2, 1)


@pytest.mark.parametrize(
    ("question", "cosines", "coverage", "language", "outcome"),
    [
        # figures of searches described in cairn.retrieval.judge
        ("how long must I boil stream water before drinking", (0.87, 0.845), 0.84, "eng", "matched"),
        ("who won the 1998 football world cup", (0.743, 0.735), 0.13, "eng", "no_match"),
        ("how to deliver a breech baby", (0.823, 0.814), 0.34, "eng", "no_match"),
        ("how to refine crude oil into diesel at home", (0.836, 0.827), 0.27, "eng", "weak"),
        ("टूटी हुई हड्डी पर पट्टी कैसे बाँधें", (0.827, 0.81), 0.0, "eng", "matched"),
        ("cuál es el precio del trigo en Argentina", (0.79, 0.78), 0.2, "eng", "no_match"),
    ],
)
def test_verdicts_with_meaning(
    question: str, cosines: tuple[float, float], coverage: float, language: str, outcome: str
) -> None:
    """Intent: off-topic is told by cosine and lead, near the topic by words, other languages by meaning."""
    best = candidate(0, coverage, cosines[0], language=language)
    rest = [candidate(row, 0.0, cosines[1], language=language) for row in range(1, 12)]
    assert judge(analyse(question), [best, *rest]) == outcome


@pytest.mark.parametrize(("coverage", "outcome"), [(0.8, "matched"), (0.4, "weak"), (0.2, "no_match")])
def test_verdicts_by_words(coverage: float, outcome: str) -> None:
    assert judge(analyse("boil water"), [candidate(0, coverage)]) == outcome


def test_no_candidates_are_no_match() -> None:
    assert judge(analyse("boil water"), []) == "no_match"


def test_probability_rises_with_each_sign() -> None:
    base = probability([0.85, 0.84], 0.4, 1.0)
    assert probability([0.87, 0.86], 0.4, 1.0) > base
    assert probability([0.85, 0.82], 0.4, 1.0) > base
    assert probability([0.85, 0.84], 0.7, 1.0) > base
    assert probability([0.85, 0.84], 0.0, 0.0) > probability([0.85, 0.84], 0.0, 1.0)
    assert 0 < probability([0.7], 0.0, 1.0) < 0.01
