"""The written answer: evidence, prompt, stream, and four ways to recover, each at most once.

=====================  ==============================================================================
what went wrong        what is done
=====================  ==============================================================================
the reasoning ate the  asked again with half the evidence, and told to answer at once
budget
cut mid-sentence       asked once to go on; its words up to the end of that sentence are kept
an invented tool call  its words are looked for in the library, once; tools stay off
it repeats itself      stopped; what it wrote before is kept (:mod:`cairn.answering.attribute`)
=====================  ==============================================================================

They are for models with a voice of their own; one that only chooses sentences of the library cannot
go wrong in these ways. Nothing is ever written without evidence.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cairn.answering.attribute import Attributor
from cairn.answering.citations import citations, remove_markers
from cairn.answering.compatible import shared_names
from cairn.answering.evidence import Evidence, build_evidence, quoted_evidence
from cairn.answering.finding import find
from cairn.answering.prompt import (
    QUESTION_CHARS,
    SAMPLING,
    build_prompt,
    evidence_budget,
    max_new_tokens,
    prompt_text,
    think_budget,
)
from cairn.answering.reasoning import Separator, wanted
from cairn.answering.state import (
    NOTE_DRIFTING,
    NOTE_LENGTH,
    NOTE_LOOPING,
    NOTE_UNCONFIRMED,
    ONLY_THOUGHT,
    WROTE_NOTHING,
    Turn,
    silent,
)
from cairn.errors import CairnError, ModelUnavailable
from cairn.models.ports import ChatMessage, Delta, Finished, Generator, ModelInfo
from cairn.retrieval.analysis import Analysis, analyse
from cairn.retrieval.overlap import Weights
from cairn.retrieval.types import Candidate, SearchResult

FIRST_TOKEN_LIMIT_S = 120.0
"""Longest silence before the first token: 900 tokens of prompt on one slow core."""

NEXT_TOKEN_LIMIT_S = 30.0
CONTINUATION_TOKENS = 96
FOUND_BY_CALL = 3
"""Passages that an invented tool call may add."""

_SENTENCE_ENDS = tuple(".!?…。！？؟۔।॥)]}»”\"'*`:")
_AT_ONCE = "Answer at once, without thinking first."
_GO_ON = "You were cut off. Go on exactly where you stopped and finish that sentence. Repeat nothing."
_NO_TOOLS = "There are no tools. Answer from the notes alone."

Ending = Literal["complete", "length", "stopped", "thought", "tool", "ended"]


@dataclass(slots=True)
class _Stream:
    """What one call of the model came to."""

    ending: Ending = "stopped"
    thought: int = 0  # tokens spent on reasoning
    call: str = ""  # the text of an invented tool call
    notes: list[str] = field(default_factory=list)


async def write(
    turn: Turn,
    generator: Generator,
    info: ModelInfo,
    analysis: Analysis,
    found: SearchResult,
    weights: Weights,
) -> None:
    """Write from the evidence; any failure of the model ends in finish ``failed``."""
    writer = _Writer(turn, generator, info, analysis, found, weights)
    try:
        await writer.run()
    except (CairnError, TimeoutError) as error:
        fault = error if isinstance(error, CairnError) else silent()
        turn.result["finish"], turn.result["reason"] = "failed", fault.message
        turn.failed("answers", fault)
    turn.settle()
    result = turn.result
    if result["finish"] in ("complete", "length") and not result["text"]:
        result["finish"] = "failed"
        result["reason"] = ONLY_THOUGHT if writer.thought else WROTE_NOTHING
    if result["sentences"] and not any(sentence["confirmed"] for sentence in result["sentences"]):
        turn.note(NOTE_UNCONFIRMED)
    turn.tell_debug()


class _Writer:
    """One answer; ``turn.attributor`` has its text at any time."""

    def __init__(
        self,
        turn: Turn,
        generator: Generator,
        info: ModelInfo,
        analysis: Analysis,
        found: SearchResult,
        weights: Weights,
    ) -> None:
        self._turn = turn
        self._generator = generator
        self._info = info
        self._analysis = analysis
        self._kept = list(found.kept)
        self._weights = weights
        self._own = info.voice != "sources"
        self.thought = False

    async def run(self) -> None:
        turn, result = self._turn, self._turn.result
        result["model"] = self._info.label()
        result["verbatim"] = not self._own
        evidence = await self._gather(1.0)
        if not evidence.items:
            turn.tell_debug()
            result["finish"] = "no_evidence"
            return
        messages = self._prompt(evidence)
        turn.debug["prompt"] = prompt_text(messages)
        turn.tell_debug()
        self._attribute(evidence)
        outcome = await self._stream(messages, max_new_tokens(self._info, turn.style), evidence)
        while self._own and (again := await self._recover(outcome, evidence)) is not None:
            outcome, evidence = again
        result["finish"] = _FINISH[outcome.ending]
        for note in outcome.notes:
            turn.note(note)

    # --- recoveries ------------------------------------------------------------------------------

    async def _recover(self, outcome: _Stream, evidence: Evidence) -> tuple[_Stream, Evidence] | None:
        """The outcome of one more try, None when there is nothing (left) to try."""
        attributor = self._turn.attributor
        written = attributor.text.strip() if attributor is not None else ""
        if outcome.ending == "tool" and self._once("tool"):
            return await self._search_for(outcome.call, evidence)
        if not written and outcome.thought and self._once("reasoning"):
            shorter = await self._gather(0.5)
            if shorter.items:
                self._attribute(shorter)
                limit = max_new_tokens(self._info, self._turn.style)
                return await self._stream(self._prompt(shorter, _AT_ONCE), limit, shorter), shorter
        if (
            outcome.ending == "length"
            and written
            and not written.endswith(_SENTENCE_ENDS)
            and self._once("cut")
        ):
            return await self._go_on(written, evidence), evidence
        return None

    def _once(self, name: str) -> bool:
        if name in self._turn.recoveries:
            return False
        self._turn.recoveries.append(name)
        return True

    async def _search_for(self, call: str, evidence: Evidence) -> tuple[_Stream, Evidence]:
        """Look for what a tool call wanted; the answer starts anew from all that is there."""
        turn = self._turn
        query = wanted(call)
        if query:
            found = await find(
                analyse(query),
                sources=turn.sources,
                embedder=turn.embedder,
                clock=turn.clock,
                failed=turn.failed,
            )
            known = {id_of(candidate) for candidate in self._kept}
            fresh = [c for c in found.kept if id_of(c) not in known] if found.outcome == "matched" else []
            self._add(fresh[:FOUND_BY_CALL])
            turn.debug["tool_search"] = {"query": query, "added": len(fresh[:FOUND_BY_CALL])}
            evidence = await self._gather(1.0)
        messages = self._prompt(evidence, _NO_TOOLS)
        self._attribute(evidence, keep=True)
        return await self._stream(messages, max_new_tokens(self._info, turn.style), evidence), evidence

    def _add(self, fresh: Sequence[Candidate]) -> None:
        if not fresh:
            return
        turn = self._turn
        before = len(turn.result["citations"])
        titles = {source.id: source.title for source in turn.sources}
        archives = {source.id for source in turn.sources if source.kind == "archive"}
        self._kept += fresh
        numbered = citations(self._kept, titles, archives, shared_names(turn.sources))
        turn.result["citations"] += numbered[before:]
        turn.emit(
            {
                "type": "citations",
                "mode": turn.result["mode"],
                "outcome": turn.result["outcome"],
                "citations": turn.result["citations"],
            }
        )

    async def _go_on(self, written: str, evidence: Evidence) -> _Stream:
        """One continuation, up to the end of the sentence that was cut."""
        plain = remove_markers(written)
        messages = [*self._prompt(evidence), ChatMessage("assistant", plain), ChatMessage("user", _GO_ON)]
        return await self._stream(messages, CONTINUATION_TOKENS, evidence, after=plain)

    # --- one call --------------------------------------------------------------------------------

    def _prompt(self, evidence: Evidence, more: str = "") -> list[ChatMessage]:
        turn = self._turn
        language = turn.language or self._analysis.language
        messages = build_prompt(turn.question, language, evidence, small=not self._own, style=turn.style)
        if more:
            last = messages[-1]
            messages[-1] = replace(last, content=f"{last.content}\n\n{more}")
        return messages

    def _attribute(self, evidence: Evidence, *, keep: bool = False) -> None:
        """Judge what follows by this evidence; ``keep`` the text that is there."""
        before = self._turn.attributor
        shown = dict.fromkeys(item.n for item in evidence.items)
        self._turn.attributor = Attributor([(n, self._kept[n - 1].passage) for n in shown])
        if keep and before is not None:
            self._turn.attributor.take_over(before)

    async def _gather(self, share: float) -> Evidence:
        """The evidence this model gets, ``share`` of its budget; described in the debug panel."""
        turn, generator = self._turn, self._generator
        began = turn.clock()
        [asked] = await generator.count_tokens([turn.question[:QUESTION_CHARS]])
        budget = int(share * evidence_budget(self._info, asked, turn.style))
        count, nonce = generator.count_tokens, turn.nonce
        if self._own:
            evidence = await build_evidence(self._kept, count, self._weights, nonce=nonce, budget=budget)
        else:
            evidence = await quoted_evidence(turn.choices, count, nonce=nonce, budget=budget)
        timings = turn.result["timings"]
        timings["evidence"] = timings.get("evidence", 0.0) + turn.clock() - began
        turn.debug["evidence"] = {
            "budget": budget,
            "tokens": evidence.tokens,
            "items": [
                {"n": item.n, "tokens": item.tokens, "truncated": item.truncated} for item in evidence.items
            ],
        }
        return evidence

    async def _stream(
        self, messages: list[ChatMessage], limit: int, evidence: Evidence, *, after: str = ""
    ) -> _Stream:
        """Run the model once. ``after``: the text it is to continue, for one sentence."""
        turn, outcome = self._turn, _Stream()
        attributor = turn.attributor
        assert attributor is not None
        thinks = think_budget(self._info) if self._own else 0
        parts = self._generator.generate(
            messages,
            max_new_tokens=limit + thinks,
            sampling=SAMPLING,
            choices=None if self._own else [item.text for item in evidence.items],
        )
        separator = Separator()
        join = _Join(after) if after else None
        began, spent = turn.clock(), turn.result["tokens"]
        async with aclosing(_limited(parts)) as stream:
            async for part in stream:
                if isinstance(part, Finished):
                    outcome.ending = {"stop": "complete", "length": "length"}.get(part.finish, "stopped")  # type: ignore[assignment]
                    self._measure(part, began, spent)
                    self._take(outcome, separator.finish(), join)
                    break
                if not turn.result["first_token_ms"]:
                    turn.result["first_token_ms"] = turn.clock() - began
                turn.result["tokens"] = spent + part.tokens
                thinking = self._take(outcome, separator.feed(part.text), join)
                outcome.thought += thinking
                if self._over(outcome, attributor, thinks, join):
                    break
        timings = turn.result["timings"]
        timings["generate"] = timings.get("generate", 0.0) + turn.clock() - began
        if outcome.call:
            outcome.ending = "tool"
        elif outcome.ending == "length" and not attributor.ended:
            outcome.notes.append(NOTE_LENGTH)
        return outcome

    def _take(self, outcome: _Stream, parts: Any, join: _Join | None) -> int:
        """Show what came; 1 when some of it was reasoning, which costs a token."""
        turn, thinking = self._turn, 0
        assert turn.attributor is not None
        for kind, text in parts:
            if kind == "thinking":
                thinking, self.thought = 1, True
                turn.emit({"type": "thinking_delta", "text": text})
            elif kind == "tool" and self._own:
                outcome.call += text
            else:
                turn.show(turn.attributor.feed(join.feed(text) if join is not None else text))
        return thinking

    def _over(self, outcome: _Stream, attributor: Attributor, thinks: int, join: _Join | None) -> bool:
        """Whether the model is to be stopped now."""
        if attributor.ended:
            outcome.ending = "ended"
            outcome.notes.append(NOTE_LOOPING if attributor.looping else NOTE_DRIFTING)
            return True
        if self._own and outcome.thought > thinks:
            outcome.ending = "thought"
            return True
        if len(outcome.call) > _LONGEST_CALL:
            return True
        if join is not None and join.closed:
            outcome.ending = "complete"
            return True
        return False

    def _measure(self, part: Finished, began: float, spent: int) -> None:
        result = self._turn.result
        result["tokens"] = spent + part.tokens
        if part.first_token_ms and not spent:
            result["first_token_ms"] = part.first_token_ms
        writing = part.ms - part.first_token_ms
        if part.tokens > 1 and writing > 0:
            result["tokens_per_second"] = round((part.tokens - 1) * 1_000 / writing, 2)


_LONGEST_CALL = 600
"""Characters of an invented tool call that are read."""

_FINISH: dict[Ending, Any] = {
    "complete": "complete", "length": "length", "stopped": "stopped", "thought": "length", "tool": "complete",
    "ended": "length",
}  # fmt: skip


class _Join:
    """A continuation without what it repeats of the text before, up to the end of its sentence."""

    def __init__(self, before: str) -> None:
        self._before = before
        self._held = ""
        self._joined = False
        self.closed = False

    def feed(self, text: str) -> str:
        """Characters to add."""
        if self.closed:
            return ""
        if not self._joined:
            self._held += text
            if self._before.endswith(self._held.strip()) and len(self._held) < _OVERLAP:
                return ""  # it may go on repeating
            text = self._held[self._overlap() :]
            self._joined = True
        for at, char in enumerate(text):
            if char in ".!?。！？؟।" and (at + 1 == len(text) or text[at + 1].isspace()):
                self.closed = True
                return text[: at + 1]
        return text

    def _overlap(self) -> int:
        for size in range(min(len(self._held), _OVERLAP), 2, -1):
            if self._before.endswith(self._held[:size]):
                return size
        return 0


_OVERLAP = 120


def id_of(candidate: Candidate) -> tuple[str, str]:
    """What makes two candidates the same passage."""
    return candidate.passage.source_id, candidate.passage.passage_id


async def _limited(parts: AsyncIterator[Delta | Finished]) -> AsyncGenerator[Delta | Finished, None]:
    """The parts of a stream; raises TimeoutError when it is silent, ModelUnavailable without an end."""
    limit = FIRST_TOKEN_LIMIT_S
    async with aclosing(parts):  # type: ignore[type-var]  # the port promises aclose()
        while True:
            async with asyncio.timeout(limit):
                part = await anext(parts, None)
            if part is None:
                raise ModelUnavailable("The model stopped without an ending.", retryable=True)
            yield part
            if isinstance(part, Finished):
                return
            limit = NEXT_TOKEN_LIMIT_S
