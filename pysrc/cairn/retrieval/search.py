"""Search over any sources: words first, meaning when it is there, never an exception for a model.

Two stages, so that keyword hits can be on screen before E5 or numpy are ready:

1. :func:`search_words` asks every source's keyword index (at most 40 hits each).
2. :func:`add_meaning` embeds the question once, asks the vectors of every source that has them, and
   lets E5 order the best keyword hits of sources without vectors, within a time budget.

Both end in the same ranking (:mod:`cairn.retrieval.ranking`). :func:`search` runs them in a row and
starts the embedding first, so that the worker computes while SQLite does.

**Which vectors may be compared.** A source's vectors and the question's must come from the same
weights: model id and revision must be equal. The dtype may differ (a pack made with q8 on a CPU is
asked with q4 on WebGPU): the conversions of E5-small agree with the original to a cosine of 0.9985
(q8) and 0.9995 (q4), far less than the distance between neighbouring passages.

**Failing models.** When the embedder raises or exceeds its time, the keyword result stands, with a
note, mode ``lexical-fallback``. A source whose index fails is left out with a note; only when every
source failed the first error is raised.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from cairn.errors import CairnError, TimedOut
from cairn.index.types import Hit
from cairn.models.ports import Embedder, ModelInfo
from cairn.passages.embedding import embedding_text
from cairn.passages.scripts import has_cjk
from cairn.passages.types import Passage
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.neutral import language_neutral, place
from cairn.retrieval.overlap import Weights, plain_words
from cairn.retrieval.ranking import Ranked, rank
from cairn.retrieval.spelling import respell
from cairn.retrieval.types import Candidate, Fusion, Mode, SearchResult
from cairn.retrieval.weights import key_weights, term_weights
from cairn.retrieval.wording import Wording, flat, read
from cairn.sources.types import Source, Valued, VectorModel, search_vector, vectors_complete

PER_SOURCE = 40
MEANT = ("hybrid-full-vector", "semantic-reranked")
"""Modes of candidates whose meaning was compared already."""

RERANKED = 16
"""Keyword hits per search that E5 may order for sources without vectors."""

RERANK_CHARS = 800
"""Characters of a passage that are embedded for reranking: about 200 tokens, 0.25 s in WebAssembly."""

RERANK_BATCH = 4
RERANK_BUDGET_MS = 2_500.0
EMBED_LIMIT_S = 8.0
"""Longest wait for the question's vector; 0.04 to 0.3 s are usual."""

Clock = Callable[[], float]
"""Milliseconds, monotonic."""

KEYWORDS_ONLY = "Searched by words only: search by meaning did not answer ({reason})"


@dataclass(slots=True)
class WordsStage:
    """What :func:`search_words` found: complete in itself, and the base of :func:`add_meaning`."""

    analysis: Analysis
    sources: list[Source]
    weights: Weights
    wording: Wording
    lexical: list[list[Candidate]]  # per source, in bm25 order
    result: SearchResult
    timings: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fusion: Fusion = "calibrated"
    error: CairnError | None = None  # why meaning could not be added


def comparable(vectors: VectorModel | None, embedder: ModelInfo | None) -> bool:
    """Whether a question embedded by ``embedder`` may be compared with these vectors."""
    return (
        vectors is not None
        and embedder is not None
        and (vectors.id, vectors.revision, vectors.dimensions)
        == (embedder.id, embedder.revision, embedder.dimensions)
    )


async def search(
    question: str | Analysis,
    *,
    sources: Sequence[Source],
    embedder: Embedder | None,
    clock: Clock,
    failed: Callable[[str, CairnError], None] | None = None,
    fusion: Fusion = "calibrated",
) -> SearchResult:
    """Both stages. ``failed("meaning", error)`` is told of an embedder that raised.

    Raises the first source's error when no source could be searched.
    """
    analysis = respell(analyse(question) if isinstance(question, str) else question, sources)
    vector = start_embedding(analysis, embedder)
    try:
        stage = await search_words(analysis, sources=sources, clock=clock)
        stage.fusion = fusion
        result = await add_meaning(stage, embedder=embedder, clock=clock, vector=vector)
    finally:
        if vector is not None:
            vector.cancel()
    if stage.error is not None and failed is not None:
        failed("meaning", stage.error)
    return result


