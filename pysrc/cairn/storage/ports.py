"""The files port and the fetch port: all the core knows of storage and the network.

Names are relative, use ``/`` and contain no ``..``. A file must be *ensured* before Python opens
it, because opening a handle on OPFS is asynchronous while SQLite and ``open()`` are not.
Adapters: :mod:`cairn.browser.files` (OPFS through workers/opfs-fs.mjs), :mod:`cairn.native.files`.
One test suite runs against both.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A stored file: its name under the root and its size in bytes."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Space:
    """What the browser says of storage; quota is a promise, not free space."""

    used: int | None
    quota: int | None
    persisted: bool | None


class Files(Protocol):
    """Named files that Python can open by path once ensured."""

    async def ensure(self, name: str, *, companions: Sequence[str] = ()) -> str:
        """Create the file if missing, make it openable, return its path.

        ``companions`` are further names made ready with it (SQLite's ``state.db-journal``).
        """

    async def slice(self, name: str, offset: int, length: int, alias: str) -> str:
        """Make bytes [offset, offset + length) of a stored file openable read-only at a new path.

        ``alias`` names the view (unique); nothing is copied on OPFS. Raises StorageUnavailable.
        """

    async def unmount(self, alias: str) -> None:
        """Forget a slice; unknown aliases are ignored."""

    async def release(self, name: str) -> None:
        """Let go of an ensured file that Python has closed; it can be ensured again.

        For files that are many; one that is not open, or that has slices, stays as it is.
        """

    async def remove(self, name: str) -> None:
        """Delete a file; missing files are ignored."""

    async def rename(self, old: str, new: str) -> None:
        """Give a closed file a new name, replacing a file of that name."""

    async def list(self, prefix: str = "") -> list[FileInfo]:
        """Files whose name starts with ``prefix``, sorted by name."""

    async def space(self) -> Space:
        """What storage holds and may hold."""


class Response(Protocol):
    """An answer whose body is still to come."""

    @property
    def status(self) -> int:
        """HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By lower-case name."""

    def pieces(self) -> AsyncIterator[bytes]:
        """The body; raises DownloadFailed (retryable) when the connection breaks or stalls."""


class Fetch(Protocol):
    """Read-only access to the app's own origin."""

    def open(self, url: str, headers: Mapping[str, str]) -> AbstractAsyncContextManager[Response]:
        """Ask with these headers; leaving the block ends the request. Raises DownloadFailed."""

    async def read(self, url: str) -> bytes:
        """The whole body; raises DownloadFailed."""

    def stream(self, url: str) -> AsyncIterator[bytes]:
        """The body in pieces; raises DownloadFailed when it ends early or is not a 200."""
