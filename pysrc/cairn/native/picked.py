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
        self._folders: dict[str, Path] = {}

    def pick(self, key: str, paths: Sequence[Path], folder: Path | None = None) -> None:
        """Choose files, all of them below ``folder`` when a folder was chosen."""
        self._paths[key] = list(paths)
        if folder is not None:
            self._folders[key] = folder.parent

    def names(self, key: str) -> list[str]:
        """The files' names."""
        return [path.name for path in self._paths.get(key, [])]

    def paths(self, key: str) -> list[str]:
        """Where each file stood in the folder that was chosen, else its name."""
        above = self._folders.get(key)
        paths = self._paths.get(key, [])
        return [path.relative_to(above).as_posix() if above else path.name for path in paths]

    def reader(self, key: str, index: int) -> ByteReader:
        """Open one of the files."""
        path = self._paths[key][index]
        if not path.is_file():
            raise absent(path.name)
        return FileReader(path)

    def forget(self, key: str) -> None:
        """Let go of the files."""
        self._paths.pop(key, None)
