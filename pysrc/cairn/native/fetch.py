"""The fetch port on a local folder or a local web server (see :mod:`cairn.storage.ports`)."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

from cairn.errors import DownloadFailed

_PIECE = 1 << 18
_TIMEOUT_S = 30.0


class LocalFetch:
    """Implements :class:`cairn.storage.ports.Fetch`; names are relative to a folder or an address."""

    def __init__(self, base: Path | str) -> None:
        self._base = base

    async def read(self, url: str) -> bytes:
        """The whole body; raises DownloadFailed."""
        return b"".join([piece async for piece in self.stream(url)])

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        """The body in pieces; raises DownloadFailed when it ends early or cannot be read."""
        try:
            body, length = self._open(url)
            with body:
                done = 0
                while piece := body.read(_PIECE):
                    done += len(piece)
                    yield piece
        except (OSError, urllib.error.URLError) as error:
            raise DownloadFailed(f"{url} cannot be read: {error}.", retryable=True) from error
        if length is not None and done != length:
            raise DownloadFailed(f"{url} ended after {done} of {length} bytes.", retryable=True)

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[LocalResponse]:
        """Ask a web server with these headers; raises DownloadFailed."""
        request = urllib.request.Request(urljoin(str(self._base), url), headers=dict(headers))
        try:
            body: Any = urllib.request.urlopen(request, timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as error:
            body = error
        except OSError as error:
            raise DownloadFailed(f"{url} cannot be read: {error}.", retryable=True) from error
        with body:
            yield LocalResponse(body, url)

    def _open(self, url: str) -> tuple[BinaryIO, int | None]:
        if isinstance(self._base, Path):
            path = self._base / url.lstrip("/")
            return path.open("rb"), path.stat().st_size
        address = urljoin(self._base, url)
        if urlsplit(address).scheme not in ("http", "https"):
            raise OSError("only http and https addresses are fetched")
        response = urllib.request.urlopen(address, timeout=_TIMEOUT_S)
        length = response.headers.get("Content-Length")
        return response, int(length) if length else None


class LocalResponse:
    """Implements :class:`cairn.storage.ports.Response`; reading holds the event loop."""

    def __init__(self, body: Any, url: str) -> None:
        self._body = body
        self._url = url
        self.status = int(body.status)
        self.headers = {name.lower(): value for name, value in body.headers.items()}

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body; raises DownloadFailed when the connection breaks."""
        try:
            while piece := self._body.read1(_PIECE):
                yield piece
        except (OSError, http.client.HTTPException) as error:
            raise DownloadFailed(f"{self._url} broke off: {error}.", retryable=True) from error
