"""The archives of the library: recorded, opened, copied into the app's storage, removed.

An archive is recorded with what is needed to open it again and with its description, so that one
whose file must be chosen again is still listed. Its id comes from the archive itself, so choosing
the same file again finds the same record, wherever the file is now.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

from cairn.errors import CairnError, DocumentNotFound, StorageUnavailable
from cairn.protocol import SourceInfo
from cairn.sources.archives.copying import copy_archive, part_name, stored_name
from cairn.sources.archives.picked import PickedFiles, absent, open_picked
from cairn.sources.archives.reader import FileReader
from cairn.sources.archives.shelved import ShelvedArchive
from cairn.storage.ports import Files
from cairn.storage.state import SourceRow, State

DIRECTORY = "archives/"
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Shelf:
    """Open archives by id, and why the others are not.

    ``quiet`` is awaited before an archive is closed: it returns when none is being asked.
    ``prepare`` is awaited before one is opened: it makes the stemmers importable.
    """

    files: Files
    state: State
    picked: PickedFiles
    now: Callable[[], float]
    quiet: Callable[[], Awaitable[None]]
    prepare: Callable[[], Awaitable[None]]
    sources: dict[str, ShelvedArchive] = field(default_factory=dict)
    problems: dict[str, CairnError] = field(default_factory=dict)
    copying: dict[str, tuple[int, int]] = field(default_factory=dict)  # done, total
    unfinished: dict[str, int] = field(default_factory=dict)  # bytes of copies that were stopped
    opened: bool = False  # whether every recorded archive was tried

    async def open_recorded(self) -> None:
        """Open every recorded archive that can be read now."""
        sizes = {info.name: info.bytes for info in await self.files.list(DIRECTORY)}
        for row in self._rows():
            self.unfinished[row.id] = sizes.get(part_name(row.id), 0)
            try:
                self.sources[row.id] = await self._open(row)
            except CairnError as error:
                self.problems[row.id] = error
        self.opened = True

    async def remove_orphans(self) -> None:
        """Delete stored files that no record names."""
        rows = self._rows()
        wanted = {row.record.get("file") for row in rows} | {part_name(row.id) for row in rows}
        for info in await self.files.list(DIRECTORY):
            if info.name not in wanted:
                await self.files.remove(info.name)

    async def add(self, key: str) -> SourceInfo:
        """Open the chosen files and record them; a copy that is already there stays in use.

        Raises ArchiveAbsent, ArchiveInvalid or ArchiveUnsupported, and then changes nothing.
        """
        name, reader = open_picked(self.picked, key)
        try:
            await self.prepare()
            archive = ShelvedArchive(reader, name=name, key=key)
            known = self.sources.get(archive.id)
            if known is not None and known.file:
                archive.close()
                self.picked.forget(key)
                return known.describe()
            row = self._record(archive, self.state.source(archive.id))
        except BaseException:
            self.picked.forget(key)
            raise
        await self._replace(archive, row)
        return self.info(archive.id)

    async def copy(self, source_id: str, progress: Progress) -> SourceInfo:
        """Copy an archive into the app's storage and use the copy from then on.

        Continues where an interrupted copy ended. Raises StorageFull or StorageUnavailable.
        """
        archive = self.get(source_id)
        if archive.file:
            return archive.describe()
        if source_id in self.copying:
            raise StorageUnavailable("This archive is being copied already.")

        def copied(done: int, total: int) -> None:
            self.copying[source_id] = (done, total)
            self.unfinished[source_id] = done if done < total else 0
            progress(done, total)

        self.copying[source_id] = (0, archive.archive.reader.size)
        try:
            await copy_archive(self.files, archive.archive.reader, archive.id, copied)
        finally:
            self.copying.pop(source_id, None)
        stored = ShelvedArchive(
            FileReader(await self.files.ensure(stored_name(source_id))),
            name=archive.name,
            file=stored_name(source_id),
        )
        if self.state.source(source_id) is None:  # removed meanwhile
            stored.close()
            await self.remove_orphans()
            raise DocumentNotFound("The archive was removed while it was copied.")
        await self._replace(stored, self._record(stored, self.state.source(source_id)))
        return self.info(source_id)

    async def remove(self, source_id: str) -> None:
        """Forget an archive and delete its copy; the person's own file stays where it is."""
        row = self.state.source(source_id)
        if row is None or row.kind != "archive":
            raise DocumentNotFound("There is no such archive in the library.")
        await self.quiet()
        self.state.remove_source(source_id)
        archive = self.sources.pop(source_id, None)
        self.problems.pop(source_id, None)
        self.unfinished.pop(source_id, None)
        if archive is not None:
            archive.close()
        self.picked.forget(str(row.record.get("key", "")))
        if source_id not in self.copying:
            await self.remove_orphans()

    def get(self, source_id: str) -> ShelvedArchive:
        """An open archive; raises the reason it is not open, or DocumentNotFound."""
        archive = self.sources.get(source_id)
        if archive is not None:
            return archive
        if source_id in self.problems:
            raise self.problems[source_id]
        raise DocumentNotFound(
            "This archive is not in the library.", hint="It may have been removed. Add it again."
        )

    def info(self, source_id: str) -> SourceInfo:
        """What the page lists of one archive."""
        return next(info for info in self.infos() if info["id"] == source_id)

    def infos(self) -> list[SourceInfo]:
        """What the page lists: open ones, and those that are not, as they were recorded."""
        return [self._info(row) for row in self._rows()]

    def close(self) -> None:
        """Close every file."""
        for archive in self.sources.values():
            archive.close()
        self.sources.clear()

    def _rows(self) -> list[SourceRow]:
        return [row for row in self.state.sources() if row.kind == "archive"]

    async def _open(self, row: SourceRow) -> ShelvedArchive:
        name, key, file = (str(row.record.get(part, "")) for part in ("name", "key", "file"))
        if not file:
            if not self.picked.names(key):
                raise absent(f"“{_title(row)}”")
            await self.prepare()
            return ShelvedArchive(open_picked(self.picked, key)[1], name=name, key=key)
        if not any(info.name == file for info in await self.files.list(file)):
            raise StorageUnavailable(
                f"The copy of “{_title(row)}” is gone: the browser cleared it.", hint="Add the archive again."
            )
        await self.prepare()
        reader = FileReader(await self.files.ensure(file))
        try:
            return ShelvedArchive(reader, name=name, file=file)
        except BaseException:
            reader.close()
            raise

    async def _replace(self, archive: ShelvedArchive, row: SourceRow) -> None:
        """Record an archive and use it from now on; nothing is awaited in between."""
        await self.quiet()
        self.state.put_source(row)
        old = self.sources.pop(archive.id, None)
        self.sources[archive.id] = archive
        self.problems.pop(archive.id, None)
        if old is not None:
            old.close()
            if old.key != archive.key:
                self.picked.forget(old.key)

    def _record(self, archive: ShelvedArchive, old: SourceRow | None) -> SourceRow:
        info = archive.describe()
        record = {"key": archive.key, "file": archive.file, "name": archive.name, "info": info}
        added = old.added_ms if old else self.now()
        return SourceRow(
            archive.id, "archive", info["version"], "", cast(dict[str, Any], record), True, added
        )

    def _info(self, row: SourceRow) -> SourceInfo:
        archive = self.sources.get(row.id)
        info = archive.describe() if archive is not None else cast(SourceInfo, dict(row.record["info"]))
        facts = info["archive"] = cast(Any, dict(info["archive"]))
        problem = archive.lost if archive is not None else self.problems.get(row.id)
        if problem is not None:
            facts["state"] = "absent" if problem.code == "archive_absent" else "failed"
            facts["problem"] = f"{problem.message} {problem.hint}".strip()
        elif archive is None:
            facts["state"] = "absent"  # not tried yet
        facts["copied"] = self.unfinished.get(row.id, 0)
        return info


def _title(row: SourceRow) -> str:
    return str(row.record.get("info", {}).get("title", row.id))
