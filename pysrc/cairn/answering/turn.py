"""One question, answered: search, quote, write, attribute; each step usable without the next.

Events in order (:data:`cairn.protocol.ASK_EVENTS`): ``retrieval_query``, ``citations``, ``draft``
(the extractive answer, before any model is asked), ``note`` when something is to be said, ``debug``,
``text_delta`` …, and ``done`` with the fields of the result.

What the outcome of the search allows:

============  =====================================================================================
matched       quotes; the generator writes from the evidence
weak          quotes with a note; nothing is written: a small model makes an answer of anything
no_match      the nearest passages as citations, no quotes, nothing written, nothing from memory
============  =====================================================================================

A stop (``asyncio.CancelledError``) keeps what was written and ends the turn with a result. A model
that fails ends it with finish ``failed`` and a reason; quotes and text stay. Only a library of which
no source could be searched raises (after the event ``error``).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

from cairn.answering.attribute import Attributor
from cairn.answering.citations import citations
from cairn.answering.conversation import PastTurn, recent
from cairn.answering.debug import describe
from cairn.answering.evidence import Evidence, build_evidence, quoted_evidence
from cairn.answering.extract import Extractor
from cairn.answering.prompt import (
    QUESTION_CHARS,
    SAMPLING,
    SMALL_CHOICES,
    build_prompt,
    evidence_budget,
    max_new_tokens,
    prompt_text,
)
from cairn.answering.rewrite import Rewrite, standalone
from cairn.errors import CairnError, ModelUnavailable, TimedOut
from cairn.models.ports import Delta, Embedder, Finished, Generator, ModelInfo
from cairn.passages.languages import iso639_3
from cairn.protocol import AskEvent, AskResult, QuoteInfo, Route, Style
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.overlap import Weights
from cairn.retrieval.routing import Routed, route
from cairn.retrieval.search import Clock, search
from cairn.retrieval.types import SearchResult
from cairn.sources.types import Source

Emit = Callable[[AskEvent], None]
Failed = Callable[[str, CairnError], None]
"""``failed(part, error)`` with part "meaning" or "answers": the engine restarts it."""

FIRST_TOKEN_LIMIT_S = 120.0
"""Longest silence before the first token: 900 tokens of prompt on one slow core."""

NEXT_TOKEN_LIMIT_S = 30.0
QUOTE_LIMIT_S = 4.0
"""Longest wait for the sentences' vectors before the draft goes out without them."""


NOTE_CHAT = (
    "Cairn answers questions from the library on this device, with the place where each answer stands. "
    "Ask it something."
)
NOTE_WRITING = "Cairn writes no texts of its own. This is what your library says about it."
NOTE_EMERGENCY = "If someone is in danger, call your local emergency number first."
NOTE_WEAK = "These passages are only near your question. Read them before you rely on them."
NOTE_LOOPING = "The model began to repeat itself and was stopped."
NOTE_DRIFTING = "The model left your library's text and was stopped."
NOTE_UNCONFIRMED = "Your library does not confirm what the model wrote. Rely on the quotes."
WROTE_NOTHING = "The model ended without writing anything."
NOTE_LENGTH = "The answer was cut at its longest length."


_ROUTE_NOTES: dict[Route, tuple[str, ...]] = {"writing": (NOTE_WRITING,), "emergency": (NOTE_EMERGENCY,)}


@dataclass(slots=True)
class _Turn:
    """State of one turn; ``result`` is complete at any time, so that a stop can return it."""

    question: str  # the standalone one
    asked: str  # as it was typed
    style: Style
    language: str  # to answer in, "" for that of the question
    sources: Sequence[Source]
    generator: Generator | None
    clock: Clock
    emit: Emit
    failed: Failed
    nonce: str
    began: float
    result: AskResult
    debug: dict[str, Any] = field(default_factory=dict)
    choices: list[QuoteInfo] = field(default_factory=list)  # what a small model may say
    attributor: Attributor | None = None


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
    rewrite = standalone(question, recent(history), query)
    analysis = analyse(rewrite.query)
    turn = _Turn(
        analysis.question, question, style, iso639_3(language) if language else "",
        sources, generator, clock, emit, failed,
        nonce or secrets.token_hex(4), clock(), _empty(analysis, rewrite),
    )  # fmt: skip
    routed = Routed("library", 1.0, "the person's own query") if query else route(question)
    turn.result["route"] = routed.route
    turn.debug = {
        "rewrite": {"original": question, **rewrite.described()},
        "route": routed.described(),
    }
    try:
        if routed.route == "chat":
            _chat(turn)
        else:
            await _answer(turn, analysis, embedder)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()  # the stop is answered by this result; later awaits must not raise again
        turn.result["finish"] = "stopped"
        _settle(turn)
    except CairnError as error:
        emit({"type": "error", "message": error.message})
        raise
    turn.result["timings"]["total"] = clock() - turn.began
    emit(cast(AskEvent, {"type": "done", **turn.result}))
    return turn.result


