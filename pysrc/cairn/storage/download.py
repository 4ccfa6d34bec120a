"""Brings the bytes of an address into a file, over as many connections and starts as it takes.

Goes on with ``Range`` and ``If-Range`` (a strong ETag, else Last-Modified); whatever does not fit
what came before (another validator, a plain 200, a range that is not there) starts anew from the
first byte. What a server may send wrongly is refused: another range than was asked for, a body
longer or shorter than it says, a web page in place of a file. Bytes are hashed as they arrive; the
room for all of them is taken before the first is written.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from cairn.errors import DownloadFailed
from cairn.storage.faults import storage_error
from cairn.storage.ports import Fetch, Response

FLUSH = 8 << 20
"""Bytes after which what arrived is forced to the disk and the cursor is saved."""
PIECE = 1 << 20
TRIES = 5
"""How often in a row a connection may end without a byte before the download gives up."""
RESTARTS = 3
"""How often a file may change at its source before the download gives up."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 20.0)

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_SERVER_FAULT = 500
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a download got, and what a later start needs to go on; plain JSON values."""

    bytes: int = 0
    total: int | None = None  # None: the server did not say
    validator: str = ""  # for If-Range; "" when the server gave none: then nothing can go on


@dataclass(frozen=True, slots=True)
class Received:
    """A whole body that stands in its file."""

    sha256: str
    bytes: int


class _Changed(Exception):
    """The file at the source is another one now."""


class Download:
    """One address and one file; :meth:`run` may be called again after it failed or was cancelled.

    ``save(cursor)`` records how far it got (the bytes are on the disk by then); ``progress(done,
    total)`` is for eyes, total 0 when unknown. ``magic`` are the first bytes that the file must
    have, ``most`` the most bytes it may have, ``what`` names it in sentences.
    """

    def __init__(
        self,
        fetch: Fetch,
        url: str,
        path: str,
        *,
        what: str,
        most: int,
        save: Callable[[Cursor], None],
        progress: Callable[[int, int], None],
        magic: bytes = b"",
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetch = fetch
        self._url = url
        self._path = Path(path)
        self._what = what
        self._most = most
        self._save = save
        self._progress = progress
        self._magic = magic
        self._pause = pause
        self._cursor = Cursor()
        self._digest = hashlib.sha256()
        self._restarts = 0

    async def run(self, cursor: Cursor) -> Received:
        """Fetch what is missing; raises DownloadFailed, StorageFull or StorageUnavailable.

        What arrived stays for the next run, also when this one is cancelled.
        """
        try:
            with self._path.open("r+b", buffering=0) as raw:
                file = cast(BinaryIO, raw)
                try:
                    await self._go_on(file, cursor)
                    await self._until_whole(file)
                    file.truncate(self._cursor.bytes)
                finally:
                    self._keep(file)
        except OSError as error:
            raise storage_error(error, self._what) from error
        return Received(self._digest.hexdigest(), self._cursor.bytes)

    async def _go_on(self, file: BinaryIO, cursor: Cursor) -> None:
        """Hash again what is there, as far as it can be trusted."""
        self._cursor, self._digest, self._restarts = cursor, hashlib.sha256(), 0
        there = file.seek(0, os.SEEK_END)
        if not cursor.validator or there < cursor.bytes:
            self._restart(file, Cursor())
            return
        file.seek(0)
        left = cursor.bytes
        while left:
            piece = file.read(min(PIECE, left))
            self._digest.update(piece)
            left -= len(piece)
            self._progress(cursor.bytes - left, cursor.total or 0)
            await asyncio.sleep(0)

    async def _until_whole(self, file: BinaryIO) -> None:
        idle = 0
        while not self._whole():
            before = self._cursor.bytes
            try:
                await self._connect(file)
                return
            except _Changed:
                self._restarts += 1
                if self._restarts > RESTARTS:
                    raise self._failed("keeps changing while it is fetched") from None
                self._restart(file, Cursor())
            except DownloadFailed as error:
                idle = 0 if self._cursor.bytes > before else idle + 1
                if not error.retryable or idle >= TRIES:
                    raise
                self._keep(file)
                await self._pause(PAUSES[min(idle, len(PAUSES) - 1)])

    def _whole(self) -> bool:
        return 0 < self._cursor.bytes == self._cursor.total

    async def _connect(self, file: BinaryIO) -> None:
        """One connection, until the body ends."""
        asked = self._cursor.bytes if self._cursor.validator else 0
        headers = {"Range": f"bytes={asked}-", "If-Range": self._cursor.validator} if asked else {}
        async with self._fetch.open(self._url, headers) as response:
            self._agree(response, asked, file)
            total = self._cursor.total
            if total is not None:
                file.truncate(total)  # takes the room now, not after an hour
            file.seek(self._cursor.bytes)
            await self._fill(file, response)
        if total is not None and self._cursor.bytes < total:
            raise self._failed(f"ended after {self._cursor.bytes} of {total} bytes", retryable=True)
        if not self._cursor.bytes:
            raise self._failed("is empty")
        self._cursor = replace(self._cursor, total=self._cursor.bytes)

    async def _fill(self, file: BinaryIO, response: Response) -> None:
        kept = self._cursor.bytes
        async for piece in response.pieces():
            at, total = self._cursor.bytes, self._cursor.total
            if at == 0 and not piece.startswith(self._magic[: len(piece)]):
                raise self._failed("is not what it should be (its first bytes are of another kind of file)")
            if total is not None and at + len(piece) > total:
                raise self._failed(f"is longer than the {total} bytes that its server stated")
            if at + len(piece) > self._most:
                raise self._failed(f"is larger than {self._most} bytes")
            if file.write(piece) != len(piece):
                raise OSError(errno.ENOSPC, "short write")
            self._digest.update(piece)
            self._cursor = replace(self._cursor, bytes=at + len(piece))
            if self._cursor.bytes - kept >= FLUSH:
                self._keep(file)
                kept = self._cursor.bytes
            self._progress(self._cursor.bytes, total or 0)
            await asyncio.sleep(0)  # a question or a stop gets its turn

    def _agree(self, response: Response, asked: int, file: BinaryIO) -> None:
        """Take up what the headers say; raises DownloadFailed, or _Changed to start anew."""
        status, headers = response.status, response.headers
        if asked and status == 206:
            self._agree_on_range(headers, asked)
            return
        if asked and status in (200, 416):
            if status == 416:
                raise _Changed
            self._restarts += 1
            if self._restarts > RESTARTS:
                raise self._failed("keeps changing while it is fetched")
        elif status != 200:
            again = status >= _SERVER_FAULT or status == _TOO_MANY
            raise self._failed(f"could not be fetched (status {status})", retryable=again)
        if headers.get("content-type", "").lower().startswith("text/html"):
            raise self._failed("is a web page, not a file")
        self._restart(file, Cursor(0, _length(headers), validator(headers)))
        if (self._cursor.total or 0) > self._most:
            raise self._failed(f"is larger than {self._most} bytes")

    def _agree_on_range(self, headers: Mapping[str, str], asked: int) -> None:
        found = _RANGE.fullmatch(headers.get("content-range", "").strip())
        if found is None:
            raise self._failed("came without saying which part it is")
        first, last, total = (int(number) for number in found.groups())
        given = validator(headers)
        if given and given != self._cursor.validator:
            raise _Changed
        if self._cursor.total not in (None, total):
            raise _Changed
        if first != asked or last != total - 1:
            raise self._failed("came as another part than the one that was asked for")
        self._cursor = replace(self._cursor, total=total)

    def _restart(self, file: BinaryIO, cursor: Cursor) -> None:
        file.truncate(0)
        self._digest = hashlib.sha256()
        self._cursor = cursor
        self._save(cursor)

    def _keep(self, file: BinaryIO) -> None:
        file.flush()
        os.fsync(file.fileno())
        self._save(self._cursor)

    def _failed(self, why: str, retryable: bool = False) -> DownloadFailed:
        hint = "Check the connection, then go on." if retryable else "Check the address, then try again."
        return DownloadFailed(
            f"{self._what[:1].upper()}{self._what[1:]} {why}.", hint=hint, retryable=retryable
        )


def validator(headers: Mapping[str, str]) -> str:
    """What proves later that the file is still the same: a strong ETag, else Last-Modified, else ""."""
    tag = headers.get("etag", "")
    if tag and not tag.startswith("W/"):
        return tag
    return "" if tag else headers.get("last-modified", "")


def _length(headers: Mapping[str, str]) -> int | None:
    encoded = headers.get("content-encoding", "identity").lower() not in ("", "identity")
    text = headers.get("content-length", "")
    return int(text) if text.isdecimal() and not encoded else None
