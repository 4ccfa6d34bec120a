"""The library: which sources are active, opened from what ``state.db`` records.

Packs and archives each have a shelf of their own (:mod:`cairn.sources.packs.shelf`,
:mod:`cairn.sources.archives.shelf`); this is what they are to those who ask.

Opening never loses anything: a source that cannot be opened stays recorded, is left out of
searches, and its reason is kept for the person.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.errors import CairnError, DocumentNotFound, PackInvalid
from cairn.index.vector_store import VectorRoom
from cairn.protocol import Packs, SourceInfo
from cairn.sources.archives.picked import NothingPicked, PickedFiles
from cairn.sources.archives.shelf import Shelf
from cairn.sources.archives.shelved import ShelvedArchive
from cairn.sources.documents.shelf import OwnDocuments
from cairn.sources.documents.source import CollectionSource
from cairn.sources.packs.jobs import PackJobs
from cairn.sources.packs.shelf import SHIPPED, PackShelf
from cairn.sources.packs.shipped import Shipped
from cairn.sources.packs.source import PackSource
from cairn.storage.ports import Fetch, Files
from cairn.storage.state import State

AnySource = PackSource | ShelvedArchive | CollectionSource
INSTALL_PROGRESS = Callable[[str, int, int], None]


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
    documents: OwnDocuments | None = None
    packs: PackShelf = field(init=False)
    jobs: PackJobs = field(init=False)
    shipped: Shipped = field(init=False)
    shelf: Shelf = field(init=False)

    def __post_init__(self) -> None:
        self.packs = PackShelf(self.files, self.state, self.now, lambda: self.quiet(), self.vectors)
        self.jobs = PackJobs(self.packs, self.files, self.fetch, self.state, self.picked, self.now)
        self.packs.claimed = self.jobs.claimed
        self.shipped = Shipped(self.packs, self.fetch)
        self.shelf = Shelf(self.files, self.state, self.picked, self.now, self.quiet, self.load_stemmers)

    @property
    def sources(self) -> dict[str, PackSource]:
        """Open packs."""
        return self.packs.sources

    @property
    def problems(self) -> dict[str, CairnError]:
        """Why packs are not open."""
        return self.packs.problems

    async def open_recorded(self) -> None:
        """Open every active source that ``state.db`` knows."""
        await self.packs.open_recorded()
        await self.shelf.open_recorded()
        if self.documents is not None:
            await self.documents.open()

    async def remove_orphans(self) -> list[str]:
        """Delete pack files that no record names (half installs, replaced versions)."""
        return await self.packs.remove_orphans()

    async def install_shipped(self, progress: INSTALL_PROGRESS) -> list[str]:
        """Install or replace the packs that come with the app; return the ids that changed."""
        return await self.shipped.install(progress)

    async def repair(self, pack_id: str) -> dict[str, Any]:
        """Install a damaged or removed pack again from where it came from; a job's facts, or {}.

        Raises DownloadFailed and its like; for a pack from a file, PackInvalid with the next step.
        """
        row = self.state.source(pack_id)
        origin = self.packs.origin(row) if row is not None else SHIPPED
        if origin["kind"] == "url":
            job = await self.jobs.add_url(origin["address"])
            return dict(self.jobs.start(job["id"]))
        if origin["kind"] == "file":
            raise PackInvalid(
                "This pack came from a file.", hint="Choose the file again, and it is replaced by it."
            )
        await self.shipped.again(pack_id, lambda phase, done, total: None)
        return {}

    def select(self, ids: Sequence[str] | None) -> list[AnySource]:
        """The sources to ask: those named, or all when ``ids`` is None."""
        own = self.documents.sources if self.documents is not None else {}
        known: dict[str, AnySource] = {**self.sources, **self.shelf.sources, **own}
        if ids is None:
            return list(known.values())
        return [known[name] for name in ids if name in known]

    def get(self, source_id: str) -> AnySource:
        """One active source; raises DocumentNotFound, or the reason it could not be opened."""
        for source in self.select([source_id]):
            return source
        for problems in (self.problems, self.shelf.problems):
            if source_id in problems:
                raise problems[source_id]
        raise DocumentNotFound(
            "The source of this citation is not in the library.",
            hint="It may have been removed or switched off. Ask again to see what is installed now.",
        )

    def infos(self) -> list[SourceInfo]:
        """What the page lists."""
        own = self.documents.source_infos() if self.documents is not None else []
        return self.packs.infos() + self.shelf.infos() + own

    def packs_status(self) -> Packs:
        """What the page lists of packs beside those that are installed."""
        return Packs(jobs=self.jobs.infos(), recovered=self.packs.recovered, removed=self.packs.removed())

    def close(self) -> None:
        """Close every database and archive."""
        if self.documents is not None:
            self.documents.close()
        self.shelf.close()
        self.packs.close()
