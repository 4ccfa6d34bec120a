"""The protocol's ``archives.…`` methods, each a few lines that ask the shelf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cairn.errors import NotReady
from cairn.parameters import text, whole_number
from cairn.protocol import MAX_QUESTION_CHARS, CatalogueInfo, CataloguePage
from cairn.session import Emit, RequestId
from cairn.sources.archives.catalogue import Catalogue, open_catalogue
from cairn.sources.archives.shelved import ShelvedArchive

if TYPE_CHECKING:
    from cairn.engine import Engine

PROGRESS_MS = 200.0
"""Least time between two notifications of a copy."""

CATALOGUE_PAGE = 24
"""Entries of a catalogue that one request gives."""


class ArchiveServices:
    """Serves the methods named in :attr:`methods`; parameters were checked by name already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._catalogue: Catalogue | None = None
        self.methods = {
            "archives.add": self._add,
            "archives.catalogue": self._open_catalogue,
            "archives.browse": self._browse,
            "archives.copy": self._copy,
            "archives.remove": self._remove,
            "archives.article": self._article,
            "archives.resource": self._resource,
            "archives.suggest": self._suggest,
            "archives.random": self._random,
            "archives.main": self._main,
        }

    async def _add(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.wait_started()
        try:
            return await self._engine.require_library().shelf.add(text(params, "key"))
        finally:
            self._engine.archives_changed()

    async def _open_catalogue(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.wait_started()
        picked = self._engine.require_library().picked
        name, self._catalogue = await open_catalogue(picked, text(params, "key"))
        return CatalogueInfo(
            title=self._catalogue.title or name,
            date=self._catalogue.date,
            archives=len(self._catalogue.entries),
            languages=self._catalogue.languages,
        )

    async def _browse(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        if self._catalogue is None:
            raise NotReady("The catalogue was closed.", hint="Choose its file again.")
        query = text(params, "query", "")[:MAX_QUESTION_CHARS]
        found = self._catalogue.search(query, text(params, "language", ""))
        first = whole_number(params, "offset", 0)
        page = found[first : first + CATALOGUE_PAGE]
        return CataloguePage(total=len(found), entries=[entry.describe() for entry in page])

    async def _copy(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        engine = self._engine
        source = text(params, "source")
        await engine.wait_started()
        told = engine.now() - PROGRESS_MS

        def progress(done: int, total: int) -> None:
            nonlocal told
            now = engine.now()
            if now - told >= PROGRESS_MS or done == total:
                told = now
                emit(
                    "archives.progress", {"request": request, "source": source, "done": done, "total": total}
                )
                engine.archives_changed()

        try:
            return await engine.require_library().shelf.copy(source, progress)
        finally:
            engine.archives_changed()

    async def _remove(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.wait_started()
        await self._engine.require_library().shelf.remove(text(params, "source"))
        self._engine.archives_changed()
        return {}

    async def _article(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        archive = await self._archive(params)
        query = text(params, "query", "")[:MAX_QUESTION_CHARS]
        return archive.read_page(text(params, "path"), text(params, "passage", ""), query)

    async def _resource(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return (await self._archive(params)).resource(text(params, "path"))

    async def _suggest(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        archive = await self._archive(params)
        return {"titles": archive.suggestions(text(params, "prefix")[:200])}

    async def _random(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return {"path": (await self._archive(params)).random_path()}

    async def _main(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return {"path": (await self._archive(params)).main_path()}

    async def _archive(self, params: dict[str, Any]) -> ShelvedArchive:
        source = text(params, "source")
        await self._engine.wait_started()
        return self._engine.require_library().shelf.get(source)
