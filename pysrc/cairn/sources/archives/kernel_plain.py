"""Posting lists in plain Python: see :mod:`cairn.sources.archives.kernel` for what each does."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from heapq import nlargest, nsmallest
from itertools import chain

from cairn.sources.archives.kernel import Chunk, Matches, Postings
from cairn.sources.archives.varint import decode_uint


class PlainKernel:
    """The twin of ``NumpyKernel`` over ``array``."""

    def decode(self, chunks: Sequence[Chunk]) -> Postings:
        docids, counts = array("I"), array("I")
        before = -1
        for chunk in chunks:
            if chunk.first <= before:
                raise ValueError("chunks out of order")
            body, end = chunk.body, len(chunk.body)
            docid = chunk.first
            count, at = decode_uint(body, 0)
            docids.append(docid)
            counts.append(count)
            while at < end:
                delta, at = decode_uint(body, at)
                count, at = decode_uint(body, at)
                docid += delta + 1
                docids.append(docid)
                counts.append(count)
            if docid != chunk.last:
                raise ValueError("a chunk does not end where it says")
            before = docid
        return Postings(docids, counts)

    def join(self, parts: Sequence[Postings]) -> Postings:
        return Postings(
            array("I", chain.from_iterable(part.docids for part in parts)),
            array("I", chain.from_iterable(part.counts for part in parts)),
        )

    def vector(self, docids: Sequence[int]) -> array[int]:
        return array("I", docids)

    def match(self, candidates: array[int], postings: Postings) -> Matches:
        docids, counts = postings
        positions, found = array("I"), array("I")
        if not docids:
            return Matches(positions, found)
        at = 0
        first = bisect_left(candidates, docids[0])
        for position in range(first, bisect_right(candidates, docids[-1])):
            at = bisect_left(docids, candidates[position], at)
            if docids[at] == candidates[position]:
                positions.append(position)
                found.append(counts[at])
        return Matches(positions, found)

    def join_matches(self, parts: Sequence[Matches]) -> Matches:
        return Matches(
            array("I", chain.from_iterable(part.positions for part in parts)),
            array("I", chain.from_iterable(part.counts for part in parts)),
        )

    def slots(self, candidates: array[int], bounds: Sequence[int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(candidates):
            slot = bisect_right(bounds, candidates[at]) - 1
            if slot >= 0:
                found.append((slot, candidates[at]))
            if slot + 1 >= len(bounds):
                break
            at = bisect_left(candidates, bounds[slot + 1], at)
        return found

    def within(self, candidates: array[int], first: int, last: int) -> bool:
        at = bisect_left(candidates, first)
        return at < len(candidates) and candidates[at] <= last

    def take(self, vector: array[int], positions: array[int]) -> array[int]:
        return array(vector.typecode, [vector[position] for position in positions])

    def store(self, table: array[int], postings: Postings) -> None:
        for docid, count in zip(postings.docids, postings.counts, strict=True):
            table[docid] = count

    def lengths_at(self, table: array[int], docids: array[int]) -> array[int]:
        return array("I", [table[docid] for docid in docids])

    def norms(self, lengths: array[int], inverse_average: float, least: float) -> array[float]:
        return array("d", [max(length * inverse_average, least) for length in lengths])

    def zeros(self, like: array[int]) -> array[float]:
        return array("d", bytes(8 * len(like)))

    def add(
        self, scores: array[float], at: array[int] | None, counts: array[int], norms: array[float],
        weight: float, k1: float, b: float,
    ) -> array[float]:  # fmt: skip
        rest = 1.0 - b
        for index, position in enumerate(range(len(scores)) if at is None else at):
            wdf = counts[index]
            scores[position] += weight * (wdf / (k1 * (norms[position] * b + rest) + wdf))
        return scores

    def best(self, scores: array[float], docids: array[int], k: int) -> list[tuple[float, int]]:
        ranked = nsmallest(k, ((-score, docid) for score, docid in zip(scores, docids, strict=True)))
        return [(-score, docid) for score, docid in ranked]

    def union(self, left: array[int], right: array[int]) -> array[int]:
        return array("I", sorted({*left, *right}))

    def without(self, left: array[int], right: array[int]) -> array[int]:
        known = set(right)
        return array("I", [docid for docid in left if docid not in known])

    def spread(self, like: array[int], parts: Sequence[tuple[array[int], array[float]]]) -> array[float]:
        found = self.zeros(like)
        for positions, values in parts:
            for position, value in zip(positions, values, strict=True):
                found[position] = value
        return found

    def at_least(self, scores: array[float], threshold: float) -> array[int]:
        return array("I", [i for i, score in enumerate(scores) if score >= threshold])

    def kth(self, scores: array[float], k: int) -> float:
        return nlargest(k, scores)[-1] if len(scores) >= k else -1.0
