"""`cairn eval --conversational FOLDER`: what rewriting follow-up questions is worth.

The folder has the layout of :mod:`cairn.cli.eval`; its ``queries.jsonl`` has conversations as well:
``text`` (the last turn), ``rewrite`` (a person's standalone question), ``user_turns``. The same
search is measured with the last turn alone, with our rules, and with the person's rewrite.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from cairn.answering.conversation import PastTurn, recent
from cairn.answering.rewrite import standalone
from cairn.cli.eval import DEPTH, measure, ranking
from cairn.cli.eval_source import EvalSource
from cairn.models.ports import Embedder
from cairn.retrieval.search import search

Row = Mapping[str, Any]


def last_turn(row: Row) -> str:
    """The question as it was typed."""
    return str(row["text"])


def by_rules(row: Row) -> str:
    """Turn by turn, as the app does it: each rewrite knows the ones before."""
    history: list[PastTurn] = []
    *earlier, last = row["user_turns"]
    for question in earlier:
        query = standalone(question, recent(history)).query
        history.append(PastTurn(question, query, ""))
    return standalone(last, recent(history)).query


def gold(row: Row) -> str:
    """A person's rewrite."""
    return str(row["rewrite"])


WAYS: Mapping[str, Callable[[Row], str]] = {"last turn": last_turn, "rules": by_rules, "gold": gold}


async def evaluate(source: EvalSource, folder: Path, qrels: str, embedder: Embedder | None) -> None:
    """Search every conversation's last turn in each way and print the figures."""
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / qrels).read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, gain = line.split("\t")
        judged.setdefault(query, {})[passage] = int(gain)
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[Row] = [row for row in map(json.loads, lines) if row["_id"] in judged]
    later = [row for row in rows if len(row["user_turns"]) > 1]
    changed = sum(by_rules(row) != last_turn(row) for row in later)
    print(
        f"{len(rows)} conversations, {len(later)} of them past the first turn, {changed} rewritten by rules"
    )
    print(f"{'':12}nDCG@10  recall@5  recall@10  MRR@10")
    for name, way in WAYS.items():
        figures = [await _figures(source, way(row), judged[row["_id"]], embedder) for row in rows]
        print(f"{name:12}" + "    ".join(f"{mean:.3f} " for mean in _means(figures)))


async def _figures(
    source: EvalSource, query: str, relevant: Mapping[str, int], embedder: Embedder | None
) -> Sequence[float]:
    result = await search(query, sources=[source], embedder=embedder, clock=_clock)
    ids = [source.passage_key(c.passage.row) for c in ranking(result, "both")[:DEPTH]]
    return measure(ids, relevant)


def _means(figures: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(figures) for column in zip(*figures, strict=True)]


def _clock() -> float:
    return perf_counter() * 1_000
