"""Search for an answer in the order in which people want it: something to read first, then the best.

The keyword hits are there in milliseconds; E5 takes longer, and much longer where it has to read the
hits of archives. When meaning does not come within :data:`PATIENCE_S`, what the words found is
handed to ``early`` at once, provided that it covers the question; the final result follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cairn.errors import CairnError
from cairn.models.ports import Embedder
from cairn.retrieval.analysis import Analysis
from cairn.retrieval.search import Clock, add_meaning, search_words, start_embedding
from cairn.retrieval.types import SearchResult
from cairn.sources.types import Source

PATIENCE_S = 0.35
"""A question is embedded in 0.04 to 0.3 s; a list that changes under the reader's eyes is worse than one
that comes a moment later."""


async def find(
    analysis: Analysis,
    *,
    sources: Sequence[Source],
    embedder: Embedder | None,
    clock: Clock,
    failed: Callable[[str, CairnError], None],
    early: Callable[[SearchResult], None] = lambda found: None,
    rerank: bool = True,
) -> SearchResult:
    """The best result there is; ``early`` may have had one by words before.

    Raises the first source's error when no source could be searched.
    """
    vector = start_embedding(analysis, embedder)
    try:
        stage = await search_words(analysis, sources=sources, clock=clock)
        meaning = asyncio.ensure_future(
            add_meaning(stage, embedder=embedder, clock=clock, vector=vector, rerank=rerank)
        )
        try:
            done, _ = await asyncio.wait({meaning}, timeout=PATIENCE_S)
            if not done and stage.result.outcome == "matched":
                early(stage.result)
            found = await meaning
        finally:
            meaning.cancel()
    finally:
        if vector is not None:
            vector.cancel()
    if stage.error is not None:
        failed("meaning", stage.error)
    return found
