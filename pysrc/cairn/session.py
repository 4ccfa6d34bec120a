"""One page's connection to the engine: requests in, exactly one reply each, notifications out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeGuard

from cairn import protocol
from cairn.errors import CairnError, Cancelled, InvalidRequest

RequestId = int | str
Emit = Callable[[str, Mapping[str, Any]], None]


class Handler(Protocol):
    """What serves the methods of the protocol."""

    async def call(self, method: str, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        """Serve one request; raises CairnError. ``emit`` sends notifications to this page."""


def is_request_id(value: Any) -> TypeGuard[RequestId]:
    """Whether a value can name a request: a whole number or a text (``true`` equals 1 in Python)."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def encode(message: Mapping[str, Any]) -> str:
    """JSON text of a message; raises ValueError for NaN, which a page's ``JSON.parse`` refuses."""
    return json.dumps(message, allow_nan=False)


class Session:
    """Parses, schedules, replies; a cancelled or failed request is answered like any other."""

    def __init__(self, handler: Handler, send: Callable[[str], None]) -> None:
        self._handler = handler
        self._send = send
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._open = True
        self.closed: Callable[[], object] = lambda: None

    def receive(self, text: str) -> None:
        """Take one message; never raises."""
        try:
            message = protocol.parse_message(text)
        except InvalidRequest as error:
            self._reply(None, error=error)
            return
        method = message.get("method")
        params = message.get("params", {})
        request = message.get("id")
        if not self._open:
            return
        if method == protocol.CANCEL:
            self._cancel(params)
        elif not isinstance(method, str) or not is_request_id(request):
            self._reply(None, error=InvalidRequest("Requests need a method and an id."))
        elif request in self._running:
            self._reply(request, error=InvalidRequest("This id is already in use."))
        else:
            self._begin(request, method, params)

    @property
    def running(self) -> int:
        """How many requests of this page are being served."""
        return len(self._running)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification to this page."""
        self.send_text(encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def send_text(self, text: str) -> None:
        """Send prepared JSON text, unless the page is gone."""
        if self._open:
            self._send(text)

    def close(self) -> list[asyncio.Task[None]]:
        """Cancel what this page asked for and forget it; return what has not ended yet."""
        if not self._open:
            return []
        self._open = False
        running = list(self._running.values())
        for task in running:
            task.cancel()
        self.closed()
        return running

    def _begin(self, request: RequestId, method: str, params: Any) -> None:
        task = asyncio.ensure_future(self._serve(request, method, params))
        self._running[request] = task
        # Not in _serve itself: a task that is cancelled before its first step never enters it.
        task.add_done_callback(lambda task: self._finish(request, task))

    def _cancel(self, params: Any) -> None:
        request = params.get("id") if isinstance(params, dict) else None
        task = self._running.get(request) if is_request_id(request) else None
        if task is not None:
            task.cancel()

    async def _serve(self, request: RequestId, method: str, params: Any) -> None:
        try:
            protocol.check_params(protocol.ENGINE_METHODS, method, params)
            result = await self._handler.call(method, params, request, self.notify)
            self._reply(request, result=result)
        except CairnError as error:
            self._reply(request, error=error)
        except Exception as error:  # noqa: BLE001  the border: a fault of ours must reach the page as an answer
            detail = f"{type(error).__name__}: {error}"
            fault = CairnError(
                f"Something went wrong inside Cairn ({detail}).",
                hint="Nothing was lost. Try again, or reload the page.",
            )
            self._reply(request, error=fault)

    def _finish(self, request: RequestId, task: asyncio.Task[None]) -> None:
        del self._running[request]
        if task.cancelled():
            self._reply(request, error=Cancelled("Stopped."))

    def _reply(
        self, request: RequestId | None, *, result: Any = None, error: CairnError | None = None
    ) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": request}
        if error is not None:
            message["error"] = protocol.encode_error(error)
        else:
            message["result"] = result
        self.send_text(encode(message))
