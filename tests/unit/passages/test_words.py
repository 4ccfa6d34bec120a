"""Words, grams, search terms, stop words and language codes."""

from __future__ import annotations

import pytest

from cairn.passages.languages import iso639_3
from cairn.passages.stopwords import stop_word_languages, stop_words
from cairn.passages.words import fold, grams, is_word, search_terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t boil!", ["don't", "boil"]),
        ("3.5 l or 1,000 ml, a.b", ["3.5", "l", "or", "1,000", "ml", "a", "b"]),
        ("end.Start", ["end", "start"]),
        ("ＦＵＬＬ ﬁre ½", ["full", "fire", "1", "2"]),
        ("Boil水 止血！法", ["boil", "水", "止血", "法"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مَاء الشرب", ["مَاء", "الشرب"]),
        ("well-known co_op", ["well", "known", "co", "op"]),
        ('😀 — * " ( NEAR', ["near"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """Intent: the same words in documents and questions, whatever the writing."""
    assert words(text) == expected


def test_search_terms_hold_words_and_grams_once() -> None:
    """Intent: FORMATS 1.3; a gram never reaches across a skipped character."""
    terms = search_terms("止血！法", "Stop 止血").split()
    assert terms == ["止血", "止", "血", "法", "stop"]
    assert grams("止血法") == ["止", "血", "法", "止血", "血法", "止血法"]
    assert "血法" not in terms


def test_fold_removes_accents_but_no_vowel_signs() -> None:
    """Intent: calefaccion finds calefacción; Hindi words keep their vowels."""
    assert fold("calefacción") == "calefaccion"
    assert fold("ёлка") == "елка"
    assert fold("हिन्दी") == "हिन्दी"
    assert is_word("水") and not is_word("—😀")


def test_stop_words() -> None:
    """Intent: every promised language has a list; meaning is never stopped."""
    promised = {"eng", "spa", "fra", "por", "deu", "ara", "zho", "rus", "hin", "tur", "swa", "swe", "heb"}
    for language in promised:
        assert len(stop_words(language)) >= 60, language
    assert len(stop_word_languages()) >= 40
    assert stop_words("en") is stop_words("en")
    assert {"the", "how", "what's"} <= stop_words("en-GB")
    assert not {"fire", "first", "not", "without", "water", "help"} & stop_words("eng")
    assert "no" not in stop_words("spa") and "nicht" not in stop_words("deu")
    assert stop_words("xxx") == frozenset()


@pytest.mark.parametrize(
    ("code", "expected"),
    [("en", "eng"), ("en-GB", "eng"), ("eng", "eng"), ("zh_Hans", "zho"), ("cmn", "zho"), ("", "und"),
     ("q", "und"), ("grc", "grc")],
)  # fmt: skip
def test_language_codes(code: str, expected: str) -> None:
    """Intent: browsers say en-GB, documents say eng."""
    assert iso639_3(code) == expected
