"""Runs inside Pyodide: what two-word questions cost in an index of millions of documents."""

from __future__ import annotations

import json
from collections.abc import Callable

from cairn.sources.archives.container import Archive
from cairn.sources.archives.fulltext import FullText, open_full_text
from cairn.sources.archives.idle import BATCH_NUMPY
from cairn.sources.archives.kernel import numpy_kernel
from cairn.sources.archives.reader import FileReader

QUESTIONS = ("pump the", "zuse the", "water the", "river the", "zuse of", "pump of", "water of", "river of")
WARM_UP = ("the pump", "the of")


def measure(path: str, cpu: Callable[[], float]) -> str:
    """JSON: milliseconds of CPU of opening, of each question, of all idle work and its longest piece."""
    began = cpu()
    index, problem = open_full_text(Archive(FileReader(path)))
    if index is None:
        raise RuntimeError(problem)
    opened = cpu() - began
    for question in WARM_UP:
        index.search(question, 8)
    before = {question: _cold(index, question, cpu) for question in QUESTIONS}
    pieces = []
    loading = index.postings.load_lengths(numpy_kernel(), batch=BATCH_NUMPY)
    while True:
        began = cpu()
        done = next(loading, True)
        pieces.append(cpu() - began)
        if done:
            break
    after = {question: _cold(index, question, cpu) for question in QUESTIONS}
    return json.dumps(
        {
            "documents": index.documents, "opened": opened, "before": before, "after": after,
            "idle": sum(pieces), "piece": max(pieces), "held": index.postings.lengths_held,
        }
    )  # fmt: skip


def _cold(index: FullText, question: str, cpu: Callable[[], float]) -> float:
    """Milliseconds of a question whose words were not asked before."""
    index.postings.forget()
    began = cpu()
    index.search(question, 8)
    return cpu() - began
