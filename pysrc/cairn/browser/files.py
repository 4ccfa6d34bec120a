"""The files port over OPFS (workers/files-host.mjs). Its CPython twin: :mod:`cairn.native.files`."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from pyodide.ffi import JsException

from cairn.browser.host import FilesHost
from cairn.errors import CairnError, StorageFull, StorageUnavailable
from cairn.storage.ports import FileInfo, Space

T = TypeVar("T")
MAX_NAME = 150
FULL = ("QuotaExceeded", "NO_DEVICE_SPACE")
"""The specification's name, and Firefox's."""


class OpfsFiles:
    """Named files in the origin's private file system; Python opens them by path once ensured."""

    def __init__(self, host: FilesHost) -> None:
        self._host = host

    async def ensure(self, name: str, *, companions: Sequence[str] = ()) -> str:
        """Make a file and its companions openable; raises StorageFull or StorageUnavailable."""
        for companion in companions:
            await attempt(self._host.ensure(checked(companion)), companion)
        return await attempt(self._host.ensure(checked(name)), name)

    async def slice(self, name: str, offset: int, length: int, alias: str) -> str:
        """Make part of a file openable read-only, in place."""
        return await attempt(self._host.slice(checked(name), offset, length, checked(alias)), name)

    async def unmount(self, alias: str) -> None:
        """Forget a slice."""
        await attempt(self._host.unmount(checked(alias)), alias)

    async def release(self, name: str) -> None:
        """Close a file's handle."""
        await attempt(self._host.release(checked(name)), name)

    async def remove(self, name: str) -> None:
        """Delete a file and its slices."""
        await attempt(self._host.remove(checked(name)), name)

    async def rename(self, old: str, new: str) -> None:
        """Rename a closed file durably, replacing a file of the new name."""
        await attempt(self._host.rename(checked(old), checked(new)), old)

    async def list(self, prefix: str = "") -> list[FileInfo]:
        """Files by name."""
        found = await attempt(self._host.list(prefix), prefix)
        return [FileInfo(str(f["name"]), int(f["bytes"])) for f in found.to_py()]

    async def space(self) -> Space:
        """What the browser says."""
        said = (await attempt(self._host.space(), "")).to_py()
        return Space(said.get("used"), said.get("quota"), said.get("persisted"))


def checked(name: str) -> str:
    """The name itself; raises StorageUnavailable when it could not be a file's name."""
    parts = name.split("/")
    if len(name) > MAX_NAME or any(part == "" or part.startswith(".") for part in parts):
        raise StorageUnavailable(f"“{name[:80]}” cannot be the name of a stored file.")
    return name


async def attempt(work: Awaitable[T], name: str) -> T:
    """Await the host; its errors become typed ones."""
    try:
        return await work
    except JsException as error:
        raise typed(error, name) from error


def typed(error: JsException, name: str) -> CairnError:
    """The typed error of a browser's storage error."""
    text = f"{error.name}: {error.message}"
    if any(word in text for word in FULL):
        return StorageFull(
            "There is no space left for Cairn on this device.",
            hint="Free some space, or remove a pack, then try again.",
            retryable=True,
        )
    return StorageUnavailable(
        f"The stored file “{name}” could not be used ({text}).",
        hint="Reload the page; close other Cairn tabs if it happens again.",
        retryable=True,
    )
