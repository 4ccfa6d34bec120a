"""Fusion over sources, diversity, and the verdict."""

from __future__ import annotations

import json
from array import array
from importlib import resources

import pytest

from cairn.models.ports import ModelInfo
from cairn.retrieval.analysis import analyse
from cairn.retrieval.judge import FEATURES, features, judge, probability
from cairn.retrieval.neutral import likeness, model_directions, place
from cairn.retrieval.overlap import Weights
from cairn.retrieval.ranking import CONSIDERED, DISTRUST, Ranked, distrust, rank
from cairn.retrieval.types import Candidate, SearchResult
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


def worded(row: int, wording: float, cosine: float = 0.0, language: str = "eng") -> Candidate:
    found = candidate(row, 0.5, cosine, language=language)
    found.wording = wording
    return found


def order(found: SearchResult) -> list[int]:
    return [c.passage.row for c in found.considered]


def test_lists_of_several_sources_become_one() -> None:
    """Intent: bm25 of two indexes cannot be compared, wording can; ties keep their order."""
    a = [worded(1, 0.9), worded(2, 0.1), worded(3, 0.1)]
    found = rank(Ranked([a, [worded(4, 0.5)]]), analyse("q"), NOTHING)
    assert order(found) == [1, 4, 2, 3]
    assert [c.lexical_rank for c in found.considered] == [1, 2, 3, 4]


def test_of_two_translations_the_one_in_the_words_of_the_question_comes_first() -> None:
    """Intent: language-neutral vectors make translations equal; words tell which one can be read."""
    spanish, english = worded(1, 0.5, 0.860, "spa"), worded(2, 0.0, 0.865)
    assert order(rank(Ranked([], [[english, spanish]]), analyse("q"), NOTHING)) == [1, 2]
    far = worded(3, 0.5, 0.76, "spa")
    assert order(rank(Ranked([], [[english, far]]), analyse("q"), NOTHING)) == [2, 3]


def test_without_its_words_a_passage_in_the_language_of_the_question_is_distrusted() -> None:
    """Intent: of another language no words can be expected; a doubtful language decides nothing."""
    own, other = worded(1, 0.0, language="spa"), worded(2, 0.0)
    assert distrust(own, "spa") == DISTRUST and distrust(other, "spa") == 0.0
    assert distrust(worded(1, 0.3, language="spa"), "spa") == 0.0
    assert distrust(own, "und") == distrust(worded(1, 0.0, language="und"), "spa") == DISTRUST
    question = analyse("¿Cómo puedo hacer que el agua del río sea segura para beber?")
    assert question.language == "spa"
    near, far = worded(1, 0.0, 0.87, "spa"), worded(2, 0.0, 0.86)
    assert order(rank(Ranked([], [[near, far]]), question, NOTHING)) == [2, 1]


def test_translations_of_the_best_come_up_beside_it() -> None:
    """Intent: likeness is measured without the directions of languages."""
    model = ModelInfo("multilingual-e5-small", "r", "q8", "wasm", dimensions=384)
    language, best, other = model_directions(model, 384)[0], array("f", [0.0] * 384), array("f", [0.0] * 384)
    best[0], other[1] = 1.0, 1.0
    translation = array("f", [b + 0.5 * d for b, d in zip(best, language, strict=True)])
    query = array("f", [0.8, 0.6] + [0.0] * 382)
    places = [place(query, values, model) for values in (best, translation, other)]
    assert all(places) and places[1].freed < 0.95 < places[0].freed  # type: ignore[union-attr]
    assert likeness([p for p in places if p], places[0], model) == pytest.approx([1, 1, 0], abs=0.02)  # type: ignore[arg-type]
    assert place(query, [0.0] * 384, model) is None
    found = [worded(row, 0.0, p.cosine) for row, p in enumerate(places) if p]
    found[1].semantic_score = 0.62  # below the third
    found[2].semantic_score = 0.64
    for c, p in zip(found, places, strict=True):
        c.place = p
    assert order(rank(Ranked([], [found], model=model), analyse("q"), NOTHING)) == [0, 1, 2]


