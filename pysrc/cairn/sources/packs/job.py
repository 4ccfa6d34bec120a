"""One pack on its way into the library: what is recorded of it, and what the page is told."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Literal, cast

from cairn.errors import CairnError
from cairn.protocol.packs import JobInfo, PackPreview
from cairn.sources.packs.manifest import Manifest
from cairn.sources.packs.preview import Preview
from cairn.storage.download import Cursor
from cairn.storage.rate import Rate
from cairn.storage.state import JobRow

KIND = "pack"
State = Literal["asking", "running", "paused", "waiting", "failed"]
Phase = Literal["", "copy", "download", "unpack", "hash", "index", "build"]


@dataclass(slots=True)
class PackJob:
    """A job; its stored ZIP has its id in its name from the first byte on."""

    origin: Literal["file", "url"]
    name: str  # of the file, or the URL
    key: str  # of the chosen file
    bytes: int
    installed_bytes: int
    pack: PackPreview | None
    manifest_sha256: str
    rate: Rate
    state: State = "asking"
    cursor: Cursor = field(default_factory=Cursor)
    error: CairnError | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    added_ms: float = 0.0
    room: int = -1
    phase: Phase = ""
    done: int = 0
    total: int = 0

    @property
    def file(self) -> str:
        """Its ZIP in storage."""
        return f"packs/{self.id}.zip"

    def got(self, phase: Phase, done: int, total: int) -> None:
        """Note progress."""
        if phase != self.phase:
            self.phase, self.rate = phase, self.rate.anew()
        self.done, self.total = done, total
        self.rate.saw(done)

    def row(self) -> JobRow:
        """What outlives this engine."""
        record = {
            "origin": self.origin,
            "name": self.name,
            "key": self.key,
            "bytes": self.bytes,
            "installed_bytes": self.installed_bytes,
            "pack": self.pack,
            "manifest_sha256": self.manifest_sha256,
            "state": self.state,
            "cursor": asdict(self.cursor),
            "problem": [self.error.message, self.error.hint, self.error.retryable] if self.error else None,
        }
        return JobRow(self.id, KIND, record, self.cursor.bytes, self.added_ms)

    @classmethod
    def recorded(cls, row: JobRow, clock: Callable[[], float]) -> PackJob:
        """A job as it was recorded."""
        record = row.record
        problem = record["problem"]
        return cls(
            origin=record["origin"],
            name=record["name"],
            key=record["key"],
            bytes=record["bytes"],
            installed_bytes=record["installed_bytes"],
            pack=record["pack"],
            manifest_sha256=record["manifest_sha256"],
            rate=Rate(clock),
            state=record["state"],
            cursor=Cursor(**record["cursor"]),
            error=CairnError(problem[0], hint=problem[1], retryable=problem[2] is True) if problem else None,
            id=row.id,
            added_ms=row.added_ms,
            done=row.cursor,
            total=record["bytes"],
        )

    def info(self) -> JobInfo:
        """What the page is told."""
        left = self.rate.seconds_left(self.total) if self.state == "running" else None
        return JobInfo(
            id=self.id,
            state=self.state,
            origin=self.origin,
            name=self.name,
            key=self.key,
            phase=self.phase,
            done=self.done,
            total=self.total,
            rate=self.rate.per_second if self.state == "running" else 0.0,
            seconds_left=-1.0 if left is None else left,
            bytes=self.bytes,
            installed_bytes=self.installed_bytes,
            room=self.room,
            pack=self.pack,
            problem=self.error.message if self.error else "",
            hint=self.error.hint if self.error else "",
        )


def described(preview: Preview, installed_version: str, installed_sha256: str) -> PackPreview | None:
    """A preview for the page; the last two are of the installed pack of the same id, "" for none."""
    manifest = preview.manifest
    if manifest is None:
        return None
    return PackPreview(
        id=manifest.corpus_id,
        title=manifest.title or manifest.corpus_id,
        version=manifest.version,
        languages=sorted({document.language for document in manifest.documents}),
        documents=len(manifest.documents),
        passages=manifest.fts5.passage_count if manifest.fts5 else 0,
        licence=licences(manifest),
        notice=manifest.notice,
        replaces=installed_version,
        same=bool(installed_sha256) and installed_sha256 == preview.manifest_sha256,
    )


def licences(manifest: Manifest) -> str:
    """The pack's own licence, else those of its documents, the most frequent first."""
    if manifest.licence:
        return manifest.licence
    counts: dict[str, int] = {}
    for document in manifest.documents:
        counts[document.licence] = counts.get(document.licence, 0) + 1
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    return "; ".join(f"{name} ({counts[name]})" for name in ordered[:5]) + (" …" if len(ordered) > 5 else "")


def phase(name: str) -> Phase:
    """A phase by its name."""
    return cast(Phase, name)
