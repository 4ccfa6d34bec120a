"""The files port on a folder (see :mod:`cairn.storage.ports`)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from cairn.errors import StorageUnavailable
from cairn.storage.ports import FileInfo, Space

_SLICES = ".slices"
_PIECE = 1 << 20


class DirectoryFiles:
    """Implements :class:`cairn.storage.ports.Files` with ordinary files under ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._root.mkdir(parents=True, exist_ok=True)

    def _path(self, name: str) -> Path:
        if not name or name.startswith(("/", ".")) or ".." in name.split("/") or "\\" in name:
            raise ValueError(f"{name!r} is not a name under the root")
        return self._root / name

    async def ensure(self, name: str, *, companions: Sequence[str] = ()) -> str:
        """Create the file (and companions) if missing; return its path."""
        for each in (name, *companions):
            path = self._path(each)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(exist_ok=True)
        return str(self._path(name))

    async def slice(self, name: str, offset: int, length: int, alias: str) -> str:
        """Copy the bytes to a file of their own: a plain file system has no slices."""
        source, target = self._path(name), self._path(f"slices/{alias}")
        target = self._root / _SLICES / target.relative_to(self._root / "slices")
        try:
            if offset < 0 or length < 0 or offset + length > source.stat().st_size:
                raise StorageUnavailable(f"{name} has no bytes {offset} to {offset + length}.")
            target.parent.mkdir(parents=True, exist_ok=True)
            with source.open("rb") as whole, target.open("wb") as part:
                whole.seek(offset)
                while length and (piece := whole.read(min(_PIECE, length))):
                    part.write(piece)
                    length -= len(piece)
        except OSError as error:
            raise StorageUnavailable(f"A part of {name} cannot be opened: {error}.") from error
        return str(target)

    async def unmount(self, alias: str) -> None:
        """Delete the copy of a slice."""
        (self._root / _SLICES / alias).unlink(missing_ok=True)

    async def release(self, name: str) -> None:
        """Nothing is held."""

    async def remove(self, name: str) -> None:
        """Delete a file; missing files are ignored."""
        self._path(name).unlink(missing_ok=True)

    async def rename(self, old: str, new: str) -> None:
        """Give a file a new name, replacing a file of that name."""
        target = self._path(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._path(old).replace(target)

    async def list(self, prefix: str = "") -> list[FileInfo]:
        """Files whose name starts with ``prefix``, sorted by name."""
        found = []
        for path in self._root.rglob("*"):
            name = path.relative_to(self._root).as_posix()
            if path.is_file() and name.startswith(prefix) and not name.startswith(_SLICES):
                found.append(FileInfo(name, path.stat().st_size))
        return sorted(found, key=lambda info: info.name)

    async def space(self) -> Space:
        """What the disk has; a folder has no quota of its own."""
        disk = shutil.disk_usage(self._root)
        used = sum(info.bytes for info in await self.list())
        return Space(used=used, quota=used + disk.free, persisted=True)
