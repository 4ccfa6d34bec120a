"""The protocol's ``packs.…`` methods, each a few lines that ask the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cairn.errors import InvalidRequest
from cairn.parameters import flag, text
from cairn.session import Emit, RequestId

if TYPE_CHECKING:
    from cairn.engine import Engine
    from cairn.sources.library import Library

PROGRESS_MS = 200.0
"""Least time between two notifications of a check."""
MOST_URL = 2_000


class PackServices:
    """Serves the methods named in :attr:`methods`; parameters were checked by name already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.methods = {
            "packs.add": self._add,
            "packs.start": self._start,
            "packs.pause": self._pause,
            "packs.resume": self._resume,
            "packs.stop": self._stop,
            "packs.switch": self._switch,
            "packs.remove": self._remove,
            "packs.verify": self._verify,
            "packs.repair": self._repair,
        }

    async def _add(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        key, url = text(params, "key", ""), text(params, "url", "").strip()
        if bool(key) == bool(url) or len(url) > MOST_URL:
            raise InvalidRequest("packs.add needs a key or a url.")
        jobs = (await self._library()).jobs
        return await (jobs.add_file(key) if key else jobs.add_url(url))

    async def _start(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return (await self._library()).jobs.start(text(params, "job"))

    async def _pause(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return await (await self._library()).jobs.pause(text(params, "job"))

    async def _resume(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return (await self._library()).jobs.resume(text(params, "job"), text(params, "key", ""))

    async def _stop(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await (await self._library()).jobs.stop(text(params, "job"))
        return {}

    async def _switch(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        try:
            await (await self._library()).packs.switch(text(params, "source"), flag(params, "on"))
        finally:
            self._engine.library_changed()
        return {}

    async def _remove(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        try:
            await (await self._library()).packs.remove(text(params, "source"))
        finally:
            self._engine.library_changed()
        return {}

    async def _verify(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        engine, source = self._engine, text(params, "source")
        told = engine.now() - PROGRESS_MS

        def progress(phase: str, done: int, total: int) -> None:
            nonlocal told
            if engine.now() - told >= PROGRESS_MS:
                told = engine.now()
                about = {"request": request, "source": source, "phase": phase, "done": done, "total": total}
                emit("packs.verifying", about)

        try:
            await (await self._library()).packs.verify(source, progress)
        finally:
            engine.library_changed()
        return {}

    async def _repair(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        try:
            return await (await self._library()).repair(text(params, "source"))
        finally:
            self._engine.library_changed()

    async def _library(self) -> Library:
        await self._engine.wait_started()
        return self._engine.require_library()
