"""Stand-ins for what the engine is given: models that load on command, a page, an origin, a source."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from cairn.errors import CairnError, DownloadFailed
from cairn.models.ports import ChatMessage, Delta, Finished, ModelInfo, Progress

EMBEDDER = ModelInfo("fake-e5", "r1", "q8", "wasm", dimensions=2)
GENERATOR = ModelInfo("fake-lm", "r1", "q8", "wasm", context=2_048)


class FakeModel:
    """Loads when told to; remembers every load in ``log``; fails as often as ``failures`` has entries."""

    def __init__(self, name: str, info: ModelInfo, log: list[str] | None = None) -> None:
        self._name = name
        self._info = info
        self.log = [] if log is None else log
        self.info: ModelInfo | None = None
        self.failures: list[Exception] = []
        self.gate: asyncio.Event | None = None  # when set: load waits for it
        self.report: Progress = lambda phase, done, total: None

    async def load(self, progress: Progress) -> ModelInfo:
        self.log.append(f"load {self._name}")
        self.report = progress
        progress("fetch", 1, 2)
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop(0)
        self.info = self._info
        self.log.append(f"{self._name} ready")
        return self._info


class FakeEmbedder(FakeModel):
    """Two dimensions: how often "water" is said, and everything else."""

    def __init__(self, log: list[str] | None = None) -> None:
        super().__init__("embedder", EMBEDDER, log)

    async def embed_query(self, text: str) -> array[float]:
        return array("f", [1.0, 0.0] if "water" in text.lower() else [0.0, 1.0])

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        return [await self.embed_query(text) for text in texts]


class FakeGenerator(FakeModel):
    """Says ``sentences``, one a delta; a CairnError among them is raised in its place."""

    def __init__(self, log: list[str] | None = None) -> None:
        super().__init__("generator", GENERATOR, log)
        self.sentences: list[str | CairnError] = ["Boil the water."]
        self.gate_generation: asyncio.Event | None = None
        self.closed = 0

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        sampling: dict[str, Any] | None = None,
        choices: Sequence[str] | None = None,
    ) -> AsyncIterator[Delta | Finished]:
        try:
            for tokens, sentence in enumerate(self.sentences, start=1):
                if self.gate_generation is not None:
                    await self.gate_generation.wait()
                if isinstance(sentence, CairnError):
                    raise sentence
                yield Delta(sentence + " ", tokens)
            yield Finished("stop", len(self.sentences), 10, 1.0, 2.0)
        finally:
            self.closed += 1


class Page:
    """A page's end of a session: what arrived, in order, decoded."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, text: str) -> None:
        self.messages.append(json.loads(text, parse_constant=_not_json))

    def replies(self, request: int | str | None) -> list[dict[str, Any]]:
        return [m for m in self.messages if "method" not in m and m["id"] == request]

    def reply(self, request: int | str | None) -> dict[str, Any]:
        """The one reply; fails when there are none or several."""
        (only,) = self.replies(request)
        return only

    def error(self, request: int | str | None) -> dict[str, Any]:
        return self.reply(request)["error"]

    def notifications(self, method: str) -> list[dict[str, Any]]:
        return [m["params"] for m in self.messages if m.get("method") == method]


def _not_json(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON: the page's JSON.parse would refuse it")


class FakeFetch:
    """The app's own origin as a dictionary."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files = files or {}
        self.failure: CairnError | None = None

    def publish_packs(self, *entries: dict[str, str]) -> None:
        self.files["precache.json"] = json.dumps({"packs": entries}).encode()

    async def read(self, url: str) -> bytes:
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        if url.lstrip("/") not in self.files:
            raise DownloadFailed(f"{url} is not there.")
        return self.files[url.lstrip("/")]

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        body = await self.read(url)
        for at in range(0, len(body), 1000):
            yield body[at : at + 1000]


async def settle(rounds: int = 50) -> None:
    """Let everything that is ready to run do so."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    """Wait for a condition; fails loudly instead of hanging."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)
