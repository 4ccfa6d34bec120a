"""Search as a page of its own: hits while a person types, filters with counts, why a hit is there."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cairn.answering.citations import citations
from cairn.answering.debug import describe_candidate
from cairn.errors import CairnError
from cairn.index.rows import Filters
from cairn.index.types import LexicalQuery
from cairn.parameters import filters, flag, search_limit, source_ids, text
from cairn.passages.scripts import has_cjk
from cairn.protocol import MAX_QUESTION_CHARS, Facet, SearchCounts, SearchHit, SearchResponse
from cairn.retrieval.analysis import analyse
from cairn.retrieval.excerpts import excerpt
from cairn.retrieval.overlap import Weights
from cairn.retrieval.search import WordsStage, add_meaning, comparable, search_words
from cairn.retrieval.types import SearchResult
from cairn.session import Emit, RequestId
from cairn.sources.sifted import counts, narrowed
from cairn.sources.types import Completing, Counts, Source

if TYPE_CHECKING:
    from cairn.engine import Engine

SETTLED_SECONDS = 0.12
"""How long a person who types must pause before the query is embedded: E5 takes half of that."""

_LAST_WORD = re.compile(r"(?<![\w\"“„«-])([^\W\d_]{3,40})$")
Choose = Callable[[list[str] | None], Sequence[Source]]


class SearchServices:
    """Serves ``engine.search`` and ``engine.search_counts``."""

    def __init__(self, engine: Engine, choose: Choose, failed: Callable[[str, CairnError], None]) -> None:
        """``choose`` gives the sources to ask; ``failed`` is told of a model that died."""
        self._engine = engine
        self._choose = choose
        self._failed = failed
        self._counted: dict[tuple[str, LexicalQuery, frozenset[str]], Counts] = {}
        self.methods = {"engine.search": self._search, "engine.search_counts": self._counts}

    async def _search(self, params: dict[str, Any], request: RequestId, emit: Emit) -> SearchResponse:
        engine = self._engine
        query = text(params, "query")[:MAX_QUESTION_CHARS]
        chosen, limit, semantic = source_ids(params), search_limit(params), flag(params, "semantic")
        within, typing = filters(params), flag(params, "typing", default=False)
        await engine.wait_started()
        sources = _narrowed(self._choose(chosen), within)
        query, completed = _completed(query, sources) if typing else (query, "")
        analysis = analyse(query)
        engine.asking(+1)
        try:
            stage = await search_words(analysis, sources=sources, clock=engine.now)
            respond = _Responding(engine, stage, query, completed, limit)
            embedder = engine.embedder if semantic and engine.meaning.ready else None
            with_vectors = (
                [comparable(s.vector_model, embedder.info) for s in stage.sources] if embedder else []
            )
            rerankable = not all(with_vectors)
            if embedder is None or not (any(with_vectors) or (rerankable and not typing)):
                return respond(stage.result, complete=not (typing and rerankable))
            emit("search.event", {**respond(stage.result, complete=False), "request": request})
            await asyncio.sleep(SETTLED_SECONDS if typing else 0)
            result = await add_meaning(stage, embedder=embedder, clock=engine.now, rerank=not typing)
            if stage.error is not None:
                self._failed("meaning", stage.error)
            return respond(result, complete=not (typing and rerankable))
        finally:
            engine.asking(-1)

    async def _counts(self, params: dict[str, Any], request: RequestId, emit: Emit) -> SearchCounts:
        query = text(params, "query")[:MAX_QUESTION_CHARS]
        chosen, within = source_ids(params), filters(params)
        await self._engine.wait_started()
        sources = self._choose(None)
        lexical = analyse(query).lexical()
        tables: dict[str, Counts] = {}
        for source in sources:
            tables[source.id] = self._table(source, lexical, within.documents)
            await asyncio.sleep(0)  # a newer request or a stop gets its turn between sources
        return _facets(tables, {source.id: source.title for source in sources}, chosen, within)

    def _table(self, source: Source, query: LexicalQuery, documents: frozenset[str]) -> Counts:
        """The counts of one source, kept for the next change of a filter."""
        key = (source.id, query, documents)
        if key not in self._counted:
            if not all(known[1:] == key[1:] for known in self._counted):
                self._counted.clear()
            try:
                self._counted[key] = counts(source, query, documents)
            except CairnError:
                return Counter()  # the search itself says what is wrong with the source
        return self._counted[key]


class _Responding:
    """Makes responses of one search."""

    def __init__(self, engine: Engine, stage: WordsStage, asked: str, completed: str, limit: int) -> None:
        sources = engine.require_library().select(None)
        self._titles = {source.id: source.title for source in sources}
        self._archives = {source.id for source in sources if source.kind == "archive"}
        self._weights = stage.weights
        self._analysis = stage.analysis
        self._asked = asked
        self._completed = completed
        self._limit = limit

    def __call__(self, result: SearchResult, *, complete: bool) -> SearchResponse:
        return {
            "query": result.query,
            "asked": self._asked,
            "completed": self._completed,
            "phrases": list(self._analysis.phrases),
            "excluded": list(self._analysis.excluded),
            "language": self._analysis.language,
            "mode": result.mode,
            "outcome": result.outcome,
            "relevance": result.relevance,
            "hits": self._hits(result, self._weights),
            "timings": result.timings,
            "notes": result.notes,
            "complete": complete,
        }

    def _hits(self, result: SearchResult, weights: Weights) -> list[SearchHit]:
        kept = {id(candidate) for candidate in result.kept}
        rest = [c for c in result.considered if id(c) not in kept]
        listed = [*result.kept, *rest][: self._limit]
        hits = []
        for citation, candidate in zip(citations(listed, self._titles, self._archives), listed, strict=True):
            shown = excerpt(candidate.passage.text, weights)
            hits.append(
                SearchHit(
                    **citation,
                    excerpt=shown.text,
                    marks=[list(mark) for mark in shown.marks],
                    why=describe_candidate(candidate, weights),
                )
            )
        return hits


def _narrowed(sources: Iterable[Source], within: Filters) -> list[Source]:
    found = (narrowed(source, within) for source in sources)
    return [source for source in found if source is not None]


def _completed(query: str, sources: Sequence[Source]) -> tuple[str, str]:
    """The query with its unfinished last word made whole, and that word; "" when it is one already."""
    match = _LAST_WORD.search(query)
    if match is None or has_cjk(match[1]):
        return query, ""
    prefix = match[1].lower()
    asked = [source for source in sources if isinstance(source, Completing)]
    if any(source.document_frequency([prefix])[prefix] for source in asked):
        return query, ""
    frequencies: Counter[str] = Counter()
    for source in asked:
        word = source.completion(prefix)
        if word:
            frequencies[word] += source.document_frequency([word])[word]
    word = max(frequencies, key=lambda word: (frequencies[word], word), default="")
    return (query[: match.start()] + word if word else query), word


def _facets(
    tables: dict[str, Counts], titles: dict[str, str], chosen: list[str] | None, within: Filters
) -> SearchCounts:
    """Each filter's values, counted under the other filters."""
    asked = set(tables) if not chosen else set(chosen)
    languages: Counter[str] = Counter()
    collections: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for name, table in tables.items():
        for (language, collection), count in table.items():
            by_language = not within.languages or language in within.languages
            by_collection = not within.collections or collection in within.collections
            if name in asked and by_collection:
                languages[language] += count
            if name in asked and by_language:
                collections[collection] += count
            if by_language and by_collection:
                sources[name] += count
    return {
        "sources": [Facet(value=v, label=titles[v], count=n) for v, n in sources.most_common()],
        "languages": [Facet(value=v, label=v, count=n) for v, n in languages.most_common()],
        "collections": [Facet(value=v, label=v, count=n) for v, n in collections.most_common()],
        "total": sum(count for name, count in sources.items() if name in asked),
    }
