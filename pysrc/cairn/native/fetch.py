"""The fetch port on a local folder or a local web server (see :mod:`cairn.storage.ports`)."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO
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
