"""The embedder port on workers/embed.mjs: E5, its prefixes, and its proof on this device."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from cairn.browser.catalogue import Choice
from cairn.browser.host import Host
from cairn.browser.loader import ModelWorker
from cairn.browser.selftest import MINIMUM, KnownVectors
from cairn.errors import ModelUnavailable
from cairn.models.ports import ModelInfo, Progress
from cairn.storage.ports import Fetch

QUERY = "query: "
PASSAGE = "passage: "
QUERY_SECONDS = 30.0
PASSAGE_SECONDS = 20.0
"""For each passage: 420 tokens take about one second on one thread of a slow device."""


class WorkerEmbedder:
    """Text to unit vectors in a worker."""

    def __init__(self, host: Host, fetch: Fetch) -> None:
        self._model = ModelWorker(host, fetch, "embedder", "embed")

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, or None."""
        return self._model.info

    async def load(self, progress: Progress) -> ModelInfo:
        """Load on the best device whose vectors agree with the known ones."""
        return await self._model.load(progress, self._prove)

    async def embed_query(self, text: str) -> array[float]:
        """One unit vector."""
        self._model.require()
        [vector] = await self._embed([QUERY + text], QUERY_SECONDS)
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        """One unit vector per text, each independent of the others."""
        self._model.require()
        limit = QUERY_SECONDS + PASSAGE_SECONDS * len(texts)
        return await self._embed([PASSAGE + text for text in texts], limit)

    def close(self) -> None:
        """End the worker."""
        self._model.client.close()

    async def _prove(self, choice: Choice) -> None:
        known = KnownVectors.of(choice.entry)
        if known is None:
            if choice.device == "webgpu":
                raise ModelUnavailable("no known vectors to check this device with")
            return
        worst = known.worst(await self._embed(known.texts, PASSAGE_SECONDS * len(known.texts)))
        if worst < MINIMUM:
            raise ModelUnavailable(f"its self-test failed (cosine {worst:.3f})")

    async def _embed(self, texts: Sequence[str], seconds: float) -> list[array[float]]:
        if not texts:
            return []
        result = await self._model.call("run", {"texts": list(texts)}, timeout=seconds)
        every = array("f")
        every.frombytes(bytes(result["vectors"]))
        size = int(result["dimensions"])
        return [every[at : at + size] for at in range(0, len(every), size)]
