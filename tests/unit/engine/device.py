"""An engine on a device of fakes, and a person's page in front of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from cairn.engine import Engine
from cairn.index.vector_store import VectorRoom
from cairn.native.files import DirectoryFiles
from cairn.native.picked import PickedPaths
from cairn.session import Session
from tests.unit.engine.fake_packs import FakePacks, pack_bytes, publish
from tests.unit.engine.fakes import FakeEmbedder, FakeFetch, FakeGenerator, Page, until


class Device:
    """What an engine is given; ``log`` has loads and steps in the order they happened."""

    def __init__(self, root: Path, packs: FakePacks) -> None:
        self.log: list[str] = []
        self.files = DirectoryFiles(root)
        self.fetch = FakeFetch()
        self.packs = packs
        self.picked = PickedPaths()
        self.embedder = FakeEmbedder(self.log)
        self.generator = FakeGenerator(self.log)
        self.numpy_gate: asyncio.Event | None = None
        self.vectors: VectorRoom | None = None
        self.time = 0.0
        publish(self.fetch, pack_bytes())
        self.engine = self.new_engine()

    def new_engine(self) -> Engine:
        """Another engine over the same storage: after a restart, or in another tab."""
        return Engine(
            files=self.files,
            fetch=self.fetch,
            embedder=self.embedder,
            generator=self.generator,
            clock=self._clock,
            load_numpy=self._load_numpy,
            step=lambda name, label, ms: self.log.append(f"step {name}"),
            capabilities={"opfs": True},
            picked=self.picked,
            vectors=self.vectors,
        )

    async def started(self) -> Engine:
        """Start and wait until everything is up."""
        await self.engine.start()
        await until(lambda: self.engine.meaning.ready and self.engine.answers.ready)
        return self.engine

    def page(self) -> Client:
        return Client(self.engine)

    def _clock(self) -> float:
        self.time += 1.0
        return self.time

    async def _load_numpy(self) -> None:
        self.log.append("numpy")
        if self.numpy_gate is not None:
            await self.numpy_gate.wait()


class Client(Page):
    """A page: sends requests and waits for their replies."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.session: Session = engine.open_session(self.send)
        self._next = 0

    def begin(self, method: str, **params: Any) -> int:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self.session.receive(json.dumps(message))
        return self._next

    def cancel(self, request: int) -> None:
        self.session.receive(json.dumps({"method": "$/cancel", "params": {"id": request}}))

    async def answer(self, request: int) -> dict[str, Any]:
        await until(lambda: self.replies(request))
        return self.reply(request)

    async def call(self, method: str, **params: Any) -> Any:
        """The result; fails when the reply is an error."""
        reply = await self.answer(self.begin(method, **params))
        assert "error" not in reply, reply["error"]
        return reply["result"]

    async def fault(self, method: str, **params: Any) -> dict[str, Any]:
        """The error; fails when the reply is a result."""
        return (await self.answer(self.begin(method, **params)))["error"]

    def events(self, request: int) -> list[dict[str, Any]]:
        return [event for event in self.notifications("ask.event") if event["request"] == request]

    def cell(self, name: str) -> dict[str, Any]:
        """A readiness cell as this page last heard of it."""
        return self.notifications("engine.readiness")[-1][name]
