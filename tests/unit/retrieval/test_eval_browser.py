"""What `cairn eval --browser` decides: one pack for both runs, and when their ids agree."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from cairn.index.types import LexicalQuery
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.build import Embedding
from cairn.sources.packs.install import install, open_installed
from cairn.sources.packs.source import PackSource
from tests.unit.packs.helpers import MODEL, drive, fake_embed, silent

agreement = pytest.importorskip("cairn.cli.eval_agreement")  # the command line is not in the browser
eval_pack = pytest.importorskip("cairn.cli.eval_pack")
eval_command = pytest.importorskip("cairn.cli.eval")

ROWS = [
    {"_id": "b#1", "title": "Water", "text": "Boil river water for one minute.", "lang": "en", "doc": "b"},
    {"_id": "b#2", "title": "Water", "text": "Boil river water for one minute.", "lang": "en", "doc": "b"},
    {
        "_id": "b#3",
        "title": "Water > Filters",
        "text": "\ufeff\nA\0filter\r\nof sand.\n\n",
        "lang": "en",
        "doc": "b",
    },
    {"_id": "a#1", "title": "", "text": "把水烧开一分钟。", "lang": "zh", "doc": "a"},
    {"_id": "c#1", "title": "Water", "text": "Let the water cool.", "lang": "en", "doc": "b"},
]


def hits(*scores: tuple[str, float]) -> list[object]:
    return [agreement.Ranked(name, score, rank, 0) for rank, (name, score) in enumerate(scores, start=1)]


def opened(folder: Path, pack: Path) -> PackSource:
    files = DirectoryFiles(folder)
    return drive(
        open_installed(files, drive(install(files, LocalFetch(pack.parent), pack.name, silent)).record)
    )


def test_a_collection_becomes_a_pack_of_the_same_passages(tmp_path: Path) -> None:
    """Intent: every row is one passage, none cut again or lost, and each is known by its own name."""
    embedded: list[str] = []

    def embed(texts: Sequence[str]) -> list[array[float]]:
        embedded.extend(texts)
        return fake_embed(texts)

    names = eval_pack.write_pack(ROWS, tmp_path / "e.zip", Embedding(embed, MODEL))
    assert sorted(names.values()) == sorted(row["_id"] for row in ROWS)
    assert "Water\nBoil river water for one minute." not in embedded, "the title is in the text"
    assert "Water > Filters\nA filter\nof sand." in embedded
    source = opened(tmp_path / "installed", tmp_path / "e.zip")
    try:
        found = source.passages(range(len(ROWS)))
        texts = {names[passage.passage_id]: passage.text.strip() for passage in found}
        assert texts["b#3"] == "A filter\nof sand." and texts["a#1"] == "把水烧开一分钟。"
        assert {names[p.passage_id]: p.document_id for p in found}["b#1"] == found[0].document_id
        minute = source.passages([hit.row for hit in source.search_words(LexicalQuery(("minute",)), 9)])
        assert sorted(names[passage.passage_id] for passage in minute) == ["b#1", "b#2"]
        assert source.vector_model == MODEL
    finally:
        source.close()


def test_the_same_ids_in_the_same_order_agree() -> None:
    here = hits(("a", 0.9), ("b", 0.8), ("c", 0.7))
    assert agreement.verdict(here, hits(("a", 0.5), ("b", 0.4), ("c", 0.3))) == "same"
    assert agreement.verdict([], []) == "same"


def test_only_the_first_ten_are_compared() -> None:
    ten = [(str(n), 1 - n / 10) for n in range(10)]
    assert agreement.verdict(hits(*ten, ("x", 0.0)), hits(*ten, ("y", 0.0))) == "same"


def test_near_ties_are_told_from_differences() -> None:
    """Intent: neighbours within the tolerance may change places, and nothing else may."""
    here = hits(("a", 0.9), ("b", 0.80004), ("c", 0.8), ("d", 0.7))
    assert agreement.verdict(here, hits(("a", 0.9), ("c", 0.8), ("b", 0.8), ("d", 0.7))) == "near tie"
    assert agreement.verdict(here, hits(("b", 0.9), ("a", 0.8), ("c", 0.8), ("d", 0.7))) == "different"
    assert agreement.verdict(here, hits(("a", 0.9), ("b", 0.8), ("c", 0.8))) == "different"
    assert agreement.verdict(here, hits(("a", 0.9), ("b", 0.8), ("c", 0.8), ("x", 0.7))) == "different"


def test_a_tie_across_the_tenth_rank() -> None:
    """Intent: the eleventh here may be the tenth there when nothing lies between them."""
    nine = [(str(n), 1 - n / 20) for n in range(9)]
    here = hits(*nine, ("x", 0.30005), ("y", 0.3))
    assert agreement.verdict(here, hits(*nine, ("y", 0.3))) == "near tie"


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    counted = agreement.Agreement()
    counted.add("one", hits(("a", 0.9), ("b", 0.8)), hits(("a", 0.9), ("b", 0.8)))
    counted.add("two", hits(("a", 0.9), ("b", 0.8)), hits(("b", 0.85), ("a", 0.8)))
    counted.show("by words")
    printed = capsys.readouterr().out
    assert "agree to the rank on 1 of 2 questions" in printed and "1 differ" in printed
    assert "in any order on 2" in printed and "moved by 0.10000" in printed
    assert "different: two" in printed and "rank 1: a (0.90000) here, b (0.85000) in the browser" in printed


def test_without_playwright_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "playwright"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "playwright", None)
    assert eval_command.main([str(tmp_path), "--browser"]) == 2
    assert "pip install -r requirements/test.txt" in capsys.readouterr().err
