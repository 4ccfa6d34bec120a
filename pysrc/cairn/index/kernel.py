"""The vector kernel's port: exact top-k over vector files that it holds in memory of its own.

    kernel.load("pack", path, VectorLayout.of(header))
    kernel.search("pack", query, 40)

Adapters: :class:`cairn.browser.kernel.WasmKernel` (workers/vectors.mjs) and
:class:`cairn.index.kernel_file.FileKernel`, which reads the file at each search. Without codes they
give the same ids, order and scores, those of :func:`cairn.index.vectors.score`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from cairn.index.types import Hit
from cairn.index.vectors import VectorHeader

STEP_ROWS = 65536
"""Rows between two looks at whether to stop: about 3 ms."""

Keep = Literal["rows", "codes", "both"]
"""What of each row stays in memory, beside its norm.

``rows``: the int8 values (384 bytes), every search is exact. ``codes``: one bit a dimension and a
byte (49 bytes); likely rows are then read from the file and scored exactly, so that a few hits can
be missed (recall@40 above .99) but no score is wrong. ``both``: the same without reading the file.
"""


@dataclass(frozen=True, slots=True)
class VectorLayout:
    """Where the int8 rows and the float32 norms lie in a file."""

    rows: int
    dimensions: int
    offset: int
    norms: int

    @classmethod
    def of(cls, header: VectorHeader) -> VectorLayout:
        """The layout of a file with this header."""
        return cls(header.count, header.dimensions, header.vector_offset, header.norm_offset)


class VectorScan(Protocol):
    """A search under way."""

    def step(self, rows: int) -> bool:
        """Go on for about this many rows; True when done."""

    def hits(self) -> list[Hit]:
        """The hits, best first, ties by row; [] before the end."""

    def close(self) -> None:
        """Stop; harmless when done."""


class VectorKernel(Protocol):
    """Vector files that can be searched, each under a key of the caller's."""

    def load(self, key: str, path: str, layout: VectorLayout, keep: Keep = "rows") -> None:
        """Make a file searchable, replacing that of the same key.

        Raises PackInvalid when the file does not hold what the layout says, MemoryError when
        there is no room (``codes`` may still fit), StorageUnavailable when it cannot be read.
        """

    def unload(self, key: str) -> None:
        """Give up the memory and the file; unknown keys are ignored."""

    def begin(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> VectorScan:
        """Begin a search, among the rows of the bitmap ``allowed`` when there is one.

        Raises KeyError for an unknown key, ValueError as :func:`check_search`. A zero query finds
        nothing.
        """

    def search(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> list[Hit]:
        """A whole search at once; raises as :meth:`begin`."""


def check_search(layout: VectorLayout, query: array[float], allowed: bytes | None) -> None:
    """Raise ValueError when a query or a filter does not fit the vectors."""
    if len(query) != layout.dimensions:
        raise ValueError(f"query of {len(query)} dimensions for {layout.dimensions}")
    if not all(map(math.isfinite, query)):
        raise ValueError("the query has a value that is no number")
    if allowed is not None and len(allowed) * 8 < layout.rows:
        raise ValueError(f"a filter of {len(allowed)} bytes for {layout.rows} rows")


def bitmap(rows: Iterable[int], count: int) -> bytes:
    """The set of these rows, of ``count`` in all, as a bitmap: lowest bit first."""
    bits = bytearray((count + 7) // 8)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return bytes(bits)


def run(scan: VectorScan) -> list[Hit]:
    """The hits of a search; between its steps an interrupt can reach Python."""
    try:
        while not scan.step(STEP_ROWS):
            pass
        return scan.hits()
    finally:
        scan.close()


async def run_in_steps(scan: VectorScan, pause: Callable[[], Awaitable[None]]) -> list[Hit]:
    """The hits of a search that lets others run between its steps, and ends when cancelled there."""
    try:
        while not scan.step(STEP_ROWS):
            await pause()
        return scan.hits()
    finally:
        scan.close()