def _chat(turn: _Turn) -> None:
    """Small talk: nothing is searched and nothing is written; one honest sentence says what is done."""
    turn.result["finish"], turn.result["reason"] = "not_searched", NOTE_CHAT
    turn.emit({"type": "note", "message": NOTE_CHAT})
    _debug(turn)


async def _answer(turn: _Turn, analysis: Analysis, embedder: Embedder | None) -> None:
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
    found = await search(
        analysis, sources=turn.sources, embedder=embedder, clock=turn.clock, failed=turn.failed
    )
    result["mode"], result["outcome"] = found.mode, found.outcome
    result["timings"].update(found.timings)
    weights = Weights(found.weights)
    _cite(turn, found)
    await _quote(turn, found, weights, embedder)
    for note in (*_ROUTE_NOTES.get(result["route"], ()), *found.notes):
        turn.emit({"type": "note", "message": note})
    turn.debug |= describe(analysis, found, weights)
    info = turn.generator.info if turn.generator is not None else None
    if turn.generator is not None and info is not None and found.outcome == "matched":
        await _write(turn, turn.generator, info, analysis, found, weights)
        return
    _debug(turn)
    result["finish"] = "no_model" if found.outcome == "matched" else "no_evidence"
    if found.outcome == "weak":
        turn.emit({"type": "note", "message": NOTE_WEAK})


def _cite(turn: _Turn, found: SearchResult) -> None:
    titles = {source.id: source.title for source in turn.sources}
    archives = {source.id for source in turn.sources if source.kind == "archive"}
    turn.result["citations"] = citations(found.kept, titles, archives)
    turn.emit(
        {
            "type": "citations",
            "mode": found.mode,
            "outcome": found.outcome,
            "citations": turn.result["citations"],
        }
    )


async def _quote(turn: _Turn, found: SearchResult, weights: Weights, embedder: Embedder | None) -> None:
    """The draft: by words, and by meaning as well where the embedder answers in time."""
    began = turn.clock()
    if found.outcome != "no_match":
        extractor = Extractor(turn.question, found.kept, weights)
        if embedder is not None and found.vector is not None and extractor.needs_meaning:
            try:
                async with asyncio.timeout(QUOTE_LIMIT_S):
                    await extractor.add_meaning(found.vector, embedder.embed_passages, turn.clock)
            except (CairnError, TimeoutError) as error:
                turn.failed("meaning", error if isinstance(error, CairnError) else _silent())
        turn.result["quotes"] = extractor.quotes()
        turn.choices = extractor.choices(SMALL_CHOICES)
    turn.result["timings"]["quotes"] = turn.clock() - began
    _mark_cited(turn)
    turn.emit({"type": "draft", "quotes": turn.result["quotes"]})


def _debug(turn: _Turn) -> None:
    turn.debug["timings"] = dict(turn.result["timings"])
    turn.debug["model"] = {"label": turn.result["model"]}
    turn.emit({"type": "debug", "debug": turn.debug})


