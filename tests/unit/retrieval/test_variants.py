"""Questions mistyped and inflected by rule."""

from __future__ import annotations

import pytest

from cairn.retrieval.spelling import slips

variants = pytest.importorskip("cairn.cli.eval_variants")  # not in the browser


def test_one_slip_and_always_the_same() -> None:
    question = "how many whistle blasts is a distress call"
    changed = variants.typo(question, "en")
    assert changed != question and changed == variants.typo(question, "en")
    assert slips(question, changed, 3) == 1
    assert variants.typo("止血", "zh") == "止血"


@pytest.mark.parametrize(
    ("language", "question", "changed"),
    [
        ("en", "bleeding", "bleeded"), ("en", "boiled", "boiling"), ("es", "quemaduras", "quemadura"),
        ("ar", "العلاج", "علاج"), ("tr", "yangınlar", "yangın"), ("zh", "止血", "止血"),
    ],
)  # fmt: skip
def test_forms(language: str, question: str, changed: str) -> None:
    assert variants.inflected(question, language) == changed
