"""Work on open archives while nobody asks, so that the first question does not wait for it.

Document lengths are loaded, whose reading every search then saves, and a search is rehearsed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from weakref import WeakSet

from cairn.errors import CairnError
from cairn.sources.archives.kernel import numpy_kernel, plain_kernel
from cairn.sources.archives.postings import BATCH_PLAIN, PostingReader
from cairn.sources.archives.shelf import Shelf
from cairn.sources.archives.shelved import ShelvedArchive

MEMORY = 48 * 1_048_576
"""Bytes of lengths of all archives together: Wikipedia in English needs 14 MB."""

PLAIN_BYTES = 1_048_576
"""Lengths that are loaded without numpy, which takes some ten seconds of idle time in a browser."""

BATCH_NUMPY = 64
"""Leaves a piece, half a megabyte: some 30 ms in a browser, after which a question gets its turn."""


class IdleWork:
    """Runs once at a time; ``quiet`` is awaited before each piece and returns when nobody asks."""

    def __init__(self, quiet: Callable[[], Awaitable[None]], *, memory: int = MEMORY) -> None:
        self._quiet = quiet
        self._memory = memory
        self._running = False
        self._rehearsed: WeakSet[ShelvedArchive] = WeakSet()

    def finished(self, shelf: Shelf) -> bool:
        """Whether everything was done for every archive."""
        return not self._running and all(archive in self._rehearsed for archive in shelf.sources.values())

    async def run(self, shelf: Shelf) -> None:
        """Do what is left to do, archive by archive; ends at once when it is running already."""
        if self._running:
            return
        self._running = True
        tried: list[PostingReader] = []
        try:
            while (found := self._next(shelf, tried)) is not None:
                archive, postings = found
                tried.append(postings)
                await self._work(shelf, archive, _lengths(postings))
            for archive in [one for one in shelf.sources.values() if one not in self._rehearsed]:
                self._rehearsed.add(archive)
                await self._work(shelf, archive, archive.rehearse())
        finally:
            self._running = False

    def _next(self, shelf: Shelf, tried: list[PostingReader]) -> tuple[ShelvedArchive, PostingReader] | None:
        all_ = [(archive, postings) for archive in shelf.sources.values() for postings in archive.indexes]
        left = self._memory - sum(postings.lengths_held for _, postings in all_)
        if "numpy" not in sys.modules:
            left = min(left, PLAIN_BYTES)
        fitting = ((a, p) for a, p in all_ if p not in tried and 0 < p.lengths_missing <= left)
        return next(fitting, None)

    async def _work(self, shelf: Shelf, archive: ShelvedArchive, pieces: Iterator[None]) -> None:
        """All pieces, each when nobody asks, while the archive stays open."""
        while True:
            await self._quiet()
            await asyncio.sleep(0)
            try:
                if shelf.sources.get(archive.id) is not archive or next(pieces, True):
                    return
            except CairnError:
                return  # a search will meet the same error and say it


def _lengths(postings: PostingReader) -> Iterator[None]:
    if "numpy" in sys.modules:
        return postings.load_lengths(numpy_kernel(), batch=BATCH_NUMPY)
    return postings.load_lengths(plain_kernel(), batch=BATCH_PLAIN)
