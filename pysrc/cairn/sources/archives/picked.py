"""Files that the person chose and that stay where they are, as archives read them.

Adapters: :mod:`cairn.browser.picked` (``File`` objects in the engine worker), and
:mod:`cairn.native.picked` (paths).
"""

from __future__ import annotations

from typing import Protocol

from cairn.errors import ArchiveAbsent
from cairn.sources.archives.reader import ByteReader, JoinedReader
from cairn.sources.archives.splits import is_part, order_parts


class PickedFiles(Protocol):
    """Chosen files by key; one key names what goes together: an archive and its parts, a pack."""

    def names(self, key: str) -> list[str]:
        """The files' names; [] when no page has handed them over since the start."""

    def paths(self, key: str) -> list[str]:
        """Where each file stood in the folder that was chosen (with ``/``), else its name."""

    def reader(self, key: str, index: int) -> ByteReader:
        """Bytes of one of the files; reading raises ArchiveAbsent when it was moved or changed."""

    def forget(self, key: str) -> None:
        """Let go of the files; unknown keys are ignored."""


class NothingPicked:
    """Where nobody can choose files."""

    def names(self, key: str) -> list[str]:
        return []

    def paths(self, key: str) -> list[str]:
        return []

    def reader(self, key: str, index: int) -> ByteReader:
        raise absent("The archive")

    def forget(self, key: str) -> None:
        return


def open_picked(picked: PickedFiles, key: str) -> tuple[str, ByteReader]:
    """Name and bytes of the archive with this key; raises ArchiveAbsent or ArchiveInvalid."""
    names = picked.names(key)
    if not names:
        raise absent("The archive")
    if len(names) == 1 and not is_part(names[0]):
        return names[0], picked.reader(key, 0)
    ordered = order_parts(names)
    readers = [picked.reader(key, names.index(name)) for name in ordered]
    return ordered[0].removesuffix("aa"), JoinedReader(readers)


def absent(what: str) -> ArchiveAbsent:
    """The error for an archive whose file must be chosen again."""
    return ArchiveAbsent(
        f"{what} is a file outside of Cairn, which needs your permission again.",
        hint="Open the file again.",
        retryable=True,
    )
