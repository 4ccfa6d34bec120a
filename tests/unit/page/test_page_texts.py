"""Parts of the page that make text, run on CPython with an empty browser around them."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

ROOT = Path(__file__).resolve().parents[3]
UI = ROOT / "web" / "ui"
MODULES = ("answer", "citations", "debug", "dom", "edit", "export", "strings")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The page's modules by name, with the words of the English catalogue."""
    window = MagicMock()
    window.Date.new = lambda ms: SimpleNamespace(
        toISOString=lambda: datetime.fromtimestamp(ms / 1000, UTC).isoformat()
    )
    pyscript, ffi = ModuleType("pyscript"), ModuleType("pyscript.ffi")
    pyscript.__dict__.update(document=MagicMock(), window=window, fetch=MagicMock())
    ffi.__dict__["create_proxy"] = lambda function: function
    monkeypatch.setitem(sys.modules, "pyscript", pyscript)
    monkeypatch.setitem(sys.modules, "pyscript.ffi", ffi)
    monkeypatch.syspath_prepend(str(UI))
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    loaded = {name: importlib.import_module(name) for name in MODULES}
    words = json.loads((ROOT / "web" / "locales" / "en.json").read_text(encoding="utf-8"))
    loaded["strings"]._words.update(words)
    yield SimpleNamespace(**loaded)
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


CITATION = {
    "n": 1,
    "token": "[CN-P-0123456789AB]",
    "source_title": "Field notes",
    "title": "Boiling",
    "locator": "How long",
    "licence": "CC0-1.0",
    "text": "Bring it to a rolling boil.\n\n# Not a heading",
    "cited": True,
}


def turn(**result: Any) -> dict[str, Any]:
    return {
        "question": "How long?\n# Injected",
        "asked_ms": 0.0,
        "notes": ["These passages are only near your question."],
        "settings": {"style": "detailed", "language": "es", "sources": [{"title": "Field notes"}]},
        "result": {
            "query": "how long to boil",
            "text": "Boil for one minute. [1]",
            "quotes": [{"text": "Bring it to\na rolling boil.", "n": 1}],
            "sentences": [{"text": "It keeps for a month.", "n": 0, "support": 0.1, "confirmed": False}],
            "citations": [CITATION, {**CITATION, "n": 2, "title": "Filters", "cited": False}],
            "outcome": "matched",
            "finish": "complete",
            "model": "small (wasm, q8)",
            **result,
        },
    }


def test_markdown_has_the_answer_its_sources_and_its_settings(page: SimpleNamespace) -> None:
    """Intent: whoever reads the file can check the answer; texts from outside make no headings."""
    text = page.export.markdown({"title": "Water\n# x", "created_ms": 0.0}, [turn()])
    lines = text.split("\n")
    assert lines[0] == "# Water # x"
    assert [line for line in lines if line.startswith("#")] == ["# Water # x", "## How long? # Injected"]
    for part in (
        "searched: how long to boil",
        "> Bring it to a rolling boil. [1]",
        "Boil for one minute. [1]",
        "“It keeps for a month.” is not confirmed by the source.",
        "These passages are only near your question.",
        "- [1] Boiling · Field notes · How long · CC0-1.0 · [CN-P-0123456789AB]",
        "  > Bring it to a rolling boil. # Not a heading",
        "- [2] Filters",
        "asked: Field notes · Detailed · es · small (wasm, q8) · ended: complete",
    ):
        assert part in text, part
    assert text.index("**Sources**") < text.index("[1] Boiling") < text.index("**Also found**")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("How do I?", "How-do-I"),
        ("../../etc/passwd", "etc-passwd"),
        ('a<b>:"c|d*\\e\n\x00f', "a-b-c-d-e-f"),
        ("如何净化河水？", "如何净化河水？"),
        ("???", "cairn"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_title_becomes_a_name_that_every_system_takes(page: SimpleNamespace, title: str, name: str) -> None:
    """Intent: no path, no reserved sign, never empty."""
    assert page.export.file_name(title) == name


def marked(page: SimpleNamespace, text: str, *unconfirmed: str) -> str:
    shown = page.answer.Turn.__new__(page.answer.Turn)
    shown.text = text
    shown.result = {"sentences": [{"text": one, "confirmed": False} for one in unconfirmed]}
    out: str = shown._marked_text()
    return out.replace(page.answer.OPEN, "{").replace(page.answer.SHUT, "}")


def test_only_sentences_that_are_not_confirmed_are_marked(page: SimpleNamespace) -> None:
    """Intent: the mark stands where the statement is, and leaves lists and headings what they are."""
    text = "Boil it. [1]\n\n- It keeps for a month.\n2. Add salt."
    assert marked(page, text) == text
    assert marked(page, text, "- It keeps for a month.", "2. Add salt.") == (
        "Boil it. [1]\n\n- {It keeps for a month.}\n2. {Add salt.}"
    )
    assert marked(page, text, "Not in it.", "", "Boil it. [1]\n\n- It") == text
    forged = "A \ue000forged\ue001 mark."
    assert marked(page, forged) == "A forged mark."


@pytest.mark.parametrize(
    "text", ["", "\u200b", "\u200e\u200f\u202e", " \ufeff\n\x00", "\u2066\u2069", "\u00ad"]
)
def test_marks_alone_are_nothing_to_ask(page: SimpleNamespace, text: str) -> None:
    """Intent: a question that nobody can see is not asked."""
    assert not page.dom.visible(text)
    assert page.dom.visible(text + "?")
    assert page.dom.visible(text + "水")
