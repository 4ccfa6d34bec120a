"""The arithmetic on long lists of numbers behind a search, in two versions with identical results.

:mod:`kernel_plain` is Python alone; :mod:`kernel_numpy` is for long lists. numpy takes over a
second to load in a browser, so it is loaded only when a search will touch more postings than
plain Python gets through in that time.

A *vector* is an ``array`` or an ``ndarray``; only the kernel that made it looks inside. Docids are
ascending and unique.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

Vector: TypeAlias = Any

NUMPY_FROM = 100_000
"""Postings from which loading numpy pays."""


class Chunk(NamedTuple):
    """A piece of a posting list: LEB128 ``wdf, (delta - 1, wdf)*`` for docids first to last."""

    first: int
    last: int
    body: bytes


class Postings(NamedTuple):
    """Docids (ascending) and the term's count (wdf) in each of those documents."""

    docids: Vector
    counts: Vector


class Matches(NamedTuple):
    """Positions within the candidates that a list contains (ascending), and their counts."""

    positions: Vector
    counts: Vector


class Kernel(Protocol):
    """What both versions do. Bad chunks raise ValueError, IndexError or OverflowError."""

    def decode(self, chunks: Sequence[Chunk]) -> Postings:
        """Chunks in docid order as one list; their ends are checked against the headers."""

    def join(self, parts: Sequence[Postings]) -> Postings:
        """Consecutive lists as one."""

    def vector(self, docids: Sequence[int]) -> Vector:
        """Docids as a vector."""

    def match(self, candidates: Vector, postings: Postings) -> Matches:
        """Which candidates are in the list."""

    def join_matches(self, parts: Sequence[Matches]) -> Matches:
        """Matches of consecutive parts of a list as one."""

    def slots(self, candidates: Vector, bounds: Sequence[int]) -> list[tuple[int, int]]:
        """(slot, least candidate) for each i with a candidate in [bounds[i], bounds[i + 1])."""

    def within(self, candidates: Vector, first: int, last: int) -> bool:
        """Whether a candidate lies in [first, last]."""

    def take(self, vector: Vector, positions: Vector) -> Vector:
        """The elements at these positions."""

    def store(self, table: Any, postings: Postings) -> None:
        """Put each count at its docid into an ``array`` of unsigned numbers.

        Raises IndexError beyond its end, OverflowError for a number that it cannot hold.
        """

    def lengths_at(self, table: Any, docids: Vector) -> Vector:
        """Elements of such an array, indexed by docid."""

    def norms(self, lengths: Vector, inverse_average: float, least: float) -> Vector:
        """max(length * inverse_average, least)."""

    def zeros(self, like: Vector) -> Vector:
        """As many 0.0."""

    def add(
        self,
        scores: Vector,
        at: Vector | None,
        counts: Vector,
        norms: Vector,
        weight: float,
        k1: float,
        b: float,
    ) -> Vector:
        """Scores plus weight * (wdf / (k1 * (norm * b + (1 - b)) + wdf)) at some positions or all.

        ``norms`` are those of all scores. May change ``scores`` in place.
        """  # fmt: skip

    def best(self, scores: Vector, docids: Vector, k: int) -> list[tuple[float, int]]:
        """The k highest (score, docid), ties by ascending docid."""

    def union(self, left: Vector, right: Vector) -> Vector:
        """All docids of both."""

    def without(self, left: Vector, right: Vector) -> Vector:
        """The docids of ``left`` that are not in ``right``."""

    def spread(self, like: Vector, parts: Sequence[tuple[Vector, Vector]]) -> Vector:
        """As many numbers as ``like`` has: each part's values at its positions, else 0.0."""

    def at_least(self, scores: Vector, threshold: float) -> Vector:
        """Positions of scores >= threshold."""

    def kth(self, scores: Vector, k: int) -> float:
        """The k-th highest score; -1.0 when there are fewer."""


def choose_kernel(postings: int) -> Kernel:
    """The version for a search over about this many postings."""
    if "numpy" in sys.modules or (postings >= NUMPY_FROM and find_spec("numpy") is not None):
        return numpy_kernel()
    return plain_kernel()


def plain_kernel() -> Kernel:
    """The version without numpy."""
    return cast(Kernel, import_module("cairn.sources.archives.kernel_plain").PlainKernel())


def numpy_kernel() -> Kernel:
    """The version with numpy; raises ImportError without it."""
    return cast(Kernel, import_module("cairn.sources.archives.kernel_numpy").NumpyKernel())
