"""One question, answered: search, quote, write, attribute; each step usable without the next.

Events in order (:data:`cairn.protocol.ASK_EVENTS`): ``retrieval_query``, ``citations``, ``draft``
(the extractive answer, before any model is asked), ``note`` when something is to be said, ``debug``,
``thinking_delta`` and ``text_delta`` …, ``debug`` once more, and ``done`` with the fields of the result.
Where meaning takes long, ``citations`` and ``draft`` come by words first and again when it is there;
the later ones replace the earlier.

What the outcome of the search allows:

============  =====================================================================================
matched       quotes; the generator writes from the evidence
weak          quotes with a note; nothing is written: a small model makes an answer of anything
no_match      the nearest passages as citations, no quotes, nothing written, nothing from memory; a
              note says what kind of source to add
============  =====================================================================================

A question that asks several things is also judged part by part: a part that is not covered is named,
and a covered part of a question that is not covered as a whole is answered.

Small talk is not searched. A stop (``asyncio.CancelledError``) keeps what was written and ends the
turn with a result. A model that fails ends it with finish ``failed`` and a reason; quotes and text
stay. Only a library of which no source could be searched raises (after the event ``error``).
"""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from collections.abc import Sequence
from typing import cast

from cairn.answering.advice import what_to_add
from cairn.answering.citations import citations
from cairn.answering.compatible import shared_names
from cairn.answering.conversation import PastTurn, recent
from cairn.answering.debug import describe
from cairn.answering.extract import Extractor
from cairn.answering.finding import find
from cairn.answering.parts import parts
from cairn.answering.prompt import SMALL_CHOICES
from cairn.answering.rewrite import Rewrite, standalone
from cairn.answering.rewrite_model import by_model
from cairn.answering.state import (
    NOTE_CHAT,
    NOTE_EMERGENCY,
    NOTE_EMPTY,
    NOTE_LONG,
    NOTE_MISSING,
    NOTE_WEAK,
    NOTE_WRITING,
    Emit,
    Failed,
    Turn,
    silent,
)
from cairn.answering.writing import write
from cairn.errors import CairnError
from cairn.models.ports import Embedder, Generator
from cairn.passages.languages import iso639_3
from cairn.protocol import MAX_QUESTION_CHARS, AskEvent, AskResult, Route, Style
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.overlap import Weights
from cairn.retrieval.routing import Routed, route
from cairn.retrieval.search import Clock
from cairn.retrieval.types import SearchResult
from cairn.sources.types import Source

QUOTE_LIMIT_S = 4.0
"""Longest wait for the sentences' vectors before the draft goes out without them."""

_ROUTE_NOTES: dict[Route, tuple[str, ...]] = {"writing": (NOTE_WRITING,), "emergency": (NOTE_EMERGENCY,)}


async def run_turn(
    question: str,
    *,
    sources: Sequence[Source],
    embedder: Embedder | None,
    generator: Generator | None,
    clock: Clock,
    emit: Emit,
    failed: Failed = lambda part, error: None,
    nonce: str | None = None,
    history: Sequence[PastTurn] = (),
    query: str | None = None,
    style: Style = "short",
    language: str | None = None,
) -> AskResult:
    """Answer one question (see the module); ``clock`` in milliseconds.

    ``history`` are the turns before it, oldest first; ``query`` is the person's own standalone query.
    ``language`` (ISO 639-1 or -3) is the one to answer in, as far as a model writes.

    ``embedder`` and ``generator`` are None, or loaded. ``nonce`` marks the evidence in the prompt
    (random when None; ``secrets`` reads the system's randomness, which a memory snapshot does not
    freeze). Raises the error of the sources when none could be searched.
    """
    began = clock()
    past = recent(history)
    rewrite = standalone(question[:MAX_QUESTION_CHARS], past, query)
    analysis = analyse(rewrite.query)
    turn = Turn(
        analysis.question, question[:MAX_QUESTION_CHARS], style, iso639_3(language) if language else "",
        sources, embedder, generator, clock, emit, failed,
        nonce or secrets.token_hex(4), began, _empty(analysis, rewrite),
    )  # fmt: skip
    routed = Routed("library", 1.0, "the person's own query") if query else route(turn.asked)
    turn.result["route"] = routed.route
    turn.debug = {
        "rewrite": {"original": turn.asked, **rewrite.described()},
        "route": routed.described(),
    }
    if len(question) > MAX_QUESTION_CHARS:
        turn.note(NOTE_LONG.format(kept=f"{MAX_QUESTION_CHARS:,}"))
    try:
        if not _visible(analysis.question):
            _without_search(turn, NOTE_EMPTY)
        elif routed.route == "chat":
            _without_search(turn, NOTE_CHAT)
        else:
            if rewrite.rewritten:
                analysis = await _improve(turn, analysis, rewrite, past)
            await _answer(turn, analysis)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()  # the stop is answered by this result; later awaits must not raise again
        turn.result["finish"] = "stopped"
        turn.settle()
    except CairnError as error:
        emit({"type": "error", "message": error.message})
        raise
    turn.result["timings"]["total"] = clock() - turn.began
    emit(cast(AskEvent, {"type": "done", **turn.result}))
    return turn.result


