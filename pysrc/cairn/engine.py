"""The engine: the one facade that pages call.

It wires the library, the models and the answer loop, and speaks the protocol to any number of
pages. It decides nothing about ranking or wording of answers; it decides order and life cycle:
storage first, then keyword search, then meaning (E5), then answers, each usable when it is there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_args

from cairn import __version__, protocol
from cairn.errors import CairnError, InvalidRequest, NotReady
from cairn.index.vector_store import VectorRoom
from cairn.models.part import Part, Wording, worth_showing
from cairn.models.ports import Embedder, Generator
from cairn.protocol import PROTOCOL_VERSION, Cell, Packs, Readiness, Recovered, Status
from cairn.readiness import archives_cell
from cairn.retrieval.types import Mode
from cairn.services import Services
from cairn.session import Session
from cairn.sources.archives.idle import IdleWork
from cairn.sources.archives.picked import NothingPicked, PickedFiles
from cairn.sources.documents.pdf import NoPdfReader, PdfReader
from cairn.sources.library import Library, at_once
from cairn.storage.ports import Fetch, Files
from cairn.storage.state import State

MEGABYTE = 1_000_000
NO_PACKS = Packs(jobs=[], recovered=Recovered(files=0, bytes=0), removed=[])
QUIET_SECONDS = 0.5
"""How long no question may be running before heavy start-up work continues."""

CLOSE_SECONDS = 2.0
"""How long requests may take to end when the engine closes."""

MEANING = Wording(
    fetching="Getting the language model for meaning",
    starting="Starting search by meaning",
    ready="Searching by meaning",
    failed="Searching by words only.",
)
ANSWERS = Wording(
    fetching="Getting the answering model",
    starting="Starting the answering model",
    ready="Writing answers",
    failed="Answers are quotes only.",
)


def typed(error: BaseException) -> CairnError:
    """The error itself, or one that a page can show in place of a fault of ours."""
    return error if isinstance(error, CairnError) else CairnError(f"{type(error).__name__}: {error}")


class Engine:
    """Owns storage, library and models; serves pages through :class:`cairn.session.Session`."""

    def __init__(
        self,
        *,
        files: Files,
        fetch: Fetch,
        embedder: Embedder,
        generator: Generator,
        clock: Callable[[], float],
        load_numpy: Callable[[], Awaitable[None]],
        step: Callable[[str, str, float], None],
        capabilities: Mapping[str, Any],
        picked: PickedFiles | None = None,
        load_stemmers: Callable[[], Awaitable[None]] = at_once,
        vectors: VectorRoom | None = None,
        pdf: PdfReader | None = None,
        load_readers: Callable[[], Awaitable[None]] = at_once,
        references: Callable[[], int] = lambda: 0,
    ) -> None:
        """``clock`` returns milliseconds; ``step(name, label, ms)`` reports a start-up step.

        ``picked`` are files that the person chose; None where nobody can. ``load_stemmers`` makes
        them importable, before the first archive is opened. ``vectors`` has the vector kernel;
        None: vectors are compared by Python, with numpy as soon as that can be loaded. ``pdf`` reads
        PDFs; ``load_readers`` makes what reads the other kinds of documents importable.
        ``references`` counts the foreign objects that Python holds.
        """
        self._references = references
        self._pdf = pdf or NoPdfReader()
        self._load_readers = load_readers
        self._vectors = vectors or VectorRoom()
        self._load_stemmers = load_stemmers
        self._picked = picked or NothingPicked()
        self.files = files
        self._fetch = fetch
        self._clock = clock
        self._load_numpy = load_numpy
        self._report_step = step
        self._capabilities = dict(capabilities)
        self._sessions: set[Session] = set()
        self._timings: dict[str, float] = {}
        self._background: set[asyncio.Future[None]] = set()
        self._state: State | None = None
        self._library_cell: Cell = {"state": "starting", "label": "Opening the library", "action": ""}
        self._asking = 0
        self._started = asyncio.Event()  # set when questions can be answered, or never will be
        self._failure: CairnError | None = None  # why the start failed
        self._idle = IdleWork(self.quiet)
        self._faults: dict[str, CairnError] = {}  # what went wrong where nobody waited for it
        self.embedder = embedder
        self.generator = generator
        self.library: Library | None = None
        self.meaning = Part(embedder, MEANING, self._readiness_changed, self._numpy_for_vectors)
        self.answers = Part(generator, ANSWERS, self._readiness_changed)
        self.services = Services(self)

    # --- life cycle ------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open storage and library; then load models in the background.

        Raises StorageUnavailable or StorageFull when nothing can work: every question, waiting or
        to come, then ends with that error. A library that cannot be installed is reported in its
        cell, not raised.
        """
        try:
            await self._open()
        except Exception as error:
            self._failure = typed(error)
            raise
        finally:
            self._started.set()
        self._broadcast("engine.started", self.status())
        self._spawn(self._after_start())

    async def close(self) -> None:
        """Stop everything and close the databases; called before another tab takes over."""
        for task in list(self._background):
            task.cancel()
        self.meaning.cancel()
        self.answers.cancel()
        asked = [task for session in list(self._sessions) for task in session.close()]
        if asked:  # what they were writing is kept before the database closes
            await asyncio.wait(asked, timeout=CLOSE_SECONDS)
        if self.library is not None:
            await self.library.jobs.close()
            self.library.close()
        if self._state is not None:
            self._state.close()

    async def _open(self) -> None:
        began = self._clock()
        self._state = await State.open(self.files)
        began = self._step("storage", "Opening storage", began)
        self.library = Library(
            self.files,
            self._fetch,
            self._state,
            self._clock,
            self.quiet,
            self._picked,
            self._load_stemmers,
            self._vectors,
            self.services.documents.shelf(self.files, self._pdf, self._load_readers, self._picked),
        )
        self.library.jobs.told = lambda job: self._broadcast("packs.job", job)
        self.library.jobs.ended = self._pack_ended
        await self.library.open_recorded()
        began = self._step("library", "Opening the library", began)
        if not self.library.sources:
            await self._install_shipped()
            self._step("starter", "Installing the field notes", began)
        self.library.jobs.restore()
        self._show_library()

    async def _after_start(self) -> None:
        try:
            await self.require_library().remove_orphans()
            await self.require_library().shelf.remove_orphans()
        except CairnError as error:
            self._faults["orphans"] = error
        await self.quiet()  # a question that waited for the start is answered first, by words
        await self.services.documents.start()
        await self.meaning.load()
        await self.answers.load()
        # A newer pack that came with an app update is installed when everything else is up.
        await self._install_shipped()
        self._show_library()
        await self._work_for_archives()

    async def _install_shipped(self) -> None:
        library = self.require_library()
        try:
            await library.install_shipped(self._install_progress)
        except CairnError as error:
            library.problems["shipped"] = error
        else:
            library.problems.pop("shipped", None)

    async def quiet(self) -> None:
        """Return once no question is running."""
        while self._asking:
            await asyncio.sleep(QUIET_SECONDS)

    async def _numpy_for_vectors(self) -> None:
        """Load numpy, which holds the engine for over a second, where no kernel compares vectors."""
        if self._vectors.kernel is None:
            await self.quiet()
            await self._load_numpy()

    async def _work_for_archives(self) -> None:
        """Load numpy for archives and the person's documents, once there are any, and do idle work."""
        library = self.require_library()
        shelf, own = library.shelf, library.documents
        if shelf.sources or (own is not None and own.sources):
            await self.quiet()
            await self._load_numpy()
            await self._idle.run(shelf)

    # --- what sessions and services use ----------------------------------------------------------

    def open_session(self, send: Callable[[str], None]) -> Session:
        """Serve one page; ``send`` takes JSON text to it."""
        session = Session(self.services, send)
        session.closed = lambda: self._sessions.discard(session)
        self._sessions.add(session)
        session.notify("engine.readiness", self.readiness())
        if self._started.is_set() and self._failure is None:
            session.notify("engine.started", self.status())
        return session

    def now(self) -> float:
        """Milliseconds."""
        return self._clock()

    def require_library(self) -> Library:
        """The library; raises NotReady while it is being opened."""
        if self.library is None:
            raise NotReady("The library is still opening.", hint="It will be ready in a moment.")
        return self.library

    def require_state(self) -> State:
        """The state database; raises NotReady while it is being opened."""
        if self._state is None:
            raise NotReady("Storage is still opening.", hint="It will be ready in a moment.")
        return self._state

    async def wait_started(self) -> None:
        """Return once keyword search works: questions asked before are queued here.

        Raises the error of a start that failed.
        """
        await self._started.wait()
        if self._failure is not None:
            raise self._failure

    def asking(self, change: int) -> None:
        """Count running questions (+1, -1), so that heavy start-up work waits for them."""
        self._asking += change

    def readiness(self) -> Readiness:
        """The four cells."""
        return {
            "library": self._library_cell,
            "archives": archives_cell(self.library),
            "meaning": self.meaning.cell,
            "answers": self.answers.cell,
        }

    def status(self) -> Status:
        """Everything a page needs to draw itself."""
        models = {
            role: info.label()
            for role, info in (("embedder", self.embedder.info), ("generator", self.generator.info))
            if info is not None
        }
        status: Status = {
            "protocol": PROTOCOL_VERSION,
            "version": __version__,
            "readiness": self.readiness(),
            "sources": self.library.infos() if self.library else [],
            "packs": self.library.packs_status() if self.library else NO_PACKS,
            "storage": self._capabilities.get("storage", "opfs"),
            "modes": list(get_args(Mode)),
            "models": models,
            "timings": dict(self._timings),
        }
        if self.generator.info is not None:
            status["voice"] = self.generator.info.voice
        return status

    def diagnostics(self) -> dict[str, Any]:
        """Capabilities, versions and timings, without any content."""
        problems = dict(self._faults)
        if self.library:
            problems |= self.library.problems | self.library.shelf.problems
            own = self.library.documents
            if own is not None and own.problem is not None:
                problems["documents"] = own.problem
        return {
            "version": __version__,
            "capabilities": self._capabilities,
            "status": self.status(),
            "problems": {name: protocol.encode_error(error) for name, error in problems.items()},
            "archives_rested": bool(self.library and self._idle.finished(self.library.shelf)),
            "vectors": {"kernel": self._vectors.kind, "ways": dict(self._vectors.ways)},
            "held": {
                "references": self._references(),
                "sessions": len(self._sessions),
                "requests": sum(session.running for session in self._sessions),
            },
        }

    def library_changed(self) -> None:
        """A pack or a document came, went or changed: tell every page."""
        self._show_library()

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification to every page."""
        self._broadcast(method, params)

    def archives_changed(self) -> None:
        """An archive came, went, or a copy got further: tell every page."""
        self._readiness_changed()
        self._spawn(self._work_for_archives())

    async def restart_part(self, part: str) -> None:
        """Load a failed part again; raises InvalidRequest for a part that does not exist."""
        parts = {"meaning": self.meaning, "answers": self.answers}
        if part not in parts:
            raise InvalidRequest(f"There is no part named {part[:40]}.")
        self._spawn(parts[part].restart())

    # --- internals -------------------------------------------------------------------------------

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Future[None]) -> None:
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._faults["background"] = typed(error)

    def _broadcast(self, method: str, params: Mapping[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
        for session in list(self._sessions):
            session.send_text(text)

    def _pack_ended(self, job: str, title: str, outcome: str) -> None:
        self._broadcast("packs.ended", {"id": job, "title": title, "outcome": outcome})
        self._show_library()

    def _readiness_changed(self) -> None:
        self._broadcast("engine.readiness", self.readiness())
        if self.meaning.ready and self._started.is_set() and self._failure is None:
            self.services.documents.embed()

    def _step(self, name: str, label: str, began: float) -> float:
        now = self._clock()
        self._timings[name] = now - began
        self._report_step(name, label, now - began)
        return now

    def _install_progress(self, phase: str, done: int, total: int) -> None:
        if self.library is not None and self.library.sources:
            return  # an update in the background: what is there answers meanwhile
        if not worth_showing(self._library_cell, done, total):
            return
        self._library_cell = {
            "state": "starting",
            "label": "Installing the field notes" if phase == "download" else "Checking the field notes",
            "action": "",
            "done": done,
            "total": total,
            "unit": "bytes" if total >= MEGABYTE else "steps",  # "0 of 0 MB" would say nothing
        }
        self._readiness_changed()

    def _show_library(self) -> None:
        library = self.require_library()
        infos = [info for info in library.infos() if info["kind"] == "pack"]
        count = sum(info["documents"] for info in infos if info["id"] in library.sources)
        own = library.documents.source_infos() if library.documents is not None else []
        count += sum(info["documents"] for info in own)
        problem = next(iter(library.problems.values()), None)
        if library.sources or count:
            self._library_cell = {"state": "ready", "label": f"{count} documents", "action": ""}
        elif problem is not None:
            self._library_cell = {"state": "failed", "label": problem.message, "action": problem.hint}
        else:
            self._library_cell = {
                "state": "empty",
                "label": "Nothing switched on" if infos else "Nothing installed yet",
                "action": "Switch a pack on" if infos else "Add a pack",
            }
        self._readiness_changed()