async def _write(
    turn: _Turn,
    generator: Generator,
    info: ModelInfo,
    analysis: Analysis,
    found: SearchResult,
    weights: Weights,
) -> None:
    """Evidence, prompt, generation; any failure of the model ends in finish ``failed``."""
    result = turn.result
    result["model"] = info.label()
    try:
        evidence = await _gather(turn, generator, info, found, weights)
        if not evidence.items:
            _debug(turn)
            result["finish"] = "no_evidence"
            return
        small = info.voice == "sources"
        messages = build_prompt(
            turn.question, turn.language or analysis.language, evidence, small=small, style=turn.style
        )
        turn.debug["prompt"] = prompt_text(messages)
        _debug(turn)
        shown = dict.fromkeys(item.n for item in evidence.items)
        turn.attributor = Attributor([(n, found.kept[n - 1].passage) for n in shown])
        result["verbatim"] = small
        stream = generator.generate(
            messages,
            max_new_tokens=max_new_tokens(info, turn.style),
            sampling=SAMPLING,
            choices=[item.text for item in evidence.items] if small else None,
        )
        await _stream(turn, stream, turn.attributor)
    except (CairnError, TimeoutError) as error:
        fault = error if isinstance(error, CairnError) else _silent()
        result["finish"] = "failed"
        result["reason"] = fault.message
        turn.failed("answers", fault)
    _settle(turn)
    if result["finish"] == "complete" and not result["text"]:
        result["finish"], result["reason"] = "failed", WROTE_NOTHING
    if result["sentences"] and not any(sentence["confirmed"] for sentence in result["sentences"]):
        turn.emit({"type": "note", "message": NOTE_UNCONFIRMED})


async def _gather(
    turn: _Turn, generator: Generator, info: ModelInfo, found: SearchResult, weights: Weights
) -> Evidence:
    """The evidence this model gets, within its budget; described in the debug panel."""
    began = turn.clock()
    [asked] = await generator.count_tokens([turn.question[:QUESTION_CHARS]])
    budget = evidence_budget(info, asked, turn.style)
    count, nonce = generator.count_tokens, turn.nonce
    if info.voice == "sources":
        evidence = await quoted_evidence(turn.choices, count, nonce=nonce, budget=budget)
    else:
        evidence = await build_evidence(found.kept, count, weights, nonce=nonce, budget=budget)
    turn.result["timings"]["evidence"] = turn.clock() - began
    turn.debug["evidence"] = {
        "budget": budget,
        "tokens": evidence.tokens,
        "items": [
            {"n": item.n, "tokens": item.tokens, "truncated": item.truncated} for item in evidence.items
        ],
    }
    return evidence


async def _stream(turn: _Turn, stream: AsyncIterator[Delta | Finished], attributor: Attributor) -> None:
    result = turn.result
    began = turn.clock()
    limit = FIRST_TOKEN_LIMIT_S
    finished: Finished | None = None
    async with aclosing(stream):  # type: ignore[type-var]  # the port promises aclose()
        while True:
            async with asyncio.timeout(limit):
                part = await anext(stream, None)
            if part is None:
                raise ModelUnavailable("The model stopped without an ending.", retryable=True)
            if isinstance(part, Finished):
                finished = part
                result["finish"] = {"stop": "complete", "length": "length"}.get(part.finish, "stopped")  # type: ignore[typeddict-item]
                result["tokens"] = part.tokens
                if part.first_token_ms:
                    result["first_token_ms"] = part.first_token_ms
                break
            if not result["tokens"]:
                result["first_token_ms"] = turn.clock() - began
                limit = NEXT_TOKEN_LIMIT_S
            result["tokens"] = part.tokens
            _show(turn, attributor.feed(part.text))
            if attributor.ended:
                result["finish"] = "length"
                note = NOTE_LOOPING if attributor.looping else NOTE_DRIFTING
                turn.emit({"type": "note", "message": note})
                break
    result["timings"]["generate"] = turn.clock() - began
    writing = (finished.ms if finished else turn.clock() - began) - result["first_token_ms"]
    if result["tokens"] > 1 and writing > 0:
        result["tokens_per_second"] = round((result["tokens"] - 1) * 1_000 / writing, 2)
    if result["finish"] == "length" and not attributor.ended:
        turn.emit({"type": "note", "message": NOTE_LENGTH})


def _show(turn: _Turn, text: str) -> None:
    if text:
        turn.emit({"type": "text_delta", "text": text})


def _settle(turn: _Turn) -> None:
    """Close the written text, whole or not, and say which sources it rests on."""
    if turn.attributor is not None:
        _show(turn, turn.attributor.finish())
        turn.result["text"] = turn.attributor.text.strip()
        turn.result["sentences"] = turn.attributor.sentences
    _mark_cited(turn)


def _mark_cited(turn: _Turn) -> None:
    used = {quote["n"] for quote in turn.result["quotes"]}
    if turn.attributor is not None:
        used |= turn.attributor.cited
    for citation in turn.result["citations"]:
        citation["cited"] = citation["n"] in used


def _silent() -> CairnError:
    return TimedOut("The model went silent.", hint="Ask again; it is being restarted.", retryable=True)


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
