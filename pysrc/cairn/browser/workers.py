"""Client of one model worker (workers/embed.mjs, workers/generate.mjs): JSON-RPC with time limits.

A worker that crashes, or gives no sign of life for as long as a call allows, is ended: every call
that waits raises, and the next call starts a new worker, after a pause that doubles with each death.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import js
from pyodide.ffi import JsDoubleProxy, JsProxy, create_proxy, to_js

from cairn.browser.host import Host, WorkerLink
from cairn.errors import CairnError, TimedOut, WorkerCrashed
from cairn.protocol import CANCEL, decode_error

Notified = Callable[[str, dict[str, Any]], None]

FIRST_PAUSE = 0.5
LAST_PAUSE = 8.0
STEADY_SECONDS = 60.0
"""A worker that lived this long was sound: the next pause starts small again."""


class Call:
    """One request under way. The owner awaits :meth:`result` or gives up with :meth:`cancel`."""

    def __init__(self, client: WorkerClient, number: int, method: str) -> None:
        self.id = number
        self._client = client
        self._method = method
        self.reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def result(self, timeout: float) -> Any:
        """The result; ``timeout`` seconds without any sign of life from the worker end it."""
        try:
            while True:
                done, _ = await asyncio.wait({self.reply}, timeout=timeout)
                if done:
                    return self.reply.result()
                if self._client.silent_for() >= timeout:
                    self._client.give_up(self._method, timeout)
        except asyncio.CancelledError:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Ask the worker to stop this request; its late reply is ignored."""
        if not self.reply.done():
            self._client.forget(self)
            self.reply.cancel()


class WorkerClient:
    """Owns a worker of a role, its proxies and the calls that wait for it."""

    def __init__(self, host: Host, role: str, *, notified: Notified, died: Callable[[], None]) -> None:
        """``notified(method, params)`` gets notifications; ``died()`` is called after a crash."""
        self._host = host
        self._role = role
        self._notified = notified
        self._died = died
        self._link: WorkerLink | None = None
        self._proxies: list[JsDoubleProxy] = []
        self._calls: dict[int, Call] = {}
        self._next = 1
        self._heard = 0.0
        self._born = 0.0
        self._deaths = 0
        self._not_before = 0.0

    async def start(self, method: str, params: Mapping[str, Any]) -> Call:
        """Send a request, starting the worker when there is none."""
        pause = self._not_before - time.monotonic()
        if self._link is None and pause > 0:
            await asyncio.sleep(pause)
        if self._link is None:
            self._spawn()
        call = Call(self, self._next, method)
        self._next += 1
        self._calls[call.id] = call
        self._heard = time.monotonic()
        self._post({"id": call.id, "method": method, "params": params})
        return call

    async def call(self, method: str, params: Mapping[str, Any], *, timeout: float) -> Any:
        """Send a request and wait for its result."""
        return await (await self.start(method, params)).result(timeout)

    def silent_for(self) -> float:
        """Seconds since the worker was last heard or asked."""
        return time.monotonic() - self._heard

    def forget(self, call: Call) -> None:
        """Tell the worker that nobody waits for this call any more."""
        if self._calls.pop(call.id, None) is not None and self._link is not None:
            self._post({"method": CANCEL, "params": {"id": call.id}})

    def give_up(self, method: str, seconds: float) -> None:
        """End a worker that hangs."""
        self._end(
            TimedOut(
                f"{method} gave no answer for {seconds:.0f} s.",
                hint="It is started again by itself; try once more.",
                retryable=True,
            )
        )

    def close(self) -> None:
        """End the worker; calls that wait are cancelled."""
        self._release()
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.reply.cancel()

    def _spawn(self) -> None:
        self._proxies = [create_proxy(self._received), create_proxy(self._crashed)]
        self._link = self._host.spawn(self._role, *self._proxies)
        self._born = time.monotonic()

    def _post(self, message: Mapping[str, Any]) -> None:
        assert self._link is not None
        self._link.post(to_js(message, dict_converter=js.Object.fromEntries, create_pyproxies=False))

    def _received(self, raw: JsProxy) -> None:
        self._heard = time.monotonic()
        message = raw.to_py()
        if "method" in message:
            self._notified(message["method"], message["params"])
            return
        call = self._calls.pop(message.get("id"), None)
        if call is None or call.reply.done():
            return
        if "error" in message:
            call.reply.set_exception(decode_error(message["error"]))
        else:
            call.reply.set_result(message.get("result"))

    def _crashed(self, reason: str) -> None:
        self._end(
            WorkerCrashed(
                f"The {self._role} worker stopped ({reason}).",
                hint="It is started again by itself; if it happens again, close other tabs and apps.",
                retryable=True,
            )
        )

    def _end(self, error: CairnError) -> None:
        now = time.monotonic()
        self._deaths = 1 if now - self._born > STEADY_SECONDS else self._deaths + 1
        self._not_before = now + min(FIRST_PAUSE * 2 ** (self._deaths - 1), LAST_PAUSE)
        self._release()
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if not call.reply.done():
                call.reply.set_exception(error)
        self._died()

    def _release(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None
        # Deferred: this may run inside one of these very callbacks.
        for proxy in self._proxies:
            asyncio.get_running_loop().call_soon(proxy.destroy)
        self._proxies = []