def _visible(text: str) -> bool:
    """Whether there is anything to see in a text: some characters are letters in name only."""
    return any(char not in _BLANK and unicodedata.category(char)[0] not in "CZM" for char in text)


_BLANK = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0"
"""Soft hyphen, grapheme joiner, fillers of Hangul and Khmer, the Braille blank."""


def _without_search(turn: Turn, why: str) -> None:
    """Small talk, or nothing at all: one honest sentence says what is done here."""
    turn.result["finish"], turn.result["reason"] = "not_searched", why
    turn.note(why)
    turn.tell_debug()


async def _improve(turn: Turn, analysis: Analysis, rules: Rewrite, past: Sequence[PastTurn]) -> Analysis:
    """The rewrite by a model with a voice of its own, where there is one and it holds."""
    began = turn.clock()
    rewrite = await by_model(turn.asked, past, rules, turn.generator)
    if rewrite is rules:
        return analysis
    turn.result["timings"]["rewrite"] = turn.clock() - began
    turn.debug["rewrite"] = {"original": turn.asked, **rewrite.described()}
    analysis = analyse(rewrite.query)
    turn.question = turn.result["query"] = analysis.question
    return analysis


async def _answer(turn: Turn, analysis: Analysis) -> None:
    result = turn.result
    turn.emit(
        {
            "type": "retrieval_query",
            "query": result["query"],
            "original": turn.asked,
            "rewritten": result["rewritten"],
            "route": result["route"],
        }
    )
    found = await _find(turn, analysis)
    weights = Weights(found.weights)
    _cite(turn, found)
    await _quote(turn, found, weights)
    for note in (*_ROUTE_NOTES.get(result["route"], ()), *found.notes):
        turn.note(note)
    if found.outcome == "matched" and not result.get("missing"):
        covered = await _name_missing(turn, analysis)
        if covered is not None:
            found, weights = covered, Weights(covered.weights)
            _cite(turn, found)
            await _quote(turn, found, weights)
    for part in result.get("missing", ()):
        turn.note(NOTE_MISSING.format(part=part))
    turn.debug |= describe(analysis, found, weights)
    info = turn.generator.info if turn.generator is not None else None
    if turn.generator is not None and info is not None and found.outcome == "matched":
        await write(turn, turn.generator, info, analysis, found, weights)
        return
    turn.tell_debug()
    result["finish"] = "no_model" if found.outcome == "matched" else "no_evidence"
    if found.outcome == "weak":
        turn.note(NOTE_WEAK)
    elif found.outcome == "no_match":
        turn.note(what_to_add(result["route"], turn.sources))


async def _find(turn: Turn, analysis: Analysis) -> SearchResult:
    """What is found for the question; for its covered part when it is not covered as a whole."""

    def early(found: SearchResult) -> None:
        _cite(turn, found)
        _draft(turn, Extractor(turn.question, found.kept, Weights(found.weights), turn.style))

    found = await find(
        analysis,
        sources=turn.sources,
        embedder=turn.embedder,
        clock=turn.clock,
        failed=turn.failed,
        early=early,
    )
    result = turn.result
    result["mode"], result["outcome"] = found.mode, found.outcome
    result["timings"].update(found.timings)
    if found.outcome != "matched" and found.vector is not None:
        return await _covered_part(turn, analysis, found)
    return found


