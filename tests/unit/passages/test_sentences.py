"""Sentence ends in every script, and what only looks like one."""

from __future__ import annotations

import pytest

from cairn.passages.sentences import sentences


def cut(text: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("eng", "Boil it. Let it cool.", ["Boil it.", "Let it cool."]),
        ("eng", "Use 3.5 l a day. Dr. Smith agrees.", ["Use 3.5 l a day.", "Dr. Smith agrees."]),
        ("eng", "Soap, salt, etc. are fine. Bring approx. 2 l, e.g. in cans.",
         ["Soap, salt, etc. are fine.", "Bring approx. 2 l, e.g. in cans."]),
        ("eng", "Bring soap, etc. Then go.", ["Bring soap, etc.", "Then go."]),
        ("eng", "See fig. 3 and no. 5. No. That is all.", ["See fig. 3 and no. 5.", "No.", "That is all."]),
        ("eng", "\"Why?\" he asked. “Because.” She left!", ["\"Why?\" he asked.", "“Because.”", "She left!"]),
        ("eng", "J. R. Smith came at 5 p.m. on foot. He was late.",
         ["J. R. Smith came at 5 p.m. on foot.", "He was late."]),
        ("eng", "Wait... then go. Really?! Yes.", ["Wait... then go.", "Really?!", "Yes."]),
        ("eng", "It was in 1999. Then rain.[3] More.", ["It was in 1999.", "Then rain.[3]", "More."]),
        ("spa", "La Sra. Paz usó 2 l. ¿Por qué? ¡Claro! Pág. 4.",
         ["La Sra. Paz usó 2 l.", "¿Por qué?", "¡Claro!", "Pág. 4."]),
        ("fra", "Voir p. 12. Mme. Roy dit : « Non. » Puis part.",
         ["Voir p. 12.", "Mme. Roy dit : « Non.", "» Puis part."]),
        ("deu", "Am 3. Mai z.B. regnet es. Dann bzw. später nicht.",
         ["Am 3. Mai z.B. regnet es.", "Dann bzw. später nicht."]),
        ("rus", "Вода и т.д. Потом 5 руб. за литр, т.е. дорого. Да!",
         ["Вода и т.д.", "Потом 5 руб. за литр, т.е. дорого.", "Да!"]),
        ("zho", "把水烧开。“可以喝吗？”可以！等1.5小时。",
         ["把水烧开。", "“可以喝吗？”", "可以！", "等1.5小时。"]),
        ("jpn", "水を沸かす。飲めますか？はい。", ["水を沸かす。", "飲めますか？", "はい。"]),
        ("ara", "اغلِ الماء. هل هو آمن؟ نعم!", ["اغلِ الماء.", "هل هو آمن؟", "نعم!"]),
        ("urd", "پانی ابالیں۔ پھر پئیں۔", ["پانی ابالیں۔", "پھر پئیں۔"]),
        ("hin", "पानी उबालें। फिर पिएँ॥ ठीक है?", ["पानी उबालें।", "फिर पिएँ॥", "ठीक है?"]),
        ("amh", "ውሃ አፍሉ። ጠጡ።", ["ውሃ አፍሉ።", "ጠጡ።"]),
        ("hye", "Եռացրեք ջուրը։ Խմեք։", ["Եռացրեք ջուրը։", "Խմեք։"]),
    ],
)  # fmt: skip
def test_ends(language: str, text: str, expected: list[str]) -> None:
    """Intent: one answer sentence is what a reader would call one."""
    assert cut(text, language) == expected


def test_unknown_language_uses_all_abbreviations() -> None:
    """Intent: a text without a language still keeps "z.B." and "e.g." together."""
    assert cut("Nimm z.B. Salz. Take e.g. salt.") == ["Nimm z.B. Salz.", "Take e.g. salt."]


def test_lines_that_stand_alone() -> None:
    """Intent: items, headings and rows are sentences; wrapped lines are one."""
    text = (
        "# Head\nBoil the\nwater well. Wait.\n\n- one. Two\n  wrapped\n* three\n1. Step four\n"
        "(2) Step five\n\nLOUD\nquiet\n\n| a | b |\n|---|---|\n| 1. | 2 |\n---\n😀\n"
    )
    assert cut(text) == [
        "Head", "Boil the\nwater well.", "Wait.", "one.", "Two\n  wrapped", "three", "1. Step four",
        "(2) Step five", "LOUD", "quiet", "| a | b |", "| 1. | 2 |",
    ]  # fmt: skip


def test_thai_is_cut_at_spaces_only_when_long() -> None:
    """Intent: Thai has no full stop; long stretches still become quotable."""
    phrase = "ต้มน้ำให้เดือดเป็นเวลาหนึ่งนาทีแล้วปล่อยให้เย็นก่อนดื่ม"
    assert len(cut(phrase)) == 1
    assert len(cut(" ".join([phrase] * 4), "tha")) > 1
