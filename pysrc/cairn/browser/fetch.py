"""The fetch port: read-only, same origin, every wait limited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import js
from pyodide.ffi import JsException, to_js

from cairn.errors import DownloadFailed

T = TypeVar("T")
STALL_SECONDS = 30.0
OK = 200


class OriginFetch:
    """Fetches from the site's own root; anything else is refused before a request is made."""

    def __init__(self, base: str) -> None:
        """``base`` is the absolute URL of the site's root."""
        self._base = base

    async def read(self, url: str) -> bytes:
        """The whole body; raises DownloadFailed."""
        return b"".join([piece async for piece in self.stream(url)])

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        """The body in pieces; closing the iterator ends the request. Raises DownloadFailed."""
        async with self.open(url, {}) as response:
            if response.status != OK:
                raise DownloadFailed(
                    f"{url} could not be fetched (status {response.status}).", retryable=True
                )
            async for piece in response.pieces():
                yield piece

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[OriginResponse]:
        """Ask with these headers; leaving the block ends the request. Raises DownloadFailed."""
        target = address(url, self._base)
        controller = js.AbortController.new()
        # Not into the browser's own cache: what is fetched here is kept by us, once.
        asked = {"signal": controller.signal, "headers": dict(headers), "cache": "no-store"}
        options = to_js(asked, dict_converter=js.Object.fromEntries)
        try:
            yield OriginResponse(await limited(js.fetch(target, options), url), url)
        finally:
            controller.abort()  # does nothing after the end


class OriginResponse:
    """Implements :class:`cairn.storage.ports.Response`."""

    def __init__(self, response: js.Response, url: str) -> None:
        self._response = response
        self._url = url
        self.status = int(response.status)
        self.headers: dict[str, str] = js.Object.fromEntries(response.headers).to_py()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body; raises DownloadFailed when the connection breaks or stalls."""
        reader = self._response.body.getReader()
        while not (chunk := await limited(reader.read(), self._url)).done:
            yield chunk.value.to_bytes()


def address(url: str, base: str) -> str:
    """The whole address of a URL of the site ``base``; raises DownloadFailed for any other place."""
    try:
        target = js.URL.new(url, base)
    except JsException as error:
        raise DownloadFailed(f"“{url[:200]}” is not an address.", hint="Check it for a slip.") from error
    if target.origin != js.URL.new(base).origin:
        raise DownloadFailed(
            f"This page may fetch only from the place it was installed from, not from {target.host}.",
            hint="Open the address in the browser, save the file, then choose it here.",
        )
    return str(target.href)


async def limited(work: Awaitable[T], url: str) -> T:
    """Await one step of a download; raises DownloadFailed when it fails or stalls."""
    try:
        return await asyncio.wait_for(work, STALL_SECONDS)
    except TimeoutError as error:
        raise DownloadFailed(
            f"{url} stopped arriving.", hint="Check the connection, then try again.", retryable=True
        ) from error
    except JsException as error:
        raise DownloadFailed(
            f"{url} could not be fetched ({error.message}).",
            hint="Check the connection, then try again.",
            retryable=True,
        ) from error
