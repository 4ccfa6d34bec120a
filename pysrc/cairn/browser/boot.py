"""Wires the browser's adapters into the engine: what workers/engine.mjs calls."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

import js

from cairn.browser.embedder import WorkerEmbedder
from cairn.browser.fetch import OriginFetch
from cairn.browser.files import OpfsFiles
from cairn.browser.generator import WorkerGenerator
from cairn.browser.host import Host
from cairn.browser.kernel import WasmKernel
from cairn.browser.pdf import WorkerPdf
from cairn.browser.picked import WorkerPicked
from cairn.browser.renew import renew
from cairn.engine import Engine
from cairn.errors import CairnError, DownloadFailed
from cairn.index.vector_store import VectorRoom
from cairn.protocol import encode_error
from cairn.session import Session


def now() -> float:
    """Milliseconds since 1970, finer than Date."""
    return js.performance.timeOrigin + js.performance.now()


class Booted:
    """The engine with its adapters, as JavaScript holds it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        fetch = OriginFetch(host.base)
        self._embedder = WorkerEmbedder(host, fetch)
        self._generator = WorkerGenerator(host, fetch)
        self._engine = Engine(
            files=OpfsFiles(host.files),
            fetch=fetch,
            embedder=self._embedder,
            generator=self._generator,
            clock=now,
            load_numpy=self._load_numpy,
            step=host.step,
            capabilities=self._capabilities(),
            picked=WorkerPicked(host.picked),
            load_stemmers=self._load_stemmers,
            pdf=WorkerPdf(host),
            load_readers=self._load_readers,
            vectors=self._vector_room(),
            references=host.references,
        )

    async def start(self) -> str:
        """Start; return "" or the JSON of the error that prevents it."""
        try:
            await self._engine.start()
        except CairnError as error:
            return json.dumps(encode_error(error))
        except Exception as error:  # noqa: BLE001 the border: JavaScript must learn of it as data
            fault = CairnError(f"Cairn could not start ({type(error).__name__}: {error}).")
            return json.dumps(encode_error(fault))
        return ""

    def open_session(self, send: Callable[[str], None]) -> Session:
        """Connect one page; JavaScript owns the session and closes it."""
        return self._engine.open_session(send)

    async def close(self) -> None:
        """Close databases and workers."""
        await self._engine.close()
        self._embedder.close()
        self._generator.close()

    def _capabilities(self) -> dict[str, Any]:
        return {
            "build": self._host.build,
            "storage": self._host.files.kind,
            "device": dict(self._host.device.to_py()),
            "timings": dict(self._host.timings.to_py()),
        }

    def _vector_room(self) -> VectorRoom:
        vectors = self._host.vectors
        if vectors is None:
            return VectorRoom()
        return VectorRoom(WasmKernel(vectors), self._host.vectorBytes, vectors.kind)

    async def _load_numpy(self) -> None:
        if importlib.util.find_spec("numpy") is None:
            await self._host.loadNumpy()
        if importlib.util.find_spec("numpy") is None:
            raise DownloadFailed(
                "The numeric library (numpy) could not be loaded.",
                hint="Search goes on without it; reload to try again.",
                retryable=True,
            )

    async def _load_readers(self) -> None:
        if importlib.util.find_spec("mammoth") is None:
            await self._host.loadReaders()
        if importlib.util.find_spec("mammoth") is None:
            raise DownloadFailed(
                "What reads documents (mammoth) could not be loaded.",
                hint="Reload the page, then retry the document.",
                retryable=True,
            )

    async def _load_stemmers(self) -> None:
        if importlib.util.find_spec("snowballstemmer") is None:
            await self._host.loadStemmers()
        if importlib.util.find_spec("snowballstemmer") is None:
            raise DownloadFailed(
                "What archives need to be searched (snowballstemmer) could not be loaded.",
                hint="Reload the page, then add the archive again.",
                retryable=True,
            )


def create(host: Host) -> Booted:
    """The engine over this host; nothing is opened yet."""
    renew()
    return Booted(host)
