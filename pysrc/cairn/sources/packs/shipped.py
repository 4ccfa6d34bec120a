"""The packs that come with the app: which there are, which of them are wanted, and installing them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from cairn.errors import CairnError, DownloadFailed
from cairn.sources.packs.shelf import SHIPPED, PackShelf
from cairn.storage.ports import Fetch

INDEX = "precache.json"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ShippedPack:
    """A pack that comes with the app, as the site's precache list names it."""

    id: str
    version: str
    url: str
    sha256: str


class Shipped:
    """Installs what the app brings, and brings it up to date, unless the person decided otherwise."""

    def __init__(self, shelf: PackShelf, fetch: Fetch) -> None:
        self._shelf = shelf
        self._fetch = fetch

    async def install(self, progress: Progress) -> list[str]:
        """Install or replace what is wanted; return the ids that changed.

        Raises DownloadFailed, PackInvalid, PackMismatch or StorageFull (the first, once every pack
        was tried); what was active stays.
        """
        changed: list[str] = []
        errors: list[CairnError] = []
        for pack in await self._packs():
            if not self._is_wanted(pack):
                continue
            try:
                await self._install(pack, progress)
                changed.append(pack.id)
            except CairnError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return changed

    async def again(self, pack_id: str, progress: Progress) -> None:
        """Install one pack again, damaged, removed or not; raises DownloadFailed and its like."""
        for pack in await self._packs():
            if pack.id == pack_id:
                await self._install(pack, progress)
                self._shelf.bring_back(pack_id)
                return
        raise DownloadFailed(
            "The app no longer comes with this pack.", hint="Add it from a file, or remove it."
        )

    async def _install(self, pack: ShippedPack, progress: Progress) -> None:
        await self._shelf.install(self._fetch, pack.url, progress, pack.sha256)

    async def _packs(self) -> list[ShippedPack]:
        raw = await self._fetch.read(INDEX)
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

    def _is_wanted(self, pack: ShippedPack) -> bool:
        """Whether it is missing, damaged or of other bytes, and not the person's own choice."""
        row = next((row for row in self._shelf.rows() if row.id == pack.id), None)
        if row is None:
            return not self._shelf.is_removed(pack.id)
        if not row.active or self._shelf.origin(row)["kind"] != SHIPPED["kind"]:
            return False
        return row.sha256 != pack.sha256 or pack.id not in self._shelf.sources
