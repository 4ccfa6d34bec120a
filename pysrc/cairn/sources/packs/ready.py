"""Makes a stored ZIP ready: verified, and its indexes where they can be opened.

An index that lies in the ZIP as it is is opened in place, as a slice. One that is compressed (a
published Emergency Box pack) is unpacked once into a file of its own; one that is missing (schema
1) is built from the documents. The names of such files derive from that of the ZIP.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cairn.errors import PackInvalid
from cairn.index.lexical_writer import LexicalWriter
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.indexing import passages_of
from cairn.sources.packs.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    IndexEntry,
    Manifest,
    index_metadata,
)
from cairn.sources.packs.reader_url import reader_url
from cairn.sources.packs.verify import read_manifest, verify
from cairn.storage.ports import Files

Progress = Callable[[str, int, int], None]
FTS5, VECTOR = "fts5", "vector"
CHECK = "check-"


def index_name(name: str, kind: str) -> str:
    """The stored file of an index that is not in the ZIP as it is."""
    return f"{name.removesuffix('.zip')}.{kind}"


@dataclass(frozen=True, slots=True)
class Ready:
    """A verified pack; ``own`` are the files of indexes that do not lie open in the ZIP, by kind."""

    manifest: Manifest
    manifest_sha256: str
    own: dict[str, str]


async def make_ready(files: Files, name: str, progress: Progress) -> Ready:
    """Verify the stored ZIP ``name`` and make its indexes such that they can be opened.

    ``progress(phase, done, total)``: "unpack" and "hash" in bytes, "index" in passages, "build" in documents.
    Raises PackInvalid or PackMismatch; what was written is the caller's to remove.
    """
    archive = PackArchive(await files.ensure(name))
    try:
        manifest = read_manifest(archive)
        sha256 = hashlib.sha256(archive.read(MANIFEST, MOST_MANIFEST_BYTES)).hexdigest()
        own = await _unpack(files, name, archive, manifest, progress)
        await check(files, name, archive, manifest, own, progress)
        if manifest.fts5 is None:
            own[FTS5] = index_name(name, FTS5)
            await _build(await files.ensure(own[FTS5]), archive, manifest, progress)
    finally:
        archive.close()
    return Ready(manifest, sha256, own)


async def check(
    files: Files, name: str, archive: PackArchive, manifest: Manifest, own: dict[str, str], progress: Progress
) -> None:
    """Hash everything, through views of its own; raises PackInvalid or PackMismatch."""
    paths = await open_indexes(files, name, archive, manifest, own, CHECK)
    try:
        steps = verify(archive, manifest, fts5_path=paths.get(FTS5), vector_path=paths.get(VECTOR))
        for step in steps:
            progress(step.phase, step.done, step.total)
            await asyncio.sleep(0)  # lets a stop or a question in
    finally:
        for kind in _entries(manifest):
            await files.unmount(_alias(name, kind, CHECK))


async def open_indexes(
    files: Files,
    name: str,
    archive: PackArchive,
    manifest: Manifest,
    own: dict[str, str],
    view: str = "",
) -> dict[str, str]:
    """The indexes as openable paths, by kind; ``own`` are the files of those not opened in the ZIP.

    Views of different ``view`` do not disturb each other.
    """
    paths = {kind: await files.ensure(file) for kind, file in own.items()}
    for kind, entry in _entries(manifest).items():
        if kind not in own:
            member = archive.member(entry.path)
            if not member.stored:
                raise PackInvalid(
                    f"The pack's member {entry.path} was not unpacked.", hint="Install the pack again."
                )
            paths[kind] = await files.slice(name, member.offset, member.bytes, _alias(name, kind, view))
    return paths


async def remove(files: Files, name: str) -> None:
    """Delete a stored pack and the files of its indexes."""
    built = index_name(name, FTS5)
    for each in (name, built, built + "-journal", index_name(name, VECTOR)):
        await files.remove(each)


def _entries(manifest: Manifest) -> dict[str, IndexEntry]:
    entries = {FTS5: manifest.fts5, VECTOR: manifest.vector}
    return {kind: entry for kind, entry in entries.items() if entry is not None}


def _alias(name: str, kind: str, view: str) -> str:
    return f"{view}{name.rpartition('/')[2]}.{kind}"


async def _unpack(
    files: Files, name: str, archive: PackArchive, manifest: Manifest, progress: Progress
) -> dict[str, str]:
    """Unpack the compressed indexes; which files they are."""
    packed = {
        kind: entry for kind, entry in _entries(manifest).items() if not archive.member(entry.path).stored
    }
    total = sum(archive.member(entry.path).bytes for entry in packed.values())
    done = 0
    for kind, entry in packed.items():
        with Path(await files.ensure(index_name(name, kind))).open("r+b") as file:
            file.truncate(archive.member(entry.path).bytes)  # takes the room now
            for piece in archive.stream(entry.path):
                file.write(piece)
                done += len(piece)
                progress("unpack", done, total)
                await asyncio.sleep(0)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
    return {kind: index_name(name, kind) for kind in packed}


async def _build(path: str, archive: PackArchive, manifest: Manifest, progress: Progress) -> None:
    """Cut the documents and fill a keyword index of our own at ``path``."""
    with Path(path).open("r+b") as file:
        file.truncate(0)
    writer = LexicalWriter(path)
    try:
        row = 0
        for number, entry in enumerate(manifest.documents, start=1):
            for passage in passages_of(archive, manifest, entry, row):
                writer.add(
                    passage,
                    source_url=entry.source_url,
                    reader_url=reader_url(manifest.corpus_id, entry.id, passage.passage_id),
                )
                row += 1
            progress("build", number, len(manifest.documents))
            await asyncio.sleep(0)
        writer.finish(index_metadata(manifest))
    except sqlite3.OperationalError as error:
        full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        raise OSError(28 if full else 5, str(error)) from error
    finally:
        writer.close()
