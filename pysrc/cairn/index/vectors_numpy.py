"""The scan of a vector file with numpy. The only module of the core that imports it; see DESIGN.md 3."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from cairn.index.vectors import query_norm

_ROWS_AT_ONCE = 1024  # keeps the float copies of a block at 3 MB


def best_rows(
    blocks: Iterator[tuple[int, bytes]],
    norms: array[float],
    query: array[float],
    limit: int,
    margin: float,
) -> list[int]:
    """Rows that could be among the best ``limit`` (as :func:`vector_search.best_rows`), sorted."""
    wanted = np.frombuffer(query, dtype=np.float32).astype(np.float64) / query_norm(query)
    all_norms = np.frombuffer(norms, dtype=np.float32)
    scores = np.empty(len(norms), dtype=np.float64)
    for first, data in blocks:
        rows = np.frombuffer(data, dtype=np.int8).reshape(-1, len(query))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            begin = first + start
            scores[begin : begin + len(part)] = part.astype(np.float64) @ wanted
    scores /= all_norms
    floor = np.partition(scores, len(scores) - limit)[len(scores) - limit] - margin
    found: list[int] = np.flatnonzero(scores >= floor).tolist()
    return found
