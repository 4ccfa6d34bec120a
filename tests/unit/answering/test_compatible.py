"""Tokens shared with other readers, and no two passages with one token."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cairn.answering.citations import TOKEN, citations
from cairn.answering.compatible import Shared, fnv1a, shared_names, shared_token
from tests.unit.answering.writers import kept
from tests.unit.retrieval.library import FakeSource, passage

BOX = Shared("E", "2026.1")


class DescribedSource(FakeSource):
    def __init__(self, id: str, kind: str, publisher: str = "") -> None:
        super().__init__([], id=id)
        self.kind = kind
        self.publisher = publisher

    def describe(self) -> dict[str, object]:
        return {"version": "2026.1", "archive": {"publisher": self.publisher}}


def test_which_sources_have_shared_tokens() -> None:
    sources = [
        DescribedSource("emergency-box-text", "pack"),
        DescribedSource("field-notes", "pack"),
        DescribedSource("wikipedia_en", "archive"),
        DescribedSource("abc", "archive", "Wikipedia contributors"),
        DescribedSource("foldoc", "archive"),
    ]
    assert shared_names(sources) == {
        "emergency-box-text": BOX,
        "wikipedia_en": Shared("W", "wikipedia_en"),
        "abc": Shared("W", "abc"),
    }


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_token_is_well_formed_and_stable(source: str, document: str, name: str) -> None:
    name = name.encode("utf-8", "ignore").decode()
    document, source = document.encode("utf-8", "ignore").decode(), source.encode("utf-8", "ignore").decode()
    token = shared_token(Shared("W", source), document, name)
    assert TOKEN.fullmatch(token) and token == shared_token(Shared("W", source), document, name)
    assert len(token) == len("[WB-W-0000000]")


def test_the_hash_is_fnv1a() -> None:
    """Values of the algorithm's authors: the offset basis changes into these for "a" and "foobar"."""
    assert fnv1a(b"") == 0x811C9DC5
    assert fnv1a(b"a") == 0xE40C292C
    assert fnv1a(b"foobar") == 0xBF9CF968


def test_two_passages_never_share_a_token() -> None:
    """Two names whose 32 bits collide (found by search): the second one keeps a token of ours."""
    first, second = "51bd987933e4", "192cf3b698e0"
    assert shared_token(BOX, first, "p") == shared_token(BOX, second, "p") == "[WB-E-02IXO5L]"
    passages = [
        replace(passage("a", source="box", document=document), passage_id="p") for document in (first, second)
    ]
    made = [c["token"] for c in citations(kept(*passages, passages[0]), {}, (), {"box": BOX})]
    assert made[0] == made[2] == "[WB-E-02IXO5L]" and made[1].startswith("[CN-P-")
