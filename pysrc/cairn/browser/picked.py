"""Chosen files in the engine worker (workers/picked-files.mjs): archives read them where they lie."""

from __future__ import annotations

from pyodide.ffi import JsException

from cairn.browser.host import PickedHost
from cairn.errors import ArchiveAbsent
from cairn.sources.archives.picked import absent
from cairn.sources.archives.reader import ByteReader, check_range


class PickedFileReader:
    """Byte ranges of one chosen file; raises ArchiveAbsent when it was moved or changed."""

    def __init__(self, host: PickedHost, key: str, index: int, name: str) -> None:
        self._host = host
        self._key = key
        self._index = index
        self._name = name
        try:
            self.size = int(host.size(key, index))
        except JsException as error:
            raise absent(f"“{name}”") from error

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes."""
        check_range(self.size, offset, length)
        try:
            found = self._host.read(self._key, self._index, offset, length)
        except JsException as error:
            raise _gone(self._name) from error
        data = found.to_bytes()
        if len(data) != length:
            raise _gone(self._name)
        return data


class WorkerPicked:
    """Implements :class:`cairn.sources.archives.picked.PickedFiles`."""

    def __init__(self, host: PickedHost) -> None:
        self._host = host

    def names(self, key: str) -> list[str]:
        """The files' names; [] when no page has handed them over."""
        return [str(name) for name in self._host.names(key).to_py()]

    def paths(self, key: str) -> list[str]:
        """Where each file stood in the folder that was chosen, else its name."""
        return [str(path) for path in self._host.paths(key).to_py()]

    def reader(self, key: str, index: int) -> ByteReader:
        """Bytes of one of the files."""
        return PickedFileReader(self._host, key, index, self.names(key)[index])

    def forget(self, key: str) -> None:
        """Let go of the files."""
        self._host.forget(key)


def _gone(name: str) -> ArchiveAbsent:
    return ArchiveAbsent(
        f"“{name}” was moved, changed or can no longer be read.",
        hint="Open the file again.",
        retryable=True,
    )
