"""Chosen files on CPython: paths. The browser's twin is :mod:`cairn.browser.picked`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cairn.sources.archives.picked import absent
from cairn.sources.archives.reader import ByteReader, FileReader


class PickedPaths:
    """Implements :class:`cairn.sources.archives.picked.PickedFiles`; :meth:`pick` is the person."""

    def __init__(self) -> None:
        self._paths: dict[str, list[Path]] = {}

    def pick(self, key: str, paths: Sequence[Path]) -> None:
        """Choose files."""
        self._paths[key] = list(paths)

    def names(self, key: str) -> list[str]:
        """The files' names."""
        return [path.name for path in self._paths.get(key, [])]

    def reader(self, key: str, index: int) -> ByteReader:
        """Open one of the files."""
        path = self._paths[key][index]
        if not path.is_file():
            raise absent(path.name)
        return FileReader(path)

    def forget(self, key: str) -> None:
        """Let go of the files."""
        self._paths.pop(key, None)
