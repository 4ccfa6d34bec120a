"""A generator for tests: it says what it is told, in the pieces it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from cairn.errors import CairnError
from cairn.models.ports import ChatMessage, Delta, Finished, ModelInfo, Progress
from cairn.passages.types import Passage
from cairn.retrieval.types import Candidate

SMOLLM = ModelInfo("smollm", "r1", "q8", "wasm", context=8_192, voice="sources")


class FakeGenerator:
    """Counts a token a word (and one a bracket); streams ``pieces``; may fail or hang on the way."""

    def __init__(self, *pieces: str | CairnError) -> None:
        self.info: ModelInfo | None = SMOLLM
        self.pieces = list(pieces)
        self.finish = "stop"
        self.hangs = False
        self.started = asyncio.Event()
        self.closed = 0
        self.messages: list[ChatMessage] = []
        self.choices: Sequence[str] | None = None

    async def load(self, progress: Progress) -> ModelInfo:
        return SMOLLM

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [tokens(text) for text in texts]

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        sampling: dict[str, Any] | None = None,
        choices: Sequence[str] | None = None,
    ) -> AsyncIterator[Delta | Finished]:
        self.messages = list(messages)
        self.choices = choices
        try:
            for number, piece in enumerate(self.pieces, start=1):
                if isinstance(piece, CairnError):
                    raise piece
                yield Delta(piece, number)
                await asyncio.sleep(0)
            self.started.set()
            if self.hangs:
                await asyncio.Event().wait()
            yield Finished(self.finish, len(self.pieces), 50, 5.0, 20.0)  # type: ignore[arg-type]
        finally:
            self.closed += 1


def tokens(text: str) -> int:
    """A stand-in for a tokenizer."""
    return len(text.split()) + sum(text.count(c) for c in "[]()<>")


def kept(*passages: Passage) -> list[Candidate]:
    """Candidates in this order."""
    return [Candidate(p, 1 / (60 + n), semantic_rank=n) for n, p in enumerate(passages, start=1)]
