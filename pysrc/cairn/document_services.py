"""The protocol's ``documents.…`` methods, and what the engine tells pages of imports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from cairn.errors import InvalidRequest, NotReady
from cairn.parameters import text, whole_number
from cairn.passages.words import words
from cairn.protocol import DOCUMENTS_AT_ONCE, ORIGINAL_AT_ONCE, PASSAGES_AT_ONCE, AddResult
from cairn.retrieval.language import guess_language
from cairn.session import Emit, RequestId
from cairn.sources.archives.picked import PickedFiles
from cairn.sources.documents.adding import Added
from cairn.sources.documents.pdf import PdfReader
from cairn.sources.documents.shelf import OwnDocuments, What
from cairn.storage.ports import Files

if TYPE_CHECKING:
    from cairn.engine import Engine

TOLD_MS = 250.0
"""Least time between two notifications of the same collection's progress."""

SURE = 0.5
"""Confidence from which a guessed language is taken."""


class DocumentServices:
    """Serves the methods named in :attr:`methods`; parameters were checked by name already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._told: dict[str, float] = {}
        self.methods = {
            "documents.collections": self._collections,
            "documents.create": self._create,
            "documents.change": self._change,
            "documents.remove_collection": self._remove_collection,
            "documents.add": self._add,
            "documents.paste": self._paste,
            "documents.list": self._list,
            "documents.remove": self._remove,
            "documents.rename": self._rename,
            "documents.move": self._move,
            "documents.retry": self._retry,
            "documents.cancel": self._cancel,
            "documents.pause": self._pause,
            "documents.resume": self._resume,
            "documents.passages": self._passages,
            "documents.original": self._original,
        }

    def shelf(
        self,
        files: Files,
        pdf: PdfReader,
        load_readers: Callable[[], Awaitable[None]],
        picked: PickedFiles,
    ) -> OwnDocuments:
        """The person's documents, wired to this engine."""
        engine = self._engine
        return OwnDocuments(
            files,
            engine.now,
            engine.quiet,
            picked,
            pdf,
            load_readers,
            language_of,
            self._changed,
        )

    async def start(self) -> None:
        """Go on with what an earlier engine left."""
        await self._own_now().start()

    def embed(self) -> None:
        """Search by meaning is ready: give vectors to what has none."""
        self._own_now().embed(self._engine.embedder)

    def _changed(self, collection: str, what: What) -> None:
        engine = self._engine
        own = engine.library.documents if engine.library else None
        if own is None:
            return
        now = engine.now()
        if collection not in own.sources:
            engine.tell("documents.changed", {"id": collection, "gone": True})
        elif what != "progress" or now - self._told.get(collection, 0.0) >= TOLD_MS:
            self._told[collection] = now
            engine.tell("documents.changed", own.info(collection))
        if what == "library":
            engine.library_changed()

    def _own_now(self) -> OwnDocuments:
        own = self._engine.require_library().documents
        if own is None:
            raise NotReady("Your documents are not open yet.")
        return own

    async def _own(self) -> OwnDocuments:
        await self._engine.wait_started()
        return self._own_now()

    # --- collections -----------------------------------------------------------------------------

    async def _collections(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        if own.problem is not None:
            raise own.problem
        return {"collections": own.infos()}

    async def _create(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        return own.create(text(params, "name"), text(params, "description", ""))

    async def _change(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        name, description = (text(params, key) if key in params else None for key in ("name", "description"))
        return own.change(text(params, "collection"), name=name, description=description)

    async def _remove_collection(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await (await self._own()).remove_collection(text(params, "collection"))
        return {}

    # --- adding ----------------------------------------------------------------------------------

    async def _add(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        collection = text(params, "collection", "") or own.first().id
        told = self._engine.now() - TOLD_MS

        def copying(done: int, total: int, path: str) -> None:
            nonlocal told
            now = self._engine.now()
            if now - told >= TOLD_MS or done == total:
                told = now
                facts = {"request": request, "done": done, "total": total, "path": path}
                emit("documents.copying", facts)

        return _result(collection, await own.add(collection, text(params, "key"), copying))

    async def _paste(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        collection = text(params, "collection", "") or own.first().id
        added = await own.paste(collection, text(params, "title", ""), text(params, "text"))
        return _result(collection, added)

    # --- documents -------------------------------------------------------------------------------

    async def _list(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        offset, limit = window(params, DOCUMENTS_AT_ONCE)
        return {"documents": own.documents(text(params, "collection"), offset, limit)}

    async def _remove(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await (await self._own()).remove(text(params, "collection"), numbers(params, "documents"))
        return {}

    async def _rename(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        return own.rename(
            text(params, "collection"), whole_number(params, "document", -1), text(params, "title")
        )

    async def _move(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        own.move(text(params, "collection"), numbers(params, "documents"), text(params, "target"))
        return {}

    async def _retry(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        own.retry(
            text(params, "collection"), whole_number(params, "document", -1), text(params, "password", "")
        )
        return {}

    async def _cancel(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await (await self._own()).cancel(text(params, "collection"))
        return {}

    async def _pause(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        (await self._own()).pause()
        return {}

    async def _resume(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        (await self._own()).resume()
        return {}

    async def _passages(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        offset, limit = window(params, PASSAGES_AT_ONCE)
        return own.passages(text(params, "collection"), text(params, "document"), offset, limit)

    async def _original(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        own = await self._own()
        offset = whole_number(params, "offset", 0)
        length = min(whole_number(params, "length", ORIGINAL_AT_ONCE), ORIGINAL_AT_ONCE)
        return await own.original(text(params, "source"), text(params, "document"), offset, length)


def language_of(sample: str) -> str:
    """The language of a text, "und" where that is doubtful."""
    found = guess_language(sample, words(sample))
    return found.language if found.confidence >= SURE else "und"


def numbers(params: dict[str, Any], name: str) -> list[int]:
    """A list of whole numbers; raises InvalidRequest."""
    value = params.get(name)
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise InvalidRequest(f"{name} must be a list of numbers.")
    return value


def window(params: dict[str, Any], most: int) -> tuple[int, int]:
    """Offset and limit of a list; raises InvalidRequest."""
    return whole_number(params, "offset", 0), min(whole_number(params, "limit", most), most)


def _result(collection: str, added: Added) -> AddResult:
    return AddResult(
        collection=collection,
        accepted=added.accepted,
        skipped=added.skipped,
        failed=added.failed,
        removed=added.removed,
    )