async def _judge_parts(turn: Turn, analysis: Analysis) -> list[tuple[str, SearchResult]]:
    """Each part of a question that asks several things, searched alone."""
    began = turn.clock()
    judged = []
    for part in parts(analysis):
        found = await find(
            analyse(part),
            sources=turn.sources,
            embedder=turn.embedder,
            clock=turn.clock,
            failed=turn.failed,
            rerank=False,
        )
        judged.append((part, found))
    if judged:
        turn.result["timings"]["parts"] = turn.clock() - began
        turn.debug["parts"] = [{"part": part, "outcome": found.outcome} for part, found in judged]
    return judged


async def _covered_part(turn: Turn, analysis: Analysis, whole: SearchResult) -> SearchResult:
    """The best result of a part that is covered, the others named; ``whole`` when none is."""
    judged = await _judge_parts(turn, analysis)
    covered = [(part, found) for part, found in judged if found.outcome == "matched"]
    if not covered:
        return whole
    part, found = covered[0]
    turn.question = part
    turn.result["outcome"] = "matched"
    turn.result["missing"] = [other for other, result in judged if result.outcome != "matched"]
    return found


async def _name_missing(turn: Turn, analysis: Analysis) -> SearchResult | None:
    """Name the parts of a covered question that are surely not covered; needs meaning to be sure.

    When one part is left, it is the question from here on, and what was found for it alone is returned:
    sentences are chosen better without the words of the others.
    """
    if turn.embedder is None or turn.result["mode"] == "lexical-fallback":
        return None
    judged = await _judge_parts(turn, analysis)
    missing = [part for part, found in judged if found.outcome == "no_match" and found.vector is not None]
    if not missing or len(missing) == len(judged):
        return None
    turn.result["missing"] = missing
    left = [(part, found) for part, found in judged if found.outcome == "matched"]
    if len(left) != 1:
        return None
    turn.question, covered = left[0]
    return covered


def _cite(turn: Turn, found: SearchResult) -> None:
    titles = {source.id: source.title for source in turn.sources}
    archives = {source.id for source in turn.sources if source.kind == "archive"}
    turn.result["citations"] = citations(found.kept, titles, archives, shared_names(turn.sources))
    turn.emit(
        {
            "type": "citations",
            "mode": found.mode,
            "outcome": found.outcome,
            "citations": turn.result["citations"],
        }
    )


async def _quote(turn: Turn, found: SearchResult, weights: Weights) -> None:
    """The draft: by words, and by meaning as well where the embedder answers in time."""
    began = turn.clock()
    if found.outcome == "no_match":
        turn.result["quotes"] = []
        _show_draft(turn)
    else:
        extractor = Extractor(turn.question, found.kept, weights, turn.style)
        embedder = turn.embedder
        if embedder is not None and found.vector is not None and extractor.needs_meaning:
            if not turn.result["quotes"]:
                _draft(turn, extractor)
            try:
                async with asyncio.timeout(QUOTE_LIMIT_S):
                    await extractor.add_meaning(found.vector, embedder.embed_passages, turn.clock)
            except (CairnError, TimeoutError) as error:
                turn.failed("meaning", error if isinstance(error, CairnError) else silent())
        _draft(turn, extractor)
        turn.choices = extractor.choices(SMALL_CHOICES)
    turn.result["timings"]["quotes"] = turn.clock() - began


def _draft(turn: Turn, extractor: Extractor) -> None:
    turn.result["quotes"] = extractor.quotes()
    _show_draft(turn)


def _show_draft(turn: Turn) -> None:
    turn.mark_cited()
    turn.result["timings"].setdefault("first_quotes", turn.clock() - turn.began)
    turn.emit({"type": "draft", "quotes": turn.result["quotes"]})


def _empty(analysis: Analysis, rewrite: Rewrite) -> AskResult:
    return {
        "outcome": "weak",  # until the search has judged: a stop before it must not say "not covered"
        "mode": "lexical-fallback",
        "query": analysis.question,
        "rewritten": rewrite.rewritten,
        "route": "library",
        "text": "",
        "verbatim": False,
        "sentences": [],
        "quotes": [],
        "citations": [],
        "finish": "no_evidence",
        "model": "",
        "tokens": 0,
        "tokens_per_second": 0.0,
        "first_token_ms": 0.0,
        "timings": {},
    }
