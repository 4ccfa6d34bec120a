"""The figures that `cairn eval` prints, on collections small enough to check by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

eval_command = pytest.importorskip("cairn.cli.eval")  # the command line is not part of the browser's wheel


def test_figures_of_one_ranking() -> None:
    """Intent: nDCG with linear gain, recall among the first k, reciprocal rank."""
    ndcg, recall5, recall10, mrr = eval_command.measure(["x", "a", "b"], {"a": 2, "b": 1, "c": 1})
    ideal = 2 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg == pytest.approx((2 / math.log2(3) + 1 / math.log2(4)) / ideal)
    assert (recall5, recall10, mrr) == (2 / 3, 2 / 3, 0.5)
    assert list(eval_command.measure([], {"a": 1})) == [0, 0, 0, 0]
    assert list(eval_command.measure(["a"], {})) == [0, 0, 0, 0]


def collection(folder: Path) -> Path:
    def lines(name: str, *rows: dict[str, str]) -> None:
        (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    lines(
        "corpus.jsonl",
        {"_id": "w", "title": "Water", "text": "Boil river water for one minute.", "lang": "en", "doc": "d1"},
        {"_id": "n", "title": "North", "text": "A compass points north.", "lang": "en", "doc": "d2"},
    )
    lines("queries.jsonl", {"_id": "q1", "text": "how long to boil river water", "lang": "en"})
    lines("unanswerable.jsonl", {"_id": "u1", "text": "price of wheat in Argentina", "lang": "en"})
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tw\t1\n", encoding="utf-8")
    return folder


def test_a_collection_by_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Intent: the real index and the real pipeline, without a model."""
    assert eval_command.main([str(collection(tmp_path))]) == 0
    printed = capsys.readouterr().out
    assert "2 passages, 2 questions" in printed
    assert "keywords  all           1  1.000" in printed
    assert "answerable: 1 matched" in printed and "unanswerable: 1 no_match" in printed


def test_a_folder_that_is_no_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert eval_command.main([str(tmp_path)]) == 2
    assert "corpus.jsonl" in capsys.readouterr().out
