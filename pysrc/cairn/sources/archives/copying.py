"""Copying an archive into the app's storage: in pieces, resumable, stopped at any piece.

An unfinished copy is a file of its own name; how far it got is its size. It takes its final name
when every byte is on the disk, so an archive that is opened is always whole.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from cairn.errors import CairnError, StorageFull, StorageUnavailable
from cairn.sources.archives.reader import ByteReader
from cairn.storage.ports import Files

PIECE = 1 << 20
FLUSH = 64 << 20
"""Bytes after which what was copied is forced to the disk."""


def stored_name(source_id: str) -> str:
    """The stored file of an archive."""
    return f"archives/{source_id}.zim"


def part_name(source_id: str) -> str:
    """Its copy while it is unfinished."""
    return f"archives/{source_id}.part"


async def copy_archive(
    files: Files, reader: ByteReader, source_id: str, progress: Callable[[int, int], None]
) -> None:
    """Copy all bytes; ``progress(done, total)`` after each piece.

    Raises StorageFull, StorageUnavailable, or what reading raises; what was copied stays for later.
    """
    path = Path(await files.ensure(part_name(source_id)))
    try:
        with path.open("r+b", buffering=0) as file:
            await _fill(cast(BinaryIO, file), reader, progress)
    except OSError as error:
        raise _storage_error(error) from error
    await files.rename(part_name(source_id), stored_name(source_id))


async def _fill(file: BinaryIO, reader: ByteReader, progress: Callable[[int, int], None]) -> None:
    total = reader.size
    done = min(file.seek(0, os.SEEK_END), total) // PIECE * PIECE
    file.truncate(total)  # says now, not after an hour, that there is no room
    file.truncate(done)
    file.seek(done)
    flushed = done
    progress(done, total)
    while done < total:
        piece = reader.read(done, min(PIECE, total - done))
        if file.write(piece) != len(piece):
            raise OSError(errno.ENOSPC, "short write")
        done += len(piece)
        if done - flushed >= FLUSH:
            os.fsync(file.fileno())
            flushed = done
        progress(done, total)
        await asyncio.sleep(0)  # a question or a stop gets its turn
    os.fsync(file.fileno())


def _storage_error(error: OSError) -> CairnError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(
            "There is not enough space for a copy of this archive.",
            hint="Free some space, or go on using the file where it is.",
        )
    return StorageUnavailable(f"The archive could not be copied ({error}).", retryable=True)
