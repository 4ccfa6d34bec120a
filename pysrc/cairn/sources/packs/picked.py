"""A pack in a file that the person chose, read like one that is fetched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from cairn.sources.archives.picked import PickedFiles, absent

PIECE = 1 << 20


class PickedPack:
    """The bytes of chosen files, by key, through the fetch port; raises ArchiveAbsent."""

    def __init__(self, picked: PickedFiles) -> None:
        self._picked = picked

    async def read(self, url: str) -> bytes:
        """The whole file."""
        return b"".join([piece async for piece in self.stream(url)])

    async def stream(self, url: str) -> AsyncIterator[bytes]:
        """The file in pieces; ``url`` is its key."""
        if not self._picked.names(url):
            raise absent("The pack")
        reader = self._picked.reader(url, 0)
        for start in range(0, reader.size, PIECE):
            yield reader.read(start, min(PIECE, reader.size - start))
            await asyncio.sleep(0)  # a question or a stop gets its turn
