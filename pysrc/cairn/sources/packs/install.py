"""Brings a pack onto the device: bytes, hash, verification, and only then a name.

The bytes go to ``packs/incoming-<n>.part`` while they are hashed; a verified pack gets its final
name ``packs/<id>-<version>-<sha12>.zip`` by a rename. Recording it (one transaction) is the
caller's; until then it is an orphan that :func:`remove_half_installs` or the library's own
sweep takes away. Nothing that is installed already is touched.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from cairn.errors import (
    CairnError,
    DownloadFailed,
    PackInvalid,
    PackMismatch,
    StorageFull,
    StorageUnavailable,
)
from cairn.index.vector_store import VectorRoom
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MOST_BYTES, IndexEntry, Manifest
from cairn.sources.packs.source import PackSource
from cairn.sources.packs.verify import read_manifest, verify
from cairn.storage.ports import Fetch, Files

DIRECTORY = "packs/"
INCOMING = DIRECTORY + "incoming.part"
Progress = Callable[[str, int, int], None]
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class InstalledPack:
    """A verified pack under its final name; ``record`` opens it again (:func:`open_installed`)."""

    id: str
    version: str
    sha256: str
    record: dict[str, Any]  # JSON: {"file": name, "bytes": size, "sha256": hex}


def silent(phase: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


async def install(
    files: Files,
    fetch: Fetch,
    url: str,
    progress: Progress,
    *,
    expected_sha256: str | None = None,
) -> InstalledPack:
    """Fetch, hash, verify and name a pack; on any failure nothing of it is left.

    ``progress(phase, done, total)`` in bytes: "download" (total 0: unknown), "hash", "index".
    Raises DownloadFailed, PackMismatch, PackInvalid, StorageFull or StorageUnavailable.
    """
    try:
        path = await files.ensure(INCOMING)
        sha256, size = await _receive(path, fetch.stream(url), progress)
        if expected_sha256 is not None and sha256 != expected_sha256:
            raise PackMismatch(
                "The pack that came is not the one that was promised.",
                hint="Try again; if it stays, the pack was changed at its source.",
                retryable=True,
            )
        manifest = await _verify_incoming(files, path, progress)
        name = file_name(manifest, sha256)
        await files.rename(INCOMING, name)
    except OSError as error:
        await files.remove(INCOMING)
        raise _storage_error(error) from error
    except BaseException:
        await files.remove(INCOMING)
        raise
    record = {"file": name, "bytes": size, "sha256": sha256}
    return InstalledPack(manifest.corpus_id, manifest.version, sha256, record)


async def open_installed(files: Files, record: dict[str, Any], room: VectorRoom | None = None) -> PackSource:
    """Open a pack from what was recorded; its indexes in place, its vectors kept in ``room``.

    Raises PackInvalid or PackMismatch when the file is gone or not what was recorded.
    """
    name = str(record.get("file", ""))
    stored = {info.name: info.bytes for info in await files.list(DIRECTORY)}
    if name not in stored or stored[name] != record.get("bytes"):
        raise PackInvalid(
            f"The file of the installed pack ({name or 'unnamed'}) is gone or was cut.",
            hint="Install the pack again.",
        )
    try:
        return await _open(files, name, room)
    except sqlite3.DatabaseError as error:
        raise PackInvalid(
            f"The installed pack {name} cannot be opened: {error}.", hint="Install it again."
        ) from error
    except OSError as error:
        raise _storage_error(error) from error


async def _open(files: Files, name: str, room: VectorRoom | None) -> PackSource:
    archive = PackArchive(await files.ensure(name))
    try:
        manifest = read_manifest(archive)
        fts5_path, vector_path = await _slices(files, name, archive, manifest)
        return PackSource(archive, manifest, fts5_path=fts5_path, vector_path=vector_path, room=room)
    except BaseException:
        archive.close()
        raise


async def remove_half_installs(files: Files) -> list[str]:
    """Delete what an interrupted install left; return the names."""
    left = [info.name for info in await files.list(DIRECTORY) if info.name.endswith(".part")]
    for name in left:
        await files.remove(name)
    return left


def file_name(manifest: Manifest, sha256: str) -> str:
    """The stored name of a pack; the hash in it keeps two builds of a version apart."""
    version = _UNSAFE.sub("_", manifest.version)
    return f"{DIRECTORY}{manifest.corpus_id}-{version}-{sha256[:12]}.zip"


async def _receive(path: str, pieces: AsyncIterator[bytes], progress: Progress) -> tuple[str, int]:
    digest = hashlib.sha256()
    size = 0
    with Path(path).open("wb") as file:
        async for piece in pieces:
            if size == 0 and not piece.startswith(b"PK"):
                raise DownloadFailed(
                    "What came is not a pack (a ZIP file).", hint="Check the address of the pack."
                )
            size += len(piece)
            if size > MOST_BYTES:
                raise PackInvalid("The pack is larger than 2 GiB.")
            digest.update(piece)
            _write(file, piece)
            progress("download", size, 0)
    if not size:
        raise DownloadFailed("The pack is empty.", hint="Check the address of the pack.")
    return digest.hexdigest(), size


def _write(file: BinaryIO, piece: bytes) -> None:
    if file.write(piece) != len(piece):
        raise OSError(errno.ENOSPC, "short write")


async def _verify_incoming(files: Files, path: str, progress: Progress) -> Manifest:
    with contextlib.closing(PackArchive(path)) as archive:
        manifest = read_manifest(archive)
        try:
            fts5_path, vector_path = await _slices(files, INCOMING, archive, manifest)
            for step in verify(archive, manifest, fts5_path=fts5_path, vector_path=vector_path):
                progress(step.phase, step.done, step.total)
                await asyncio.sleep(0)  # lets a stop or a question in
        finally:
            for entry in manifest.indexes:
                await files.unmount(_alias(INCOMING, entry))
    return manifest


async def _slices(
    files: Files, name: str, archive: PackArchive, manifest: Manifest
) -> tuple[str, str | None]:
    """The pack's indexes as openable paths."""
    if manifest.fts5 is None:
        raise PackInvalid(
            "The pack has no keyword index (schema 1), which this Cairn cannot make yet.",
            hint="Get a newer version of the pack.",
        )
    fts5 = await _slice(files, name, archive, manifest.fts5)
    vectors = await _slice(files, name, archive, manifest.vector) if manifest.vector else None
    return fts5, vectors


async def _slice(files: Files, name: str, archive: PackArchive, entry: IndexEntry) -> str:
    member = archive.member(entry.path)
    if not member.stored:
        raise PackInvalid(
            f"The pack's member {entry.path} is compressed, which this Cairn cannot open yet.",
            hint="Get a version of the pack whose indexes are stored.",
        )
    return await files.slice(name, member.offset, member.bytes, _alias(name, entry))


def _alias(name: str, entry: IndexEntry) -> str:
    return f"{name.removeprefix(DIRECTORY)}.{entry.path.rpartition('/')[2]}"


def _storage_error(error: OSError) -> CairnError:
    if error.errno in _NO_SPACE:
        return StorageFull(
            "There is not enough space for this pack.",
            hint="Remove something from the library or free space on the device.",
        )
    return StorageUnavailable(f"The pack could not be stored ({error}).", retryable=True)
