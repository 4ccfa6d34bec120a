"""A pack format of a few lines, in place of the real one, to see what the library does with packs."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.errors import DocumentNotFound, PackInvalid, PackMismatch
from cairn.index.types import Hit, LexicalQuery
from cairn.index.vector_store import VectorRoom
from cairn.passages.types import Passage
from cairn.protocol import SourceInfo
from cairn.sources.types import Document, VectorModel
from cairn.storage.ports import Fetch, Files
from tests.unit.engine.fakes import FakeFetch

TEXTS = (
    "Boil river water for one minute before you drink it.",
    "Above two thousand metres boil the water for three minutes.",
    "A tourniquet stops heavy bleeding from an arm or a leg.",
)


def pack_bytes(pack_id: str = "notes", version: str = "1", **faults: bool) -> bytes:
    """A pack; ``unreadable=True`` installs well and cannot be opened."""
    return json.dumps({"id": pack_id, "version": version, **faults}, sort_keys=True).encode()


def publish(fetch: FakeFetch, *packs: bytes, sha256: str = "") -> None:
    """Put packs on the app's origin, as its newest ones; ``sha256`` promises other bytes."""
    entries = []
    for content in packs:
        facts = json.loads(content)
        url = f"packs/{facts['id']}.zip"
        fetch.files[url] = content
        digest = sha256 or hashlib.sha256(content).hexdigest()
        entries.append({"id": facts["id"], "version": facts["version"], "url": "/" + url, "sha256": digest})
    fetch.publish_packs(*entries)


@dataclass(frozen=True)
class Installed:
    id: str
    version: str
    sha256: str
    record: dict[str, Any]


class FakePacks:
    """The two functions that the library uses of a format; remembers what is open."""

    def __init__(self) -> None:
        self.opened: list[FakeSource] = []

    @property
    def open_now(self) -> list[FakeSource]:
        return [source for source in self.opened if not source.closed]

    async def install(
        self, files: Files, fetch: Fetch, url: str, progress: Any, *, expected_sha256: str
    ) -> Installed:
        content = b"".join([piece async for piece in fetch.stream(url)])
        digest = hashlib.sha256(content).hexdigest()
        name = f"packs/{digest[:12]}.zip"
        path = await files.ensure(name)
        Path(path).write_bytes(content)
        progress("fetch", len(content), len(content))
        if digest != expected_sha256:
            raise PackMismatch(f"{url} is not the file that was promised.")
        facts = json.loads(content)
        return Installed(facts["id"], facts["version"], digest, {"file": name})

    def stored_files(self, record: dict[str, Any]) -> set[str]:
        return {record["file"]}

    async def open_installed(
        self, files: Files, record: dict[str, Any], room: VectorRoom | None = None
    ) -> FakeSource:
        content = Path(await files.ensure(record["file"])).read_bytes()
        facts = json.loads(content or b"{}")
        if not facts or facts.get("unreadable"):
            raise PackInvalid("The pack cannot be opened.", hint="Install it again.")
        source = FakeSource(facts["id"], facts["version"])
        self.opened.append(source)
        return source


class FakeSource:
    """Three passages, found by any word of theirs; refuses to be used once closed."""

    kind = "pack"
    mode = "lexical-fallback"

    def __init__(self, source_id: str, version: str) -> None:
        self.id = source_id
        self.title = f"Field notes {version}"
        self.version = version
        self.vector_model: VectorModel | None = None
        self.closed = False

    def _alive(self) -> None:
        assert not self.closed, "a closed source was used"

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        self._alive()
        scores = [sum(term in text.lower() for term in query.terms) for text in TEXTS]
        order = sorted((row for row, score in enumerate(scores) if score), key=lambda row: -scores[row])
        return [Hit(row, float(scores[row])) for row in order[:limit]]

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        self._alive()
        return []

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        self._alive()
        return [
            Passage(
                passage_id=f"doc:{row}",
                document_id="doc",
                source_id=self.id,
                title="Water",
                language="eng",
                collection="Water",
                licence="CC0-1.0",
                locator="Boiling",
                text=TEXTS[row],
                sha256="0" * 64,
                token_estimate=12,
                ordinal=row,
                row=row,
            )
            for row in rows
        ]

    def document(self, document_id: str) -> Document:
        self._alive()
        if document_id != "doc":
            raise DocumentNotFound("There is no such document.")
        return Document(
            source_id=self.id,
            document_id="doc",
            title="Water",
            language="eng",
            collection="Water",
            licence="CC0-1.0",
            source_url="",
            references=(("A book", "https://example.org/book"),),
            sha256="0" * 64,
            text="\n\n".join(TEXTS) + "\n",
        )

    def locate_passages(self, document: Document) -> list[dict[str, Any]]:
        self._alive()
        found = []
        for row, text in enumerate(TEXTS):
            start = document.text.index(text)
            found.append({"id": f"doc:{row}", "start": start, "end": start + len(text), "locator": "Boiling"})
        return found

    def describe(self) -> SourceInfo:
        return {
            "id": self.id,
            "kind": "pack",
            "title": self.title,
            "version": self.version,
            "languages": ["eng"],
            "documents": 1,
            "passages": len(TEXTS),
            "bytes": 100,
            "licence": "CC0-1.0",
            "notice": "Not a substitute for trained help.",
        }

    def close(self) -> None:
        self.closed = True
