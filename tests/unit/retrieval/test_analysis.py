"""What is looked for, given what a person typed."""

from __future__ import annotations

import pytest

from cairn.retrieval.analysis import MAX_TERMS, analyse

ODD = [
    "", " ", "-", "*", "--", '"', '""', '"a" OR NEAR(', "NEAR(a b, 3)", "a AND NOT", "col:value", "^x",
    "😀😀👩‍🚒",    "-word",
    '-"x', "\x00", "\ud800", "\u202eabc",
    "(((", "a" * 10_000, "word " * 3_000, "水" * 10_000,
    "%_\\",
]  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_no_text_raises(text: str) -> None:
    """Intent: issue "bad input": empty, 10,000 characters, emoji only, FTS syntax."""
    found = analyse(text)
    assert len(found.question) <= 4_000
    assert len(found.terms) <= MAX_TERMS
    assert found.lexical().empty == (not found.terms and not found.phrases)
    found.question.encode()  # what is embedded and shown is valid text


def test_the_asking_is_left_out() -> None:
    """Intent: stop words and question phrases find everything and tell nothing."""
    assert analyse("How do I make river water safe to drink?").terms == ("river", "water", "safe", "drink")
    assert analyse("Please tell me the best way to stop a nosebleed").terms == ("stop", "nosebleed")


def test_negations_stay() -> None:
    """Intent: "not breathing" is another emergency than "breathing"."""
    assert "not" in analyse("the child is not breathing").terms
    assert "sin" in analyse("herida sin sangre").terms


def test_stop_words_alone_are_looked_for() -> None:
    """Intent: a question of stop words only finds what it can instead of nothing."""
    assert analyse("what is it").terms == ("what", "is", "it")
    assert analyse("可以").terms == ("可以",)


def test_phrases_and_exclusions() -> None:
    """Intent: quotation marks of any kind and a leading minus are understood, and shown."""
    found = analyse('stop “severe bleeding” -nose "tourniquet"')
    assert found.phrases == ("severe bleeding",)
    assert found.excluded == ("nose",)
    assert {"stop", "severe", "bleeding", "tourniquet"} <= set(found.terms)
    assert found.shown.startswith("“severe bleeding” ") and found.shown.endswith(" -nose")


def test_what_only_looks_like_an_exclusion() -> None:
    """Intent: a temperature or a hyphen is no exclusion; neither is all there is."""
    assert analyse("clothing at -40 degrees").excluded == ()
    assert analyse("first-aid kit - list").excluded == ()
    only = analyse("-bleeding")
    assert only.terms == ("bleeding",) and only.excluded == ()


def test_chinese_and_japanese_become_bigrams() -> None:
    """Intent: unicode61 sees a run of CJK as one word; bigrams are what the index has."""
    assert analyse("如何止血？").terms == ("止血",)
    found = analyse("怎么净化河水")
    assert found.terms == ("净化", "化河", "河水") and found.shown == "净化河水"
    assert found.language == "zho"
    assert analyse("傷口の消毒方法を教えてください").terms == ("傷口", "消毒", "毒方", "方法")
    assert analyse("“止血带”").phrases == ("止血带",)


def test_elided_articles_are_cut() -> None:
    """Intent: "l'eau" as one term finds only itself."""
    assert "eau" in analyse("faire bouillir l'eau").terms
    assert "acqua" in analyse("purificare dell'acqua").terms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I stop the bleeding?", "eng"),
        ("¿Cómo puedo purificar el agua?", "spa"),
        ("comment purifier de l'eau", "fra"),
        ("Wie entferne ich eine Zecke richtig?", "deu"),
        ("colpo di calore sintomi e primo soccorso", "ita"),
        ("deprem anında ne yapmalı", "tur"),
        ("как подать сигнал самолёту зеркалом", "rus"),
        ("كيف أجعل ماء النهر صالحا للشرب", "ara"),
        ("टूटी हुई हड्डी पर पट्टी कैसे बाँधें", "hin"),
        ("止血", "zho"),
        ("けがの手当て", "jpn"),
        ("출혈을 멈추는 방법", "kor"),
        ("CPR infant", "und"),
    ],
)
def test_language(text: str, language: str) -> None:
    """Intent: the answer is written in this language; a doubtful guess is none."""
    assert analyse(text).language == language


def test_long_questions_keep_what_tells_most() -> None:
    """Intent: of a pasted page, numbers and long words are kept, in their order."""
    filler = " ".join(f"{chr(97 + i)}{chr(97 + i)}b" for i in range(26))
    found = analyse(f"{filler} defibrillation 121.5 hypothermia")
    assert len(found.terms) == MAX_TERMS
    assert [t for t in found.terms if len(t) > 3] == ["defibrillation", "121.5", "hypothermia"]