def start_embedding(analysis: Analysis, embedder: Embedder | None) -> asyncio.Task[array[float]] | None:
    """Begin embedding the question, unless there is nothing to embed it with; cancel it if unused.

    The whole question is embedded, question words and negations included.
    """
    if embedder is None or embedder.info is None or not analysis.question:
        return None
    return asyncio.ensure_future(_embed(embedder, analysis.question))


async def search_words(analysis: Analysis, *, sources: Sequence[Source], clock: Clock) -> WordsStage:
    """Keyword hits of every source, ranked. Raises when no source could be searched."""
    began = clock()
    analysis = respell(analysis, sources)
    await asyncio.sleep(0)  # let a started embedding reach its worker before SQLite holds the thread
    query = analysis.lexical()
    asked: list[Source] = []
    found: list[list[Hit]] = []
    notes: list[str] = []
    errors: list[CairnError] = []
    for source in sources:
        try:
            hits = [] if query.empty else source.search_words(query, PER_SOURCE)
        except CairnError as error:
            notes.append(f"{source.title} could not be searched: {error.message}")
            errors.append(error)
            continue
        asked.append(source)
        found.append(hits)
        await asyncio.sleep(0)  # a newer request or a stop gets its turn between sources
    if errors and not asked:
        raise errors[0]
    searched = clock()
    terms = term_weights(analysis, asked)
    weights, wording = key_weights(terms), Wording(terms, analysis.alternatives, analysis.synonyms)
    lexical = [_candidates(s, h, weights, wording) for s, h in zip(asked, found, strict=True)]
    timings = {"lexical": searched - began, "passages": clock() - searched}
    stage = WordsStage(analysis, asked, weights, wording, lexical, _nothing(analysis), timings, notes)
    stage.result = _rank(stage, Ranked(lexical=lexical), clock)
    return stage


async def add_meaning(
    stage: WordsStage,
    *,
    embedder: Embedder | None,
    clock: Clock,
    vector: Awaitable[array[float]] | None = None,
    rerank: bool = True,
) -> SearchResult:
    """The keyword result with meaning added as far as possible; the keyword result otherwise.

    ``vector`` is a started embedding (see :func:`start_embedding`), started here when None. Without
    ``rerank`` the hits of sources without vectors stay in keyword order. Never raises for the
    embedder: ``stage.error`` keeps its error.
    """
    if embedder is None or embedder.info is None or not stage.sources or not stage.analysis.question:
        return stage.result
    began = clock()
    try:
        async with asyncio.timeout(EMBED_LIMIT_S):
            query = await (vector or _embed(embedder, stage.analysis.question))
        query = language_neutral(query, embedder.info)
        stage.timings["embed"] = clock() - began
        semantic, growing = await _search_vectors(stage, query, embedder.info, clock)
        reranked = await _rerank(stage, query, embedder, embedder.info, clock) if rerank else []
    except (CairnError, TimeoutError) as error:
        stage.error = (
            error
            if isinstance(error, CairnError)
            else TimedOut("The embedding took too long.", hint="Search by words goes on.", retryable=True)
        )
        stage.notes.append(KEYWORDS_ONLY.format(reason=stage.error.message))
        stage.result.notes = list(stage.notes)
        return stage.result
    ranked = Ranked(stage.lexical, semantic, growing + reranked, embedder.info)
    stage.result = _rank(stage, ranked, clock)
    stage.result.vector = query
    return stage.result


async def _embed(embedder: Embedder, text: str) -> array[float]:
    return await embedder.embed_query(text)


def _nothing(analysis: Analysis) -> SearchResult:
    return SearchResult(analysis.shown, "lexical-fallback", "no_match", [], [])


def _candidates(source: Source, hits: Sequence[Hit], weights: Weights, wording: Wording) -> list[Candidate]:
    """The hits with their passages, coverage and wording, in the same order."""
    passages = source.passages([hit.row for hit in hits]) if hits else []
    found = []
    for hit, passage in zip(hits, passages, strict=True):
        coverage, worded = read(passage, weights, wording)
        mode = cast(Mode, source.mode)
        found.append(
            Candidate(passage, 0.0, lexical_score=hit.score, coverage=coverage, wording=worded, mode=mode)
        )
    return found


