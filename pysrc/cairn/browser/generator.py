"""The generator port on workers/generate.mjs: streaming, stop, token counts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from cairn.browser.catalogue import Choice
from cairn.browser.host import Host
from cairn.browser.loader import ModelWorker
from cairn.models.ports import ChatMessage, Delta, Finished, ModelInfo, Progress
from cairn.storage.ports import Fetch

COUNT_SECONDS = 30.0
TOKEN_SECONDS = 120.0
"""Longest silence during generation: the prompt is read before the first token, in silence."""


class WorkerGenerator:
    """Chat messages to streamed text in a worker."""

    def __init__(self, host: Host, fetch: Fetch) -> None:
        self._model = ModelWorker(host, fetch, "generator", "generate")

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, or None."""
        return self._model.info

    async def load(self, progress: Progress) -> ModelInfo:
        """Load on the best device."""
        return await self._model.load(progress, accept)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without special tokens."""
        self._model.require()
        result = await self._model.call("count_tokens", {"texts": list(texts)}, timeout=COUNT_SECONDS)
        return [int(count) for count in result["counts"]]

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        sampling: dict[str, Any] | None = None,
        choices: Sequence[str] | None = None,
    ) -> AsyncIterator[Delta | Finished]:
        """Stream deltas, then one Finished; closing the iterator stops the model."""
        self._model.require()
        params = {
            "messages": [message.as_dict() for message in messages],
            "max_new_tokens": max_new_tokens,
            "sampling": sampling or {},
        }
        if choices is not None:
            params["choices"] = list(choices)
        arrived: asyncio.Queue[Delta | None] = asyncio.Queue()
        call = await self._model.client.start("generate.run", params)
        self._model.listen(call.id, lambda p: arrived.put_nowait(Delta(str(p["text"]), int(p["tokens"]))))
        waiting = asyncio.ensure_future(call.result(TOKEN_SECONDS))
        waiting.add_done_callback(lambda _: arrived.put_nowait(None))
        try:
            while (delta := await arrived.get()) is not None:
                yield delta
            yield finished(await waiting)
        finally:
            self._model.listen(call.id, None)
            call.cancel()
            waiting.cancel()

    def close(self) -> None:
        """End the worker."""
        self._model.client.close()


async def accept(choice: Choice) -> None:
    """Every device is taken at its word (a known greedy prefix comes with more models)."""


def finished(result: dict[str, Any]) -> Finished:
    """The worker's result as the port's."""
    return Finished(
        finish=result["finish"],
        tokens=int(result["tokens"]),
        prompt_tokens=int(result["prompt_tokens"]),
        first_token_ms=float(result["first_token_ms"]),
        ms=float(result["ms"]),
    )
