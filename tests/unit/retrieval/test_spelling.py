"""Words that the library does not have, repaired from the words that it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.errors import PackInvalid
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.spelling import one_slip, respell, slips
from tests.unit.retrieval.library import passage


class Words:
    """A vocabulary."""

    def __init__(self, **words: int) -> None:
        self.words = words
        self.language = "und"

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        return {word: self.words[word] for word in words if word in self.words}

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        found = [word for word in sorted(self.words) if word.startswith(prefix)]
        return {word: self.words[word] for word in found[:limit]}

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        return [Hit(list(self.words).index(query.terms[0]), 1.0)]

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        return [passage(list(self.words)[row], language=self.language) for row in rows]


LIBRARY = Words(
    bleed=3, bleeding=9, bed=40, stop=20, wound=12, whistle=4, flame=5, frame=2, tourniquet=6, hemorragia=2,
    нож=1, огонь=5, حرارة=4,
)  # fmt: skip


def asked(question: str) -> Analysis:
    return respell(analyse(question), [LIBRARY])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bleedng", "bleeding"), ("wistle", "whistle"), ("fllame", "flame"), ("tourniqett", "tourniquet"),
        ("whsitle", "whistle"), ("hemoragia", "hemorragia"), ("огогь", "огонь"), ("حراره", "حرارة"),
    ],
)  # fmt: skip
def test_a_slip_is_repaired(typed: str, meant: str) -> None:
    """Intent: the repaired word is searched and embedded; what was typed stays an alternative."""
    found = asked(typed)
    assert found.terms == (meant,) and found.question == meant
    assert found.alternatives == {meant: (typed,)}
    assert set(found.lexical().terms) == {meant, typed}


def test_forms_are_no_slips() -> None:
    """Intent: "bled" is not "bed"; a known form of the same word counts as the word."""
    found = asked("he bled")
    assert found.terms == ("bled",) and found.alternatives["bled"] == ("bleeding", "bleed")
    assert asked("whistles").alternatives == {"whistles": ("whistle",)}


def test_words_for_the_same_are_looked_for_when_the_own_is_unknown() -> None:
    """Intent: "hemorrhage" reaches notes on bleeding; known words bring no others in."""
    assert asked("hemorrhage").synonyms == {"hemorrhage": ("bleeding", "bleed")}
    assert asked("sangrado").synonyms == {"sangrado": ("hemorragia",)}
    assert "bleeding" in asked("hemorrhage").lexical().terms
    assert asked("bleeding").synonyms == {}


def test_only_unknown_words_are_touched() -> None:
    found = asked("stop the bleedng of the wound")
    assert found.terms == ("stop", "bleeding", "wound")
    assert found.question == "stop the bleeding of the wound"
    assert asked("stop the bed") == respell(analyse("stop the bed"), [LIBRARY])
    assert asked("stop the bed").question == "stop the bed"
    for short_or_other in ("bad", "zzzzzz", "止血", "3.5", "पानी"):
        assert asked(short_or_other).terms == analyse(short_or_other).terms


def test_a_question_in_another_language_is_embedded_as_it_is() -> None:
    """Intent: most of its words are unknown, so that neighbours among them are accidents."""
    found = asked("flamme frama boden feuer")
    assert found.question == "flamme frama boden feuer"


def test_a_word_is_repaired_within_its_language() -> None:
    """Intent: "rompe" is Spanish and no slip for "rope"; four letters have too many neighbours."""
    english = Words(rope=9, mano=4, water=30)
    english.language = "eng"
    question = analyse("¿Qué hago si se rompe una cuerda?")
    assert question.language == "spa"
    assert respell(question, [english]).terms == question.terms
    assert respell(analyse("gano"), [english]).terms == ("gano",)
    assert respell(analyse("watr"), [english]).terms == ("water",)


def test_once_is_enough() -> None:
    found = asked("bleedng")
    assert respell(found, [LIBRARY]) is found
    plain = analyse("bleedng")
    assert respell(plain, []) is plain and respell(plain, [object()]) is plain


def test_a_damaged_index_repairs_nothing() -> None:
    """Intent: the search itself says what is wrong with the source."""

    class Damaged(Words):
        def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
            raise PackInvalid("damaged")

    plain = analyse("bleedng")
    assert respell(plain, [Damaged()]) is plain


@given(st.text("abcde", min_size=1, max_size=7), st.text("abcde", min_size=1, max_size=7))
def test_slips_are_counted_alike_both_ways(a: str, b: str) -> None:
    """Property: a symmetric distance, 1 exactly for what one slip makes."""
    assert slips(a, b, 9) == slips(b, a, 9)
    assert (slips(a, b, 9) == 1) == (b in one_slip(a))
    assert slips(a, a, 0) == 0
    assert min(slips(a, b, 9), 3) == slips(a, b, 2)
