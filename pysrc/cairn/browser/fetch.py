"""The fetch port: read-only, same origin, every wait limited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
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
        target = js.URL.new(url, self._base)
        if target.origin != js.URL.new(self._base).origin:
            raise DownloadFailed(f"{url} is not part of this app.")
        controller = js.AbortController.new()
        options = to_js({"signal": controller.signal}, dict_converter=js.Object.fromEntries)
        try:
            response = await limited(js.fetch(target.href, options), url)
            if response.status != OK:
                raise DownloadFailed(
                    f"{url} could not be fetched (status {response.status}).", retryable=True
                )
            reader = response.body.getReader()
            while not (chunk := await limited(reader.read(), url)).done:
                yield chunk.value.to_bytes()
        finally:
            controller.abort()  # does nothing after the end


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
