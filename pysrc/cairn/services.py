"""The methods of the protocol, each a few lines that ask the right part."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

from cairn.answering.turn import run_turn
from cairn.archive_services import ArchiveServices
from cairn.document_services import DocumentServices
from cairn.errors import CairnError, DocumentCorrupt, NotReady, UnknownMethod
from cairn.models.part import Part
from cairn.pack_services import PackServices
from cairn.parameters import flag, one_of, source_ids, text
from cairn.protocol import MAX_QUESTION_CHARS, AskEvent, AskResult, ReadResult, Style
from cairn.search_services import SearchServices
from cairn.session import Emit, RequestId
from cairn.sources.types import Source
from cairn.storage.kept import kept
from cairn.thread_services import ThreadServices

if TYPE_CHECKING:
    from cairn.engine import Engine

STYLES: tuple[Style, ...] = get_args(Style)


class Services:
    """Serves requests of any session (see :class:`cairn.session.Handler`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadServices(engine)
        self.documents = DocumentServices(engine)
        self._methods: dict[str, Callable[[dict[str, Any], RequestId, Emit], Awaitable[Any]]] = {
            "engine.status": self._status,
            "engine.ask": self._ask,
            "engine.diagnostics": self._diagnostics,
            "engine.restart_part": self._restart_part,
            "engine.storage": self._storage,
            "reader.document": self._document,
            **ArchiveServices(engine).methods,
            **PackServices(engine).methods,
            **self.documents.methods,
            **self._threads.methods,
            **SearchServices(engine, self.sources_to_ask, self._note_failure).methods,
        }

    async def call(self, method: str, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        """Serve one request; raises CairnError."""
        serve = self._methods.get(method)
        if serve is None:
            raise UnknownMethod(f"There is no method {method[:60]}.")
        return await serve(params, request, emit)

    async def _status(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return self._engine.status()

    async def _diagnostics(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        return self._engine.diagnostics()

    async def _storage(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.wait_started()
        return await kept(self._engine.files)

    async def _restart_part(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.restart_part(text(params, "part"))
        return {}

    async def _ask(self, params: dict[str, Any], request: RequestId, emit: Emit) -> AskResult:
        engine = self._engine
        asked = text(params, "question")
        question = asked[:MAX_QUESTION_CHARS]
        query = text(params, "query", "")[:MAX_QUESTION_CHARS]
        chosen, write = source_ids(params), flag(params, "write")
        style, language = one_of(params, "style", STYLES), text(params, "language", "")
        thread, turn = self._threads.names(params)
        await engine.wait_started()
        settings = {"chosen": chosen, "style": style, "language": language, "query": query, "write": write}

        def tell(event: AskEvent) -> None:
            emit("ask.event", {"request": request, **event})

        with self._threads.recording(thread, turn, question, settings, tell) as recorder:
            sources = self.sources_to_ask(chosen)
            recorder.asked(sources)
            engine.asking(+1)
            try:
                result = await run_turn(
                    asked,
                    sources=sources,
                    embedder=engine.embedder if engine.meaning.ready else None,
                    generator=engine.generator if write and engine.answers.ready else None,
                    clock=engine.now,
                    emit=recorder.event,
                    failed=self._note_failure,
                    history=self._threads.past(thread, turn),
                    query=query or None,
                    style=style,
                    language=language or None,
                )
            finally:
                engine.asking(-1)
            recorder.finish(result)
        return {**result, "thread": thread, "turn": turn} if thread else result

    def sources_to_ask(self, chosen: list[str] | None) -> Sequence[Source]:
        """What to ask; raises NotReady with the reason when there is nothing, which is no "no match"."""
        engine = self._engine
        for part in (engine.meaning, engine.answers):
            part.check()
        library = engine.require_library()
        sources = library.select(chosen)
        if sources or chosen is not None:
            return sources
        problem = next(iter(library.problems.values()), None)
        why = f" {problem.message}" if problem else ""
        hint = (problem.hint if problem else "") or "Reload the page to try again."
        raise NotReady(f"There is nothing to search: the library is empty.{why}", hint=hint)

    async def _document(self, params: dict[str, Any], request: RequestId, emit: Emit) -> ReadResult:
        source_id, document_id = text(params, "source"), text(params, "document")
        wanted = text(params, "passage", "")
        await self._engine.wait_started()
        source = self._engine.require_library().get(source_id)
        try:
            document = source.document(document_id)
        except DocumentCorrupt as error:
            self._engine.require_library().packs.damaged(source_id, error)
            self._engine.library_changed()
            raise
        passages = source.locate_passages(document)
        marked = wanted if any(p["id"] == wanted for p in passages) else ""
        info = source.describe()
        return {
            "source": document.source_id,
            "source_title": info["title"],
            "document": document.document_id,
            "title": document.title,
            "language": document.language,
            "collection": document.collection,
            "licence": document.licence,
            "source_url": document.source_url,
            "references": [{"title": t, "url": u} for t, u in document.references],
            "sha256": document.sha256,
            "text": document.text,
            "passages": passages,
            "marked": marked,
            "notice": info["notice"],
        }

    def _note_failure(self, part: str, error: CairnError) -> None:
        """A model died or hung during a turn: show it and bring it back."""
        parts: dict[str, Part] = {"meaning": self._engine.meaning, "answers": self._engine.answers}
        parts[part].crashed(error)
