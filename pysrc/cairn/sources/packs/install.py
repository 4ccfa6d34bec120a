"""Brings a pack that comes with the app onto the device, and opens packs that are there.

A pack's ZIP has a name of its own from its first byte on (``packs/<random>.zip``). Recording it, in
one transaction, makes it a pack of the library; until then it is an orphan, which the next start
takes away. Nothing that is installed already is touched.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.errors import DownloadFailed, PackInvalid, PackMismatch
from cairn.index.vector_store import VectorRoom
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MOST_BYTES
from cairn.sources.packs.ready import FTS5, VECTOR, check, make_ready, open_indexes, remove
from cairn.sources.packs.source import PackSource
from cairn.sources.packs.verify import read_manifest
from cairn.storage.faults import storage_error
from cairn.storage.ports import Fetch, Files

DIRECTORY = "packs/"
WHAT = "this pack"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class InstalledPack:
    """A verified pack that is not recorded yet; ``record`` opens it again (:func:`open_installed`)."""

    id: str
    version: str
    sha256: str  # of the ZIP, "" when it was copied from a file: its manifest names its content
    record: dict[str, Any]  # JSON: {"file": name, "bytes": size, "indexes": {kind: name}, …}


def new_name() -> str:
    """A stored name that no pack has."""
    return f"{DIRECTORY}{uuid.uuid4().hex[:16]}.zip"


async def install(
    files: Files,
    fetch: Fetch,
    url: str,
    progress: Progress,
    *,
    expected_sha256: str | None = None,
) -> InstalledPack:
    """Fetch, hash and verify a pack; on any failure nothing of it is left.

    ``progress(phase, done, total)``: "download" in bytes (total 0: unknown), then those of
    :func:`cairn.sources.packs.ready.make_ready`.
    Raises DownloadFailed, PackMismatch, PackInvalid, StorageFull or StorageUnavailable.
    """
    name = new_name()
    try:
        path = await files.ensure(name)
        sha256, size = await _receive(path, fetch.stream(url), progress)
        if expected_sha256 is not None and sha256 != expected_sha256:
            raise PackMismatch(
                "The pack that came is not the one that was promised.",
                hint="Try again; if it stays, the pack was changed at its source.",
                retryable=True,
            )
        return await finish(files, name, size, sha256, progress)
    except OSError as error:
        await remove(files, name)
        raise storage_error(error, WHAT) from error
    except BaseException:
        await remove(files, name)
        raise


async def finish(files: Files, name: str, size: int, sha256: str, progress: Progress) -> InstalledPack:
    """Verify the stored ZIP and make its indexes ready; raises PackInvalid, PackMismatch or OSError."""
    ready = await make_ready(files, name, progress)
    manifest, own = ready.manifest, ready.own
    sizes = {info.name: info.bytes for info in await files.list(DIRECTORY)}
    stored = size + sum(sizes.get(each, 0) for each in own.values())
    record = {
        "file": name,
        "bytes": size,
        "sha256": sha256,
        "manifest_sha256": ready.manifest_sha256,
        "indexes": own,
        "stored_bytes": stored,
    }
    return InstalledPack(manifest.corpus_id, manifest.version, sha256, record)


def stored_files(record: dict[str, Any]) -> set[str]:
    """The names of everything a recorded pack has in storage."""
    name, own = _places(record)
    return {name, *own.values()}


async def open_installed(files: Files, record: dict[str, Any], room: VectorRoom | None = None) -> PackSource:
    """Open a pack from what was recorded; its indexes in place, its vectors kept in ``room``.

    Raises PackInvalid or PackMismatch when the file is gone or not what was recorded.
    """
    name, own = _places(record)
    await _ensure_whole(files, record)
    try:
        return await _open(files, name, own, room)
    except sqlite3.DatabaseError as error:
        raise PackInvalid(
            f"The installed pack {name} cannot be opened: {error}.", hint="Install it again."
        ) from error
    except OSError as error:
        raise storage_error(error, WHAT) from error


async def verify_installed(files: Files, record: dict[str, Any], progress: Progress) -> None:
    """Hash everything of a recorded pack again; raises PackInvalid, PackMismatch or a storage error.

    An index that was built here is checked as a database only: nobody promised its bytes.
    """
    name, own = _places(record)
    await _ensure_whole(files, record)
    try:
        archive = PackArchive(await files.ensure(name))
        try:
            await check(files, name, archive, read_manifest(archive), own, progress)
        finally:
            archive.close()
    except OSError as error:
        raise storage_error(error, WHAT) from error


def _places(record: dict[str, Any]) -> tuple[str, dict[str, str]]:
    own = {str(kind): str(file) for kind, file in dict(record.get("indexes") or {}).items()}
    return str(record.get("file", "")), own


async def _ensure_whole(files: Files, record: dict[str, Any]) -> None:
    name, own = _places(record)
    stored = {info.name: info.bytes for info in await files.list(DIRECTORY)}
    lost = [file for file in own.values() if not stored.get(file)]
    if lost or stored.get(name) != record.get("bytes"):
        raise PackInvalid(
            f"The file of the installed pack ({name or 'unnamed'}) is gone or was cut.",
            hint="Install the pack again.",
        )


async def _open(files: Files, name: str, own: dict[str, str], room: VectorRoom | None) -> PackSource:
    archive = PackArchive(await files.ensure(name))
    try:
        manifest = read_manifest(archive)
        paths = await open_indexes(files, name, archive, manifest, own)
        if FTS5 not in paths:
            raise PackInvalid("The keyword index of the pack is gone.", hint="Install the pack again.")
        vectors = paths.get(VECTOR)
        return PackSource(archive, manifest, fts5_path=paths[FTS5], vector_path=vectors, room=room)
    except BaseException:
        archive.close()
        raise


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
            if file.write(piece) != len(piece):
                raise OSError(errno.ENOSPC, "short write")
            progress("download", size, 0)
        file.flush()
        os.fsync(file.fileno())
    if not size:
        raise DownloadFailed("The pack is empty.", hint="Check the address of the pack.")
    return digest.hexdigest(), size