def test_hits_without_a_vector_stay_candidates() -> None:
    words = [worded(1, 0.15), worded(2, 0.2)]
    found = rank(Ranked([words], [[worded(3, 0.3, 0.9)]]), analyse("q"), NOTHING)
    assert order(found) == [3, 2, 1]
    assert [c.semantic_rank for c in found.considered] == [1, 0, 0]


def test_reciprocal_ranks_can_be_chosen() -> None:
    """Intent: k = 60, two votes beat one."""
    both, near, said = worded(1, 0.5, 0.8), worded(2, 0.0, 0.9), worded(3, 0.9)
    found = rank(Ranked([[said, both]], [[near, both]]), analyse("q"), NOTHING, "rrf")
    assert order(found) == [1, 2, 3]
    assert found.considered[0].fused == pytest.approx(2 / 62)


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


def near(nearest: float, lead: float, coverage: float, language: str = "eng") -> list[Candidate]:
    best = candidate(0, coverage, nearest, language=language)
    return [best, *(candidate(row, 0.0, nearest - lead, language=language) for row in range(1, 12))]


def test_verdicts_with_meaning() -> None:
    """Intent: far off-topic is no match, a near passage with the words is one, whatever the language."""
    english = analyse("how long must I boil stream water before drinking")
    assert judge(english, near(0.87, 0.03, 0.9))[0] == "matched"
    assert judge(english, near(0.74, 0.005, 0.1))[0] == "no_match"
    hindi = analyse("टूटी हुई हड्डी पर पट्टी कैसे बाँधें")
    assert judge(hindi, near(0.86, 0.03, 0.0))[0] == "matched"
    assert judge(hindi, near(0.78, 0.01, 0.0))[0] == "no_match"


@pytest.mark.parametrize(("coverage", "outcome"), [(0.8, "matched"), (0.4, "weak"), (0.2, "no_match")])
def test_verdicts_by_words(coverage: float, outcome: str) -> None:
    assert judge(analyse("boil water"), [candidate(0, coverage)]) == (outcome, coverage)


def test_no_candidates_are_no_match() -> None:
    assert judge(analyse("boil water"), []) == ("no_match", 0.0)


def test_probability_rises_with_each_sign() -> None:
    question = analyse("boil stream water before drinking")

    def sure(nearest: float, lead: float, coverage: float, language: str = "eng") -> float:
        return probability(features(question, near(nearest, lead, coverage, language)))

    base = sure(0.85, 0.01, 0.4)
    assert sure(0.87, 0.01, 0.4) > base
    assert sure(0.85, 0.03, 0.4) > base
    assert sure(0.85, 0.01, 0.7) > base
    assert 0 <= sure(0.3, 0.0, 0.0) < 0.01 and sure(1.0, 0.5, 1.0) > 0.9


def test_the_floor_has_its_provenance() -> None:
    """Intent: coefficients are data that a script made, with the figures it measured."""
    file = resources.files("cairn.retrieval").joinpath("data", "relevance.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    assert tuple(data["coefficients"]) == FEATURES
    assert data["made_by"] == "tests/eval/relevance.py"
    assert data["auroc"]["field-qa"] >= 0.92


def test_translations_are_kept_once() -> None:
    """Intent: eight places for eight things; the better ranked language stays."""
    model = ModelInfo("multilingual-e5-small", "r", "q8", "wasm", dimensions=384)
    query, values = array("f", [1.0] + [0.0] * 383), array("f", [0.8, 0.6] + [0.0] * 382)
    first, second, third = (worded(row, 0.0, language=c) for row, c in enumerate(("eng", "spa", "eng")))
    for c in (first, second, third):
        c.place = place(query, values, model)
        c.semantic_score = 0.8
    first.wording = 0.5
    found = rank(Ranked([], [[first, second, third]], model=model), analyse("q"), NOTHING)
    assert [c.dropped for c in found.considered] == ["", "duplicate", ""]
