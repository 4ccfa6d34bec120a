"""The words of the page: every language has every key with the same places to fill, and none is unknown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCALES = ROOT / "web" / "locales"
ENGLISH: dict[str, str] = json.loads((LOCALES / "en.json").read_text(encoding="utf-8"))
SCRIPT = (ROOT / "web" / "language.mjs").read_text(encoding="utf-8")
LANGUAGES = re.findall(r"(\w\w): \"", SCRIPT.split("LANGUAGES", 1)[1].split("}")[0])
# Forms of a plural beyond English's "one" and "other" (Unicode CLDR), where a language has them.
FORMS = ("zero", "one", "two", "few", "many", "other")


def places(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


def is_plural(key: str) -> bool:
    return key.rpartition(".")[2] in FORMS and f"{key.rpartition('.')[0]}.other" in ENGLISH


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_sentence(language: str) -> None:
    """Intent: nobody meets a key, an English sentence among their own, or an unfilled place."""
    words: dict[str, str] = json.loads((LOCALES / f"{language}.json").read_text(encoding="utf-8"))
    needed = {key for key in ENGLISH if not is_plural(key) or key.endswith(".other")}
    assert sorted(needed - set(words)) == []
    unknown = {key for key in words if key not in ENGLISH and not is_plural(key)}
    assert sorted(unknown) == []
    for key, sentence in words.items():
        assert sentence.strip() or not ENGLISH.get(key, "").strip(), key
        model = ENGLISH.get(key) or ENGLISH[f"{key.rpartition('.')[0]}.other"]
        extra = places(sentence) - places(model)
        lacking = set() if is_plural(key) else places(model) - places(sentence)
        assert not extra and not lacking, (key, sentence)


def test_every_word_that_the_page_asks_for_exists() -> None:
    """Intent: a missing key fails here, not on a person's screen."""
    asked: dict[str, str] = {}
    for path in sorted((ROOT / "web").rglob("*")):
        if path.suffix == ".py":
            found = re.findall(r"""\bt\(\s*"([a-z_][\w.]*)"[,)]""", path.read_text(encoding="utf-8"))
        elif path.suffix == ".html":
            found = re.findall(r'data-t(?:-\w+)?="([^"]+)"', path.read_text(encoding="utf-8"))
        else:
            continue
        asked |= {key: path.name for key in found}
    assert len(asked) > 50
    assert {key: where for key, where in asked.items() if key not in ENGLISH} == {}
