"""Merging rankings and keeping few, different passages."""

from __future__ import annotations

import pytest

from cairn.index.diversity import drop_reasons, jaccard, shingles
from cairn.index.fusion import reciprocal_rank_fusion
from cairn.passages.types import Passage


def test_reciprocal_rank_fusion() -> None:
    """Intent: k = 60; both lists beat one; ties go to the better rank, then the earlier list."""
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["c", "d"]])
    assert [key for key, _ in fused] == ["c", "a", "b", "d"]
    assert dict(fused)["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert reciprocal_rank_fusion([["x"], ["y"]])[0][0] == "x"
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == [("a", 1 / 61), ("b", 1 / 62)]


def test_weights_and_k() -> None:
    """Intent: a ranking can be made to count more; a wrong number of weights is a mistake."""
    assert reciprocal_rank_fusion([["a"], ["b"]], weights=[1, 2])[0] == ("b", 2 / 61)
    assert reciprocal_rank_fusion([["a"]], k=0) == [("a", 1.0)]
    with pytest.raises(ValueError, match="weights"):
        reciprocal_rank_fusion([["a"]], weights=[])


def make(document: str, text: str, source: str = "s") -> Passage:
    return Passage("p", document, source, "t", "eng", "c", "l", "loc", text, "", 1, 0, 0)


BOIL = "Bring the water to a rolling boil for one full minute, then let it cool down before drinking."


def test_at_most_two_of_a_document_and_eight_in_all() -> None:
    """Intent: one long manual cannot fill the evidence."""
    passages = [make(f"d{n // 3}", f"text number {n} about {n * 7} other things {n}") for n in range(40)]
    reasons = drop_reasons(passages)
    assert reasons[:3] == ["", "", "per_document"]
    assert reasons.count("") == 8
    assert set(reasons[12:]) == {"limit"}


def test_near_duplicates_are_dropped_across_documents() -> None:
    """Intent: the same advice copied into another document is said once."""
    copy = BOIL.replace("drinking", "use")
    passages = [make("a", BOIL), make("b", copy, "other"), make("c", "Something else about water and fire.")]
    assert drop_reasons(passages) == ["", "duplicate", ""]
    assert drop_reasons(passages, near_duplicate=1.1) == ["", "", ""]


def test_chinese_and_short_texts() -> None:
    """Intent: shingles exist without spaces, and for two words."""
    a, b = shingles("把水烧开一分钟然后放凉再喝"), shingles("把水烧开一分钟然后放凉再饮")
    assert 0.6 < jaccard(a, b) < 1
    assert shingles("fire") == {("fire",)}
    assert shingles("😀") == frozenset() and jaccard(frozenset(), a) == 0.0
