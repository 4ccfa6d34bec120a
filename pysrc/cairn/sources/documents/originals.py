"""The files themselves, as they were added: kept in storage under the hash of their content.

A file is read twice, first for its hash, then into its place: so a file that is known already is
not copied, and one that changes while it is read is noticed. What no document names is removed at
the start (:func:`remove_orphans`): an interrupted copy, or the file of a deleted document.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
from collections.abc import Callable, Iterable
from pathlib import Path

from cairn.errors import StorageFull, StorageUnavailable
from cairn.sources.archives.reader import ByteReader
from cairn.sources.documents.readers.guard import unreadable
from cairn.storage.ports import Files

FOLDER = "originals/"
PIECE = 1 << 20

Progress = Callable[[int], None]
"""Is told the bytes that were read so far."""


def silent(done: int) -> None:
    """Progress that nobody watches."""


async def hash_of(reader: ByteReader, progress: Progress = silent) -> str:
    """SHA-256 of all bytes; others get their turn between pieces."""
    digest = hashlib.sha256()
    for start in range(0, reader.size, PIECE):
        digest.update(reader.read(start, min(PIECE, reader.size - start)))
        progress(min(start + PIECE, reader.size))
        await asyncio.sleep(0)
    return digest.hexdigest()


async def store(files: Files, reader: ByteReader, sha256: str, name: str) -> None:
    """Copy all bytes to their place and check them on the way.

    Raises StorageFull, StorageUnavailable, or DocumentUnreadable when they are not those of the hash.
    """
    target = FOLDER + sha256
    digest = hashlib.sha256()
    path = Path(await files.ensure(target))
    try:
        with path.open("r+b", buffering=0) as file:
            file.truncate(0)
            for start in range(0, reader.size, PIECE):
                piece = reader.read(start, min(PIECE, reader.size - start))
                if file.write(piece) != len(piece):
                    raise OSError(errno.ENOSPC, "short write")
                digest.update(piece)
                await asyncio.sleep(0)
            file.flush()
    except OSError as error:
        await files.remove(target)
        raise _storage_error(error, name) from error
    except BaseException:
        await files.remove(target)
        raise
    await files.release(target)
    if digest.hexdigest() != sha256:
        await files.remove(target)
        raise unreadable(name, "it was changed while it was read", "Add it again.")


async def is_stored(files: Files, sha256: str, size: int) -> bool:
    """Whether a file of this hash lies there whole (by its size; the hash is its name)."""
    found = await files.list(FOLDER + sha256)
    return any(info.name == FOLDER + sha256 and info.bytes == size for info in found)


async def read(files: Files, sha256: str, offset: int = 0, length: int = -1) -> bytes:
    """Bytes of an original, all by default; raises StorageUnavailable when it is gone."""
    name = FOLDER + sha256
    if not any(info.name == name for info in await files.list(name)):
        raise StorageUnavailable(
            "The stored original is gone: the browser cleared it.", hint="Add the file again."
        )
    path = Path(await files.ensure(name))
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        raise StorageUnavailable(f"The stored original cannot be read ({error}).", retryable=True) from error
    finally:
        await files.release(name)


async def remove_orphans(files: Files, wanted: Iterable[str]) -> list[str]:
    """Delete originals that no document names; return their names."""
    keep = {FOLDER + sha256 for sha256 in wanted}
    removed = [info.name for info in await files.list(FOLDER) if info.name not in keep]
    for name in removed:
        await files.remove(name)
    return removed


class StoredReader:
    """Bytes of a stored original that was ensured; closed by its owner."""

    def __init__(self, path: str, name: str) -> None:
        self._name = name
        try:
            self._file = Path(path).open("rb")  # noqa: SIM115 - closed by close()
            self.size = self._file.seek(0, io.SEEK_END)
        except OSError as error:
            raise _storage_error(error, name) from error

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes; raises StorageUnavailable."""
        try:
            self._file.seek(offset)
            data = self._file.read(length)
        except OSError as error:
            raise _storage_error(error, self._name) from error
        if len(data) != length:
            raise StorageUnavailable(
                f"The copy of “{self._name}” is not complete.", hint="Add the file again."
            )
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _storage_error(error: OSError, name: str) -> StorageFull | StorageUnavailable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(
            f"There is no room left for “{name}”.",
            hint="Free some space on this device, then retry. What was added before is kept.",
            retryable=True,
        )
    return StorageUnavailable(f"“{name}” could not be stored ({error}).", retryable=True)
