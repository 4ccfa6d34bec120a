"""Posting lists with numpy: see :mod:`cairn.sources.archives.kernel` for what each does.

wasm32 has 32-bit ``intp``: docids fit, byte offsets never come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.sources.archives.kernel import Chunk, Matches, Postings

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_MOST = 0xFFFF_FFFF


class NumpyKernel:
    """The twin of ``PlainKernel`` over ``ndarray``."""

    def __init__(self) -> None:
        import numpy

        self._np = numpy

    def decode(self, chunks: Sequence[Chunk]) -> Postings:
        np = self._np
        if not chunks:
            return Postings(np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        # A zero before each body makes the whole a sequence of (delta - 1, wdf) pairs.
        data = np.frombuffer(b"\0" + b"\0".join(chunk.body for chunk in chunks), np.uint8)
        sizes = np.array([len(chunk.body) + 1 for chunk in chunks])
        values, per_chunk = _varints(np, data, np.cumsum(sizes))
        if (per_chunk % 2).any():
            raise ValueError("a chunk with half a posting")
        deltas = values[0::2].astype(np.int64) + 1
        firsts = np.array([chunk.first for chunk in chunks], np.int64)
        lasts = np.array([chunk.last for chunk in chunks], np.int64)
        ends = np.cumsum(per_chunk // 2)
        before = np.concatenate((np.zeros(1, np.int64), lasts[:-1]))
        deltas[ends - per_chunk // 2] = firsts - before
        docids = np.cumsum(deltas)
        if (docids[ends - 1] != lasts).any() or (deltas[1:] <= 0).any():
            raise ValueError("a chunk does not end where it says")
        if docids[-1] > _MOST:
            raise OverflowError("docid too large")
        return Postings(docids.astype(np.uint32), values[1::2])

    def join(self, parts: Sequence[Postings]) -> Postings:
        np = self._np
        if not parts:
            return self.decode(())
        return Postings(
            np.concatenate([part.docids for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def vector(self, docids: Sequence[int]) -> Array:
        return self._np.array(docids, self._np.uint32)

    def match(self, candidates: Array, postings: Postings) -> Matches:
        np = self._np
        docids, counts = postings
        if not len(docids) or not len(candidates):
            return Matches(np.zeros(0, np.int64), np.zeros(0, np.uint32))
        low = int(np.searchsorted(candidates, docids[0]))
        high = int(np.searchsorted(candidates, docids[-1], "right"))
        part = candidates[low:high]
        at = np.searchsorted(docids, part)
        hit = np.flatnonzero(docids[at] == part)  # no part is above the last docid
        return Matches(hit + low, counts[at[hit]])

    def join_matches(self, parts: Sequence[Matches]) -> Matches:
        np = self._np
        if not parts:
            return Matches(np.zeros(0, np.int64), np.zeros(0, np.uint32))
        return Matches(
            np.concatenate([part.positions for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def slots(self, candidates: Array, bounds: Sequence[int]) -> list[tuple[int, int]]:
        np = self._np
        edges = np.searchsorted(candidates, np.array([*bounds, _MOST + 1], np.int64))
        used = np.flatnonzero(edges[1:] > edges[:-1])
        return [(int(slot), int(candidates[edges[slot]])) for slot in used]

    def within(self, candidates: Array, first: int, last: int) -> bool:
        # A Python int would make numpy convert all candidates to 64 bits, for every chunk.
        at = int(candidates.searchsorted(self._np.uint32(min(first, _MOST))))
        return at < len(candidates) and int(candidates[at]) <= last

    def take(self, vector: Array, positions: Array) -> Array:
        return vector[positions]

    def store(self, table: Any, postings: Postings) -> None:
        view = self._np.frombuffer(table, table.typecode)
        if len(postings.counts) and int(postings.counts.max()) >> (8 * table.itemsize):
            raise OverflowError("a document is longer than its index says")
        view[postings.docids] = postings.counts

    def lengths_at(self, table: Any, docids: Array) -> Array:
        return self._np.frombuffer(table, table.typecode)[docids]

    def norms(self, lengths: Array, inverse_average: float, least: float) -> Array:
        return self._np.maximum(lengths * inverse_average, least)

    def zeros(self, like: Array) -> Array:
        return self._np.zeros(len(like))

    def add(
        self, scores: Array, at: Array | None, counts: Array, norms: Array, weight: float, k1: float, b: float
    ) -> Array:
        used = norms if at is None else norms[at]
        gained = weight * (counts / (k1 * (used * b + (1.0 - b)) + counts))
        if at is None:
            scores += gained
        else:
            scores[at] += gained
        return scores

    def best(self, scores: Array, docids: Array, k: int) -> list[tuple[float, int]]:
        np = self._np
        if len(scores) > 4 * k:
            kept = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
            scores, docids = scores[kept], docids[kept]
        order = np.lexsort((docids, -scores))[:k]
        return [(float(scores[i]), int(docids[i])) for i in order]

    def union(self, left: Array, right: Array) -> Array:
        merged = self._np.concatenate((left, self.without(right, left)))
        merged.sort(kind="stable")  # two ascending runs: merged in one pass
        return merged

    def without(self, left: Array, right: Array) -> Array:
        hit = self.match(left, Postings(right, right)).positions
        return self._np.delete(left, hit)

    def spread(self, like: Array, parts: Sequence[tuple[Array, Array]]) -> Array:
        found = self.zeros(like)
        for positions, values in parts:
            found[positions] = values
        return found

    def at_least(self, scores: Array, threshold: float) -> Array:
        return self._np.flatnonzero(scores >= threshold)

    def kth(self, scores: Array, k: int) -> float:
        if len(scores) < k:
            return -1.0
        return float(self._np.partition(scores, len(scores) - k)[len(scores) - k])


def _varints(np: Any, data: Array, boundaries: Array) -> tuple[Array, Array]:
    """All LEB128 numbers (uint32) of the data, and how many end before each boundary (per part)."""
    ends = np.flatnonzero(data < 0x80)
    if not len(ends) or ends[-1] != len(data) - 1:
        raise IndexError("number cut off")
    per_part = np.diff(np.searchsorted(ends, boundaries), prepend=0)
    if not (data[boundaries - 1] < 0x80).all():
        raise IndexError("number cut off")
    if len(ends) == len(data):
        return data.astype(np.uint32), per_part
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    sizes = ends - starts + 1
    values = (data[starts] & 0x7F).astype(np.uint32)
    longest = int(sizes.max())
    if longest > 5 or (longest == 5 and (data[ends[sizes == 5]] > 0x0F).any()):
        raise OverflowError("number too large")
    for extra in range(1, longest):
        at = np.flatnonzero(sizes > extra)
        values[at] |= (data[starts[at] + extra] & 0x7F).astype(np.uint32) << np.uint32(7 * extra)
    return values, per_part
