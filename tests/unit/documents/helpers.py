"""A library of own documents on a folder, a person who chooses files, and PDFs read by pdf.js in Node."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from array import array
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cairn.document_services import language_of
from cairn.errors import ERRORS, CairnError
from cairn.index.types import LexicalQuery
from cairn.native.files import DirectoryFiles
from cairn.native.picked import PickedPaths
from cairn.sources.documents.adding import Added
from cairn.sources.documents.pdf import NoPdfReader, PdfItem, PdfOpened, PdfPage, PdfReader
from cairn.sources.documents.pdf_wire import opened_of, page_of
from cairn.sources.documents.shelf import OwnDocuments

ROOT = Path(__file__).resolve().parents[3]
CORPUS = Path(os.environ.get("CAIRN_DATA") or ROOT.parent / "shared" / "data") / "corpus"
PDF_ITEMS = ROOT / "tests" / "unit" / "workers" / "pdf-items.mjs"


def corpus(path: str = "") -> Path:
    """A file or folder of the handed documents; skips the test where they are absent."""
    found = CORPUS / path
    if not found.exists():
        pytest.skip(f"{found} is not there (set CAIRN_DATA to the folder that holds corpus/)")
    return found


class Desk:
    """A person with one library; ``restart`` is a new engine over the same storage."""

    def __init__(self, folder: Path, pdf: PdfReader | None = None) -> None:
        self.folder = folder
        self.files = DirectoryFiles(folder / "store")
        self.picked = PickedPaths()
        self.pdf = pdf or NoPdfReader()
        self.time = 0.0
        self.changes: list[tuple[str, str]] = []
        self.own = self._open()

    def _open(self) -> OwnDocuments:
        return OwnDocuments(
            self.files,
            self.now,
            picked=self.picked,
            pdf=self.pdf,
            language_of=language_of,
            changed=lambda name, what: self.changes.append((name, what)),
        )

    def now(self) -> float:
        self.time += 1.0
        return self.time

    async def restart(self) -> None:
        """The engine ends where it stands, and another one starts."""
        self.own.close()
        await asyncio.sleep(0)
        self.own = self._open()
        await self.own.open()
        await self.own.start()

    def write(self, path: str, content: str | bytes) -> Path:
        target = self.folder / "desk" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    async def add(self, *paths: Path, folder: Path | None = None, wait: bool = True) -> Added:
        """Choose files, or all files of a folder, and let the queue finish."""
        chosen = sorted(p for p in folder.rglob("*") if p.is_file()) if folder else list(paths)
        self.picked.pick("key", chosen, folder)
        added = await self.own.add(self.own.first().id, "key", lambda done, total, path: None)
        if wait:
            await self.own.settled()
        return added

    def status(self, collection: str = "") -> dict[str, str]:
        """Path → status of every document of a collection, the first one by default."""
        return {d["path"]: d["status"] for d in self.listed(collection)}

    def listed(self, collection: str = "") -> list[Any]:
        return self.own.documents(collection or self.own.first().id, 0, 1_000)

    def of(self, path: str) -> Any:
        """The one document of a path."""
        (only,) = [d for d in self.listed() if d["path"] == path and d["status"] != "skipped"]
        return only

    def text(self, path: str) -> str:
        """A document's text as the reader would show it: verified by its hash."""
        return self.own.first().document(self.of(path)["id"]).text

    def find(self, *words: str) -> list[str]:
        """Titles of the passages that have one of the words, best first."""
        source = self.own.first()
        hits = source.search_words(LexicalQuery(terms=words), 40)
        return [passage.title for passage in source.passages([hit.row for hit in hits])]


Scenario = Callable[[Desk], Awaitable[None]]


def at_desk(tmp_path: Path, scenario: Scenario, pdf: PdfReader | None = None, seconds: float = 120) -> None:
    """Run a scenario at a desk of its own."""

    async def run() -> None:
        desk = Desk(tmp_path, pdf)
        await desk.own.open()
        await desk.own.start()
        try:
            async with asyncio.timeout(seconds):
                await scenario(desk)
        finally:
            desk.own.close()

    asyncio.run(run())


class FakePdf:
    """A PDF is a text file here: pages parted by form feeds, one run of text for each line."""

    def __init__(self, password: str = "") -> None:
        self.password = password
        self.opened = 0
        self.asked: list[int] = []
        self._pages: list[str] = []

    async def open(self, data: bytes, name: str, password: str) -> PdfOpened:
        if self.password and password != self.password:
            raise ERRORS["password_needed"](f"“{name}” opens only with a password.")
        self.opened += 1
        self._pages = data.decode().removeprefix("%PDF-fake\n").split("\f")
        return PdfOpened(len(self._pages), "", "", ())

    async def page(self, number: int) -> PdfPage:
        await asyncio.sleep(0)
        self.asked.append(number)
        lines = self._pages[number - 1].split("\n")
        items = tuple(
            PdfItem(line, 72.0, 700.0 - 12 * index, 6.0 * len(line), 10.0, 0, True, False)
            for index, line in enumerate(lines)
            if line
        )
        return PdfPage(number, 612.0, 792.0, items, pictures=not items)

    async def close(self) -> None:
        self._pages = []


class NodePdf:
    """pdf.js itself, in Node: the module of the PDF worker reads, as it does in the browser."""

    def __init__(self) -> None:
        self._pages: list[PdfPage] = []

    async def open(self, data: bytes, name: str, password: str) -> PdfOpened:
        if not (ROOT / "node_modules" / "pdfjs-dist").is_dir():
            pytest.skip("pdfjs-dist is not installed (npm ci)")
        command = ["node", str(PDF_ITEMS), name, password]
        done = subprocess.run(command, input=data, capture_output=True, check=True, timeout=300)
        first, *rest = [json.loads(line) for line in done.stdout.splitlines()]
        if "code" in first:
            raise ERRORS.get(first["code"], CairnError)(first["message"], hint=first.get("hint", ""))
        self._pages = [page_of(page) for page in rest]
        return opened_of(first)

    async def page(self, number: int) -> PdfPage:
        return self._pages[number - 1]

    async def close(self) -> None:
        self._pages = []


class WordEmbedder:
    """Two dimensions: whether "water" is said, and everything else. Counts its calls."""

    def __init__(self, info: Any) -> None:
        self.info = info
        self.texts: list[str] = []

    async def load(self, progress: Any) -> Any:
        return self.info

    async def embed_query(self, text: str) -> array[float]:
        return array("f", [1.0, 0.1] if "water" in text.lower() else [0.1, 1.0])

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        self.texts += texts
        await asyncio.sleep(0)
        return [await self.embed_query(text) for text in texts]
