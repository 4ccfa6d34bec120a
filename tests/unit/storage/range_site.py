"""A file on a server that keeps HTTP's rules for ranges, or breaks one of them when told to.

:class:`Web` serves it to the fetch port without a network; test_download_http.py over real sockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from cairn.errors import DownloadFailed

PIECE = 997


@dataclass(frozen=True)
class Answer:
    """One answer; ``cut`` bytes of the body come before the connection breaks, None: all of it."""

    status: int
    headers: dict[str, str]
    body: bytes
    cut: int | None = None


Fault = Callable[[Answer], Answer]


@dataclass
class RangeSite:
    """The file and its validators; ``faults`` are used up, one an answer (None: a good one)."""

    body: bytes
    etag: str = '"one"'
    modified: str = ""
    ranges: bool = True
    faults: list[Fault | None] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    before: Callable[[RangeSite], None] = lambda site: None

    def answer(self, headers: Mapping[str, str]) -> Answer:
        asked = {name.lower(): value for name, value in headers.items()}
        self.requests.append(asked)
        self.before(self)
        fault = self.faults.pop(0) if self.faults else None
        good = self._good(asked)
        return fault(good) if fault else good

    def _good(self, asked: dict[str, str]) -> Answer:
        headers = {"content-type": "application/zip"}
        if self.etag:
            headers["etag"] = self.etag
        if self.modified:
            headers["last-modified"] = self.modified
        size = len(self.body)
        wanted = asked.get("range", "") if self.ranges else ""
        if asked.get("if-range") not in (None, self.etag, self.modified):
            wanted = ""
        if not wanted:
            return Answer(200, {**headers, "content-length": str(size)}, self.body)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        start, end = int(first), min(int(last or size) + 1, size)
        if start >= size:
            return Answer(416, {**headers, "content-range": f"bytes */{size}", "content-length": "0"}, b"")
        headers |= {"content-range": f"bytes {start}-{end - 1}/{size}", "content-length": str(end - start)}
        return Answer(206, headers, self.body[start:end])


def drop(after: int) -> Fault:
    """The connection breaks after so many bytes."""
    return lambda good: replace(good, cut=after)


def status(number: int) -> Fault:
    return lambda good: Answer(number, {"content-length": "0"}, b"")


def with_header(name: str, value: str) -> Fault:
    """A header that lies."""
    return lambda good: replace(good, headers={**good.headers, name: value})


def html(good: Answer) -> Answer:
    """A hotspot's login page in place of the file."""
    body = b"<!doctype html><title>Log in</title>"
    return Answer(200, {"content-type": "text/html", "content-length": str(len(body))}, body)


def longer(good: Answer) -> Answer:
    """More bytes than stated (possible without a length on the wire, as HTTP/2 allows)."""
    return replace(good, body=good.body + b"and more")


def other_bytes(good: Answer) -> Answer:
    """Another file under the same validator."""
    return replace(good, body=bytes(b ^ 0xFF for b in good.body))


class Web:
    """The fetch port over sites by address."""

    def __init__(self, **sites: RangeSite) -> None:
        self.sites = sites
        self.pause = asyncio.sleep
        self.gate: asyncio.Event | None = None  # when set: each piece waits for it

    async def read(self, url: str) -> bytes:
        return b"".join([piece async for piece in self.stream(url)])

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        async with self.open(url, {}) as response:
            if response.status != 200:
                raise DownloadFailed(f"{url} is not there.")
            async for piece in response.pieces():
                yield piece

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[WebResponse]:
        site = self.sites.get(url)
        answer = site.answer(headers) if site else Answer(404, {"content-type": "text/plain"}, b"")
        yield WebResponse(answer, self)


class WebResponse:
    def __init__(self, answer: Answer, web: Web) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self._answer = answer
        self._web = web

    async def pieces(self) -> AsyncIterator[bytes]:
        body = self._answer.body if self._answer.cut is None else self._answer.body[: self._answer.cut]
        for start in range(0, len(body), PIECE):
            if self._web.gate is not None:
                await self._web.gate.wait()
            yield body[start : start + PIECE]
        if self._answer.cut is not None:
            raise DownloadFailed("The connection broke.", retryable=True)
