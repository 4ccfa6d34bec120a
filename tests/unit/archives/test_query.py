"""Words of a query as libzim's parser sees them, stop words, stemmers, language codes."""

from __future__ import annotations

import sys

import pytest

from cairn.errors import ArchiveUnsupported
from cairn.sources.archives import stemming
from cairn.sources.archives.language import STEMMERS, stemmer_code
from cairn.sources.archives.normalising import normalise
from cairn.sources.archives.query import index_terms, tokenise, without_stop_words
from cairn.sources.archives.stemming import stemmer


def same(word: str) -> str:
    return word


def terms(text: str, *known: str) -> list[str]:
    return index_terms(tokenise(normalise(text)), same, known.__contains__)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ägypten Crème brûlée", "agypten creme brulee"),
        ("don't rock'n'roll O’Neill 'quoted'", "don't rock'n'roll o'neill quoted"),
        ("AT&T l·l me & you", "at&t l·l me you"),
        ("3.14 1,000 a.b 3'4 a,b 1.x", "3.14 1,000 a b 3 4 a b 1 x"),
        ("snake_case _x_", "snake_case _x_"),
        ("soft\u200bhyphen", "softhyphen"),
        ("well-known/either:or", "well known either or"),
        ("², ½ Ⅷ ٣", "² ½ ⅷ ٣"),
        ("  …!?  ", ""),
        ("", ""),
    ],
)
def test_words(text: str, wanted: str) -> None:
    """Intent: what joins and what parts words, as FORMATS 2.4 lists it."""
    assert terms(text) == wanted.split()


def test_trailing_signs_stay_only_if_indexed() -> None:
    """Intent: c++ and c# are words where the index has them, c where not."""
    assert terms("C++ and C#", "c++") == ["c++", "and", "c"]
    assert terms("c++++", "c+++") == ["c+++"]
    assert terms("c#x", "c#") == ["c", "x"]


def test_cjk_runs_are_single_characters_and_pairs() -> None:
    """Intent: n-grams as the indexes have them, voiced marks removed as ICU does."""
    assert terms("日本語") == ["日", "日本", "本", "本語", "語"]
    assert terms("表A列") == ["表", "a", "列"]
    assert terms("ガ") == ["カ"]
    assert terms("東京・大阪") == ["東", "東京", "京", "大", "大阪", "阪"]


STOP = frozenset(["the", "is", "of", "a", "what", "to", "be", "or", "not"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what is the capital", "capital"),
        ("the", "the"),
        ("to be or not to be", "to be or not to be"),
        ("capital, of the", "capital of the"),
        ("capital, the", "capital"),
        ("the-cat is", "the cat"),
        ("the who? a band", "who band"),
    ],
)
def test_stop_words(text: str, wanted: str) -> None:
    """Intent: dropped, unless a run, a phrase or the query is nothing else."""
    kept = without_stop_words(tokenise(text), STOP)
    assert " ".join(token.text for token in kept) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("en", "en"), ("eng", "en"), ("ENG", "en"), ("en_US", "en"), ("pt-BR", "pt"), ("nob", "nb"),
        ("eng,fra", ""), ("mul", ""), ("ell", ""), ("hin", ""), ("simple", ""), ("zho", ""), ("=en", ""),
        ("", ""), ("english", ""),
    ],
)  # fmt: skip
def test_language_codes(code: str, wanted: str) -> None:
    """Intent: the stemmer of the code as given, and none where Xapian has none."""
    assert stemmer_code(code) == wanted


@pytest.mark.parametrize("code", STEMMERS)
def test_every_stemmer_loads_alone(stemmers: None, code: str) -> None:
    """Intent: one language costs one module; the package's other 25 are not imported."""
    assert isinstance(stemmer(code)("abcdefghij"), str)
    assert "snowballstemmer" not in sys.modules


def test_stems_are_those_of_xapian(stemmers: None) -> None:
    """Intent: snowballstemmer 2.2.0, not the later rules (adding, interval)."""
    english = stemmer("eng")
    pairs = {"adding": "ad", "running": "run", "generously": "generous", "skies": "sky", "c++": "c++"}
    assert {word: english(word) for word in pairs} == pairs
    assert stemmer("deu")("berechnungen") == "berechn"
    assert stemmer("fra")("l'aiguille") == "l'aiguill"
    assert stemmer("jpn")("running") == "running"


def test_danish_and_finnish_digits(stemmers: None) -> None:
    """Intent: what built archives have in their indexes, asked with libzim's writer."""
    pairs = {"100000": "10000", "abc11": "abc1", "12": "12", "vuosi2000": "vuosi200", "a99": "a9"}
    assert {word: stemmer("fin")(word) for word in pairs} == pairs
    pairs |= {"100000": "100000", "a99": "a99", "ab99": "ab9", "55a55": "55a5", "x100": "x100"}
    assert {word: stemmer("dan")(word) for word in pairs} == pairs


def test_missing_stems_are_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: never search with unstemmed words silently; titles go on."""
    monkeypatch.setattr(stemming, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "_cairn_snowball", raising=False)
    stemming._load.cache_clear()
    with pytest.raises(ArchiveUnsupported) as caught:
        stemmer("eng")
    assert "Titles" in caught.value.hint
    assert stemmer("jpn")("words") == "words"