async def _search_vectors(
    stage: WordsStage, query: array[float], info: ModelInfo, clock: Clock
) -> tuple[list[list[Candidate]], list[Candidate]]:
    """Per source with comparable vectors, its nearest passages; keyword hits are reused.

    Those of sources whose vectors are still being made come apart: they rank, but not alone.
    """
    began = clock()
    lists: list[list[Candidate]] = []
    growing: list[Candidate] = []
    for source, lexical in zip(stage.sources, stage.lexical, strict=True):
        if not comparable(source.vector_model, info):
            continue
        hits = await search_vector(source, query, PER_SOURCE)
        known = {c.passage.row: c for c in lexical}
        missing = [hit.row for hit in hits if hit.row not in known]
        for passage in source.passages(missing) if missing else []:
            if not allowed(passage, stage.analysis):
                continue
            coverage, worded = read(passage, stage.weights, stage.wording)
            known[passage.row] = Candidate(passage, 0.0, coverage=coverage, wording=worded)
        complete = vectors_complete(source)
        mode: Mode = "hybrid-full-vector" if complete else "semantic-reranked"
        for candidate in lexical if complete else ():
            candidate.mode = mode
        found = []
        for hit in hits:
            if hit.row in known:
                known[hit.row].semantic_score = hit.score
                known[hit.row].mode = mode
                found.append(known[hit.row])
        if complete:
            lists.append(found)
        else:
            growing += found
        _place(source, list(known.values()) if complete else found, query, info)
    stage.timings["vectors"] = clock() - began
    return lists, growing


def allowed(passage: Passage, analysis: Analysis) -> bool:
    """Whether a passage found by meaning has the phrases that are asked for and no excluded word."""
    if not analysis.phrases and not analysis.excluded:
        return True
    said = flat(plain_words(f"{passage.title}\n{passage.locator}\n{passage.text}"))
    return all(_says(said, phrase) for phrase in analysis.phrases) and not any(
        _says(said, word) for word in analysis.excluded
    )


def _says(said: str, phrase: str) -> bool:
    words_ = flat(plain_words(phrase))
    return (words_.strip() if has_cjk(words_) else words_) in said


def _place(source: Source, candidates: Sequence[Candidate], query: array[float], info: ModelInfo) -> None:
    """Let keyword hits have their cosine too, where the source gives single vectors."""
    if not isinstance(source, Valued):
        return
    values = source.vector_values([c.passage.row for c in candidates])
    for candidate, vector in zip(candidates, values, strict=bool(values)):
        candidate.place = place(query, vector, info)
        if candidate.place is not None:
            candidate.semantic_score = candidate.place.cosine


async def _rerank(
    stage: WordsStage, query: array[float], embedder: Embedder, info: ModelInfo, clock: Clock
) -> list[Candidate]:
    """The best keyword hits without comparable vectors, scored by E5 in batches."""
    pools = [
        [candidate for candidate in lexical if candidate.mode not in MEANT]
        for source, lexical in zip(stage.sources, stage.lexical, strict=True)
        if not comparable(source.vector_model, info) or not vectors_complete(source)
    ]
    if not any(pools):
        return []
    began = clock()
    turns = [c for column in zip_longest_lists(pools) for c in column][:RERANKED]
    scored: list[Candidate] = []
    took = 0.0  # by the last batch, and so by the next
    while len(scored) < len(turns) and clock() - began + took < RERANK_BUDGET_MS:
        started = clock()
        batch = turns[len(scored) : len(scored) + RERANK_BATCH]
        texts = [
            embedding_text(c.passage.title, c.passage.locator, c.passage.text)[:RERANK_CHARS] for c in batch
        ]
        left = max(0.1, EMBED_LIMIT_S - (clock() - began) / 1_000)
        async with asyncio.timeout(left):
            vectors = await embedder.embed_passages(texts)
        for candidate, vector in zip(batch, vectors, strict=True):
            candidate.place = place(query, vector, info)
            candidate.semantic_score = candidate.place.cosine if candidate.place else 0.0
            candidate.mode = "semantic-reranked"
        scored += batch
        took = clock() - started
    stage.timings["rerank"] = clock() - began
    return scored


def zip_longest_lists(lists: Sequence[list[Candidate]]) -> list[list[Candidate]]:
    """Columns of the lists: all first items, then all second items, and so on."""
    longest = max((len(items) for items in lists), default=0)
    return [[items[i] for items in lists if i < len(items)] for i in range(longest)]


def _rank(stage: WordsStage, ranked: Ranked, clock: Clock) -> SearchResult:
    began = clock()
    result = rank(ranked, stage.analysis, stage.weights, stage.fusion)
    stage.timings["rank"] = clock() - began
    result.timings = dict(stage.timings)
    result.notes = list(stage.notes)
    return result
