"""The library: which sources are active, opened from what ``state.db`` records.

Packs are its own business; archives are on its shelf (:mod:`cairn.sources.archives.shelf`).

Opening never loses anything: a source that cannot be opened stays recorded, is left out of
searches, and its reason is kept for the person. The starter pack that comes with the app is
installed on the first start and replaced when the app brings a newer one; the old one answers
until the new one is verified and recorded.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from cairn.errors import CairnError, DocumentNotFound, DownloadFailed
from cairn.index.vector_store import VectorRoom
from cairn.protocol import SourceInfo
from cairn.sources.archives.picked import NothingPicked, PickedFiles
from cairn.sources.archives.shelf import Shelf
from cairn.sources.archives.shelved import ShelvedArchive
from cairn.sources.packs import install as packs
from cairn.sources.packs.picked import PickedPack
from cairn.sources.packs.source import PackSource
from cairn.storage.ports import Fetch, Files
from cairn.storage.state import SourceRow, State

INSTALL_PROGRESS = Callable[[str, int, int], None]
PACK_DIRECTORY = "packs/"
SHIPPED_INDEX = "precache.json"


@dataclass(frozen=True, slots=True)
class ShippedPack:
    """A pack that comes with the app, as the site's precache list names it."""

    id: str
    version: str
    url: str
    sha256: str


async def at_once() -> None:
    """Wait for nothing."""


@dataclass(slots=True)
class Library:
    """Active sources by id, and the reasons of those that could not be opened.

    ``quiet`` is awaited before a source is replaced and closed: it returns when none is being asked;
    ``load_stemmers`` before an archive is opened. ``vectors`` is the room that packs keep theirs in.
    """

    files: Files
    fetch: Fetch
    state: State
    now: Callable[[], float]
    quiet: Callable[[], Awaitable[None]] = at_once
    picked: PickedFiles = field(default_factory=NothingPicked)
    load_stemmers: Callable[[], Awaitable[None]] = at_once
    vectors: VectorRoom = field(default_factory=VectorRoom)
    sources: dict[str, PackSource] = field(default_factory=dict)
    problems: dict[str, CairnError] = field(default_factory=dict)
    shelf: Shelf = field(init=False)

    def __post_init__(self) -> None:
        self.shelf = Shelf(self.files, self.state, self.picked, self.now, self.quiet, self.load_stemmers)

    async def open_recorded(self) -> None:
        """Open every active source that ``state.db`` knows."""
        for row in self.state.sources():
            if not row.active or row.kind != "pack":
                continue
            try:
                self.sources[row.id] = await packs.open_installed(self.files, row.record, self.vectors)
            except CairnError as error:
                self.problems[row.id] = error
        await self.shelf.open_recorded()

    async def remove_orphans(self) -> list[str]:
        """Delete pack files that no record names (half installs, replaced versions)."""
        wanted = {str(row.record.get("file", "")) for row in self.state.sources()}
        removed = []
        for info in await self.files.list(PACK_DIRECTORY):
            if info.name not in wanted:
                await self.files.remove(info.name)
                removed.append(info.name)
        return removed

    async def install_shipped(self, progress: INSTALL_PROGRESS) -> list[str]:
        """Install or replace the packs that come with the app; return the ids that changed.

        Raises DownloadFailed, PackInvalid, PackMismatch or StorageFull (the first, once every pack
        was tried); what was active stays.
        """
        changed: list[str] = []
        errors: list[CairnError] = []
        for shipped in await self._shipped():
            if not self._is_wanted(shipped):
                continue
            try:
                await self._install(shipped, progress)
                changed.append(shipped.id)
            except CairnError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return changed

    async def add_picked(self, key: str) -> SourceInfo:
        """Install the pack in the chosen file; what was active stays until it is verified.

        Raises ArchiveAbsent, PackInvalid, PackMismatch or StorageFull.
        """
        try:
            installed = await packs.install(self.files, PickedPack(self.picked), key, packs.silent)
        finally:
            self.picked.forget(key)
        await self._activate(installed)
        return self.sources[installed.id].describe()

    def select(self, ids: Sequence[str] | None) -> list[PackSource | ShelvedArchive]:
        """The sources to ask: those named, or all when ``ids`` is None."""
        known: dict[str, PackSource | ShelvedArchive] = {**self.sources, **self.shelf.sources}
        if ids is None:
            return list(known.values())
        return [known[name] for name in ids if name in known]

    def get(self, source_id: str) -> PackSource | ShelvedArchive:
        """One active source; raises DocumentNotFound, or the reason it could not be opened."""
        for source in self.select([source_id]):
            return source
        for problems in (self.problems, self.shelf.problems):
            if source_id in problems:
                raise problems[source_id]
        raise DocumentNotFound(
            "The source of this citation is not in the library.",
            hint="It may have been removed. Ask again to see what is installed now.",
        )

    def infos(self) -> list[SourceInfo]:
        """What the page lists."""
        return [source.describe() for source in self.sources.values()] + self.shelf.infos()

    def close(self) -> None:
        """Close every database and archive."""
        self.shelf.close()
        for source in self.sources.values():
            source.close()
        self.sources.clear()

    async def _shipped(self) -> list[ShippedPack]:
        raw = await self.fetch.read(SHIPPED_INDEX)
        try:
            entries = json.loads(raw)["packs"]
            return [
                ShippedPack(str(e["id"]), str(e["version"]), str(e["url"]).lstrip("/"), str(e["sha256"]))
                for e in entries
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise DownloadFailed(
                "The app's own list of packs is damaged.",
                hint="Reload the page; if it stays, install the app again.",
            ) from error

    def _is_wanted(self, shipped: ShippedPack) -> bool:
        """Whether it is missing, damaged or of other bytes, and not turned off by the person."""
        row = self.state.source(shipped.id)
        if row is None:
            return True
        return row.active and (row.sha256 != shipped.sha256 or shipped.id not in self.sources)

    async def _install(self, shipped: ShippedPack, progress: INSTALL_PROGRESS) -> None:
        installed = await packs.install(
            self.files, self.fetch, shipped.url, progress, expected_sha256=shipped.sha256
        )
        await self._activate(installed)

    async def _activate(self, installed: packs.InstalledPack) -> None:
        """Open a verified pack, record it, and use it from now on."""
        source = await packs.open_installed(self.files, installed.record, self.vectors)
        row = SourceRow(
            id=installed.id,
            kind="pack",
            version=installed.version,
            sha256=installed.sha256,
            record=installed.record,
            added_ms=self.now(),
        )
        try:
            await self.quiet()
            self.state.put_source(row)
        except BaseException:
            source.close()
            raise
        # Nothing is awaited since quiet(): a question finds the old source or the new one, open.
        old = self.sources.pop(installed.id, None)
        self.sources[installed.id] = source
        self.problems.pop(installed.id, None)
        if old is not None:
            old.close()
        await self.remove_orphans()
