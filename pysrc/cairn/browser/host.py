"""What workers/engine.mjs hands to Python: the shapes of its JavaScript objects."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Protocol

from pyodide.ffi import JsBuffer, JsDoubleProxy, JsProxy

if TYPE_CHECKING:
    from cairn.browser.kernel import KernelHost


class FilesHost(Protocol):
    """``workers/files-host.mjs``."""

    kind: str  # "opfs" | "indexeddb"

    def ensure(self, name: str) -> Awaitable[str]:
        """Open (or create) and return the path."""

    def slice(self, name: str, offset: int, length: int, alias: str) -> Awaitable[str]:
        """Make a view of a file and return its path."""

    def unmount(self, alias: str) -> Awaitable[None]:
        """Forget a view."""

    def release(self, name: str) -> Awaitable[None]:
        """Close a file's handle."""

    def remove(self, name: str) -> Awaitable[None]:
        """Delete a file."""

    def rename(self, old: str, new: str) -> Awaitable[None]:
        """Rename a file, replacing another."""

    def list(self, prefix: str) -> Awaitable[JsProxy]:
        """``[{name, bytes}]``."""

    def space(self) -> Awaitable[JsProxy]:
        """``{used, quota, persisted}``."""


class PickedHost(Protocol):
    """``workers/picked-files.mjs``."""

    def names(self, key: str) -> JsProxy:
        """File names of a key."""

    def paths(self, key: str) -> JsProxy:
        """Where each file of a key stood in what was chosen."""

    def size(self, key: str, index: int) -> float:
        """Bytes of a file."""

    def read(self, key: str, index: int, offset: int, length: int) -> JsBuffer:
        """Bytes of a file, fewer at its end."""

    def forget(self, key: str) -> None:
        """Let go of files."""


class WorkerLink(Protocol):
    """``workers/worker-link.mjs``."""

    def post(self, message: JsProxy) -> None:
        """Send a message."""

    def close(self) -> None:
        """Terminate the worker."""


class Host(Protocol):
    """The object that ``workers/engine.mjs`` passes to :func:`cairn.browser.boot.create`."""

    base: str
    build: str
    files: FilesHost
    picked: PickedHost
    device: JsProxy
    timings: JsProxy
    vectors: KernelHost | None  # None where the kernel could not be read
    vectorBytes: int  # memory for vectors of all packs together

    def step(self, name: str, label: str, ms: float) -> None:
        """Report a start-up step."""

    def loadNumpy(self) -> Awaitable[Any]:
        """Install numpy from the app's own files."""

    def loadReaders(self) -> Awaitable[Any]:
        """Install what reads documents from the app's own files."""

    def loadStemmers(self) -> Awaitable[Any]:
        """Install snowballstemmer from the app's own files."""

    def references(self) -> int:
        """How many JavaScript objects Python holds."""

    def spawn(self, role: str, received: JsDoubleProxy, crashed: JsDoubleProxy) -> WorkerLink:
        """Start the model worker ``workers/<role>.mjs``."""
