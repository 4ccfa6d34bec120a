"""Copies a chosen pack file into storage: in pieces, from where it stopped, with room for all of it."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

from cairn.sources.archives.reader import ByteReader
from cairn.storage.faults import storage_error

PIECE = 1 << 20
FLUSH = 16 << 20
"""Bytes after which what was copied is forced to the disk and recorded."""


async def copy_file(
    reader: ByteReader,
    path: str,
    done: int,
    *,
    what: str,
    save: Callable[[int], None],
    progress: Callable[[int, int], None],
) -> None:
    """Copy what is missing after the first ``done`` bytes.

    ``save(bytes)`` records how far it got; the bytes are on the disk by then, also when this is
    cancelled. Raises StorageFull, StorageUnavailable, or what reading raises (ArchiveAbsent).
    """
    try:
        with Path(path).open("r+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END) < done:
                done = 0
            file.truncate(reader.size)  # takes the room now, not after an hour
            file.seek(done)
            kept = done
            try:
                while done < reader.size:
                    progress(done, reader.size)
                    piece = reader.read(done, min(PIECE, reader.size - done))
                    if file.write(piece) != len(piece):
                        raise OSError(errno.ENOSPC, "short write")
                    done += len(piece)
                    if done - kept >= FLUSH:
                        os.fsync(file.fileno())
                        save(done)
                        kept = done
                    await asyncio.sleep(0)  # a question or a stop gets its turn
            finally:
                os.fsync(file.fileno())
                save(done)
            progress(done, reader.size)
    except OSError as error:
        raise storage_error(error, what) from error
