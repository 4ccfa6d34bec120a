"""What the embedder and the generator have in common: a worker, a choice, a load that falls back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from cairn.browser.catalogue import CATALOGUE, Choice, Device, choices
from cairn.browser.host import Host
from cairn.browser.workers import WorkerClient
from cairn.errors import CairnError, DownloadFailed, ModelUnavailable, NotReady
from cairn.models.ports import ModelInfo, Progress
from cairn.storage.ports import Fetch

LOAD_SILENCE = 180.0
"""Seconds without progress after which a load is given up: compiling a model is one silent step."""


class ModelWorker:
    """Loads the default model of a role in its worker, on the best device that proves itself."""

    def __init__(self, host: Host, fetch: Fetch, role: str, worker: str) -> None:
        """``role`` as in the catalogue, ``worker`` the script's name and the protocol's prefix."""
        self._host = host
        self._fetch = fetch
        self._role = role
        self._worker = worker
        self._progress: Progress = ignore
        self._listeners: dict[Any, Callable[[dict[str, Any]], None]] = {}
        self.client = WorkerClient(host, worker, notified=self._notified, died=self._died)
        self.info: ModelInfo | None = None

    async def load(self, progress: Progress, prove: Callable[[Choice], Awaitable[None]]) -> ModelInfo:
        """Try each way; ``prove`` raises ModelUnavailable when the numbers are wrong here."""
        self.info = None
        self.client.close()  # a worker is set up for one device, once
        self._progress = progress
        device = Device.of(self._host.device.to_py())
        reasons: list[str] = []
        try:
            for choice in choices(await self._catalogue(), self._role, device):
                try:
                    params = choice.params(device, self._host.base)
                    await self.call("load", params, timeout=LOAD_SILENCE)
                    await prove(choice)
                except DownloadFailed:
                    raise  # another device would need the same network
                except CairnError as error:
                    reasons.append(f"{choice.device}: {error.message}")
                    self.client.close()
                else:
                    self.info = choice.info
                    return choice.info
        finally:
            self._progress = ignore
        raise ModelUnavailable(
            f"The {self._role} does not run here ({'; '.join(reasons)}).",
            hint="Searching by words still works. Try again after closing other tabs.",
            retryable=True,
        )

    def require(self) -> ModelInfo:
        """The loaded model; raises NotReady."""
        if self.info is None:
            raise NotReady(f"The {self._role} is not loaded.", hint="Try again in a moment.")
        return self.info

    async def call(self, method: str, params: dict[str, Any], *, timeout: float) -> Any:
        """Call a method of this worker by its short name."""
        return await self.client.call(f"{self._worker}.{method}", params, timeout=timeout)

    def listen(self, request: int, listener: Callable[[dict[str, Any]], None] | None) -> None:
        """Set (or with None end) who gets the deltas of a request."""
        if listener is None:
            self._listeners.pop(request, None)
        else:
            self._listeners[request] = listener

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method == f"{self._worker}.progress":
            self._progress(str(params["phase"]), int(params["done"]), int(params["total"]))
        elif (listener := self._listeners.get(params.get("request"))) is not None:
            listener(params)

    def _died(self) -> None:
        self.info = None

    async def _catalogue(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(await self._fetch.read(CATALOGUE))
        except ValueError as error:
            raise ModelUnavailable("The list of models is damaged.", hint="Reload.") from error
        return found


def ignore(phase: str, done: int, total: int) -> None:
    """Progress that nobody watches."""
