"""Life cycle of one model-backed part of the app (meaning, answers) as the readiness strip shows it.

A part is loaded in the background, may fail, may crash later, and may be restarted by the person.
It restarts by itself at most :data:`MAX_RESTARTS` times, so that a device that cannot run a model
is not driven into a crash loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from cairn.errors import CairnError, WorkerCrashed
from cairn.models.ports import ModelInfo, Progress
from cairn.protocol import Cell

MAX_RESTARTS = 2


class Loadable(Protocol):
    """What an embedder and a generator have in common here."""

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, or None."""

    async def load(self, progress: Progress) -> ModelInfo:
        """Load the model; raises a CairnError."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences a part uses about itself in the strip."""

    fetching: str
    starting: str
    ready: str
    failed: str


def worth_showing(cell: Cell, done: int, total: int) -> bool:
    """Whether progress has moved by a hundredth since the cell was drawn, or has just begun or ended."""
    if cell.get("total") != total or done >= total:
        return True
    return done - cell.get("done", 0) >= total / 100


class Part:
    """Loads one model, keeps its strip cell up to date, restarts it after a crash."""

    def __init__(
        self,
        model: Loadable,
        wording: Wording,
        changed: Callable[[], None],
        after_load: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._model = model
        self._wording = wording
        self._changed = changed
        self._after_load = after_load
        self._restarts = 0
        self._loading: asyncio.Task[None] | None = None
        self.error: CairnError | None = None
        self.cell: Cell = {"state": "starting", "label": wording.starting, "action": ""}

    @property
    def ready(self) -> bool:
        """Whether the model can be asked now."""
        return self.cell["state"] == "ready" and self._model.info is not None

    async def load(self) -> None:
        """Load (or wait for the load under way); never raises, the cell says what happened."""
        await asyncio.shield(self._begin())

    async def restart(self) -> None:
        """Load again because the person asked: failures before do not count."""
        self._restarts = 0
        await self.load()

    def crashed(self, error: CairnError) -> None:
        """Note that the model died while in use; load it again unless that has happened too often."""
        self.error = error
        if self._loading is not None and not self._loading.done():
            return  # another turn noticed first
        if self._restarts >= MAX_RESTARTS:
            self._fail(error)
            return
        self._restarts += 1
        self._begin()

    def check(self) -> None:
        """Notice a model that died while nobody used it: bring it back like one that died in use."""
        if self.cell["state"] == "ready" and self._model.info is None:
            self.crashed(WorkerCrashed("It stopped by itself.", retryable=True))

    def cancel(self) -> None:
        """Stop a load under way (the engine is closing)."""
        if self._loading is not None:
            self._loading.cancel()

    def _begin(self) -> asyncio.Task[None]:
        if self._loading is None or self._loading.done():
            self._set("starting", self._wording.starting, "")
            self._loading = asyncio.ensure_future(self._load())
        return self._loading

    async def _load(self) -> None:
        try:
            info = await self._model.load(self._progress)
            if self._after_load is not None:
                await self._after_load()
        except CairnError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001  nobody waits for this task: the cell is where it is heard
            self._fail(CairnError(f"{type(error).__name__}: {error}"))
        else:
            self.error = None
            self._set("ready", f"{self._wording.ready} ({info.device})", "")

    def _fail(self, error: CairnError) -> None:
        self.error = error
        self._set("failed", f"{self._wording.failed} {error.message}", "Try again")

    def _progress(self, phase: str, done: int, total: int) -> None:
        if self.cell["state"] != "starting":
            return  # late news of a load that has timed out
        fetching = phase == "fetch"
        label = self._wording.fetching if fetching else self._wording.starting
        if label == self.cell["label"] and not worth_showing(self.cell, done, total):
            return
        self.cell = {"state": "starting", "label": label, "action": ""}
        if total > 0:
            self.cell["done"] = done
            self.cell["total"] = total
            self.cell["unit"] = "bytes" if fetching else "steps"
        self._changed()

    def _set(self, state: str, label: str, action: str) -> None:
        self.cell = {"state": state, "label": label, "action": action}  # type: ignore[typeddict-item]
        self._changed()
