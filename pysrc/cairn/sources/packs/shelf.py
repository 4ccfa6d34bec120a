"""The packs of the library: recorded, opened, switched, verified, replaced, removed.

Recording is one transaction. Until it, the old version of a pack answers; after it, the new one;
files that no record names are taken away afterwards, at the latest by the next start.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from cairn.errors import CairnError, DocumentNotFound
from cairn.index.vector_store import VectorRoom
from cairn.protocol import SourceInfo
from cairn.protocol.packs import Recovered, RemovedPack
from cairn.sources.packs import install as packs
from cairn.sources.packs.source import PackSource
from cairn.storage.ports import Fetch, Files
from cairn.storage.state import SourceRow, State

DIRECTORY = "packs/"
REMOVED = "packs.removed"
"""Setting: {id: title} of shipped packs that the person removed."""
SHIPPED = {"kind": "shipped", "address": ""}


@dataclass(slots=True)
class PackShelf:
    """Open packs by id, and why others are not open.

    ``quiet`` is awaited before a pack is closed: it returns when none is being asked. ``claimed``
    gives the stored files that unfinished jobs need; ``vectors`` is the room packs keep theirs in.
    """

    files: Files
    state: State
    now: Callable[[], float]
    quiet: Callable[[], Awaitable[None]]
    vectors: VectorRoom = field(default_factory=VectorRoom)
    claimed: Callable[[], set[str]] = set
    sources: dict[str, PackSource] = field(default_factory=dict)
    problems: dict[str, CairnError] = field(default_factory=dict)
    recovered: Recovered = field(default_factory=lambda: Recovered(files=0, bytes=0))

    async def open_recorded(self) -> None:
        """Open every pack that is switched on."""
        for row in self.rows():
            if row.active:
                await self._open(row)

    async def remove_orphans(self) -> list[str]:
        """Delete stored files that neither a record nor a job names; return their names."""
        stored = await self.files.list(DIRECTORY)
        # Asked after the listing: what began meanwhile is not in it.
        wanted = set(self.claimed()).union(*(packs.stored_files(row.record) for row in self.rows()))
        removed = []
        for info in stored:
            if info.name not in wanted:
                await self.files.remove(info.name)
                removed.append(info.name)
                self.recovered["files"] += 1
                self.recovered["bytes"] += info.bytes
        return removed

    async def install(
        self, fetch: Fetch, url: str, progress: Callable[[str, int, int], None], expected_sha256: str
    ) -> None:
        """Install a pack that comes with the app; raises DownloadFailed, PackInvalid and their like."""
        installed = await packs.install(self.files, fetch, url, progress, expected_sha256=expected_sha256)
        await self.activate(installed, SHIPPED)

    async def activate(
        self, installed: packs.InstalledPack, origin: dict[str, str], *, ends_job: str = ""
    ) -> PackSource:
        """Open a verified pack, record it, and use it from now on; the job that brought it ends."""
        source = await packs.open_installed(self.files, installed.record, self.vectors)
        try:
            await self.quiet()
            old_row = self.state.source(installed.id)
            row = SourceRow(
                id=installed.id,
                kind="pack",
                version=installed.version,
                sha256=installed.sha256,
                record={**installed.record, "origin": origin, "info": dict(source.describe())},
                added_ms=old_row.added_ms if old_row else self.now(),
            )
            self.state.put_source(row, ends_job=ends_job)
        except BaseException:
            source.close()
            raise
        # Nothing is awaited since quiet(): a question finds the old pack or the new one, open.
        old = self.sources.pop(installed.id, None)
        self.sources[installed.id] = source
        self.problems.pop(installed.id, None)
        if old is not None:
            old.close()
        if old_row is not None:
            await self._delete(packs.stored_files(old_row.record) - packs.stored_files(row.record))
        return source

    async def switch(self, pack_id: str, on: bool) -> None:
        """Ask a pack from now on, or leave it out; nothing of it is deleted."""
        row = self._row(pack_id)
        if on == row.active:
            return
        if on:
            self.state.switch_source(pack_id, True)
            await self._open(replace(row, active=True))
            return
        await self.quiet()
        self.state.switch_source(pack_id, False)
        self._close(pack_id)

    async def remove(self, pack_id: str) -> None:
        """Forget a pack, then delete its files; one that comes with the app is not brought back."""
        self._row(pack_id)
        await self.quiet()
        row = self._row(pack_id)  # it may have been replaced meanwhile
        if self.origin(row)["kind"] == SHIPPED["kind"]:
            title = str(row.record.get("info", {}).get("title", pack_id))
            self.state.set_setting(REMOVED, {**self._removed(), pack_id: title})
        self.state.remove_source(pack_id)
        self._close(pack_id)
        await self._delete(packs.stored_files(row.record))

    async def verify(self, pack_id: str, progress: Callable[[str, int, int], None]) -> None:
        """Hash everything of a pack again; raises what is wrong with it and notes it."""
        row = self._row(pack_id)
        try:
            await packs.verify_installed(self.files, row.record, progress)
        except CairnError as error:
            self.problems[pack_id] = error
            raise
        if not row.active or pack_id in self.sources:
            self.problems.pop(pack_id, None)

    def damaged(self, pack_id: str, error: CairnError) -> None:
        """Note what was found wrong with a pack while it was used."""
        if self.state.source(pack_id) is not None:
            self.problems[pack_id] = error

    def rows(self) -> list[SourceRow]:
        """Every recorded pack."""
        return [row for row in self.state.sources() if row.kind == "pack"]

    def origin(self, row: SourceRow) -> dict[str, str]:
        """Where a pack came from; those recorded before this was noted came with the app."""
        return cast("dict[str, str]", row.record.get("origin") or SHIPPED)

    def is_removed(self, pack_id: str) -> bool:
        """Whether a pack that comes with the app was taken out by the person."""
        return pack_id in self._removed()

    def bring_back(self, pack_id: str) -> None:
        """Let a removed pack that comes with the app be installed again."""
        left = {name: title for name, title in self._removed().items() if name != pack_id}
        self.state.set_setting(REMOVED, left)

    def removed(self) -> list[RemovedPack]:
        """Packs that come with the app and were taken out."""
        here = {row.id for row in self.rows()}
        return [
            RemovedPack(id=name, title=title) for name, title in self._removed().items() if name not in here
        ]

    def infos(self) -> list[SourceInfo]:
        """What the page lists: open packs, and those that are off or damaged, as they were recorded."""
        return [self._info(row) for row in self.rows()]

    def close(self) -> None:
        """Close every pack."""
        for source in self.sources.values():
            source.close()
        self.sources.clear()

    async def _open(self, row: SourceRow) -> None:
        try:
            self.sources[row.id] = await packs.open_installed(self.files, row.record, self.vectors)
        except CairnError as error:
            self.problems[row.id] = error
        else:
            self.problems.pop(row.id, None)

    def _close(self, pack_id: str) -> None:
        self.problems.pop(pack_id, None)
        source = self.sources.pop(pack_id, None)
        if source is not None:
            source.close()

    async def _delete(self, names: set[str]) -> None:
        for name in sorted(names - {""}):
            await self.files.remove(name)

    def _row(self, pack_id: str) -> SourceRow:
        row = self.state.source(pack_id)
        if row is None or row.kind != "pack":
            raise DocumentNotFound("There is no such pack in the library.", hint="It may have been removed.")
        return row

    def _removed(self) -> dict[str, str]:
        return cast("dict[str, str]", self.state.setting(REMOVED, {}))

    def _info(self, row: SourceRow) -> SourceInfo:
        source = self.sources.get(row.id)
        info = cast("dict[str, Any]", dict(source.describe() if source else row.record.get("info") or {}))
        if not info:  # recorded before descriptions were, and not open
            info = dict(SourceInfo(
                id=row.id, kind="pack", title=row.id, version=row.version, languages=[], documents=0,
                passages=0, bytes=int(row.record.get("bytes", 0)), licence="", notice="",
            ))  # fmt: skip
        problem = self.problems.get(row.id)
        origin = self.origin(row)
        info["pack"] = {
            "state": "damaged" if problem else "on" if row.active else "off",
            "origin": origin["kind"],
            "address": origin["address"],
            "installed_bytes": int(row.record.get("stored_bytes") or info["bytes"]),
            "problem": f"{problem.message} {problem.hint}".strip() if problem else "",
        }
        return cast(SourceInfo, info)
