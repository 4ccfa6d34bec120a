"""Posting lists and document lengths of a database: all of one, or only where candidates are.

A list is a row of chunks, four to a leaf. With candidates at hand only the leaves that may hold
one are read, and only the chunks whose docid range has one are decoded; the separators above the
leaves tell which. They are truncated keys, so the chunk that holds a candidate may begin in the
leaf before (FORMATS.md 2.8, 1).
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Generator, Iterator
from typing import NamedTuple

from cairn.sources.archives import blocks
from cairn.sources.archives.glass import Glass, Leaf, Statistics
from cairn.sources.archives.guard import damaged, guarded
from cairn.sources.archives.kernel import Chunk, Kernel, Matches, Postings, Vector
from cairn.sources.archives.varint import decode_sortuint, decode_uint, escape, sortuint_floor

BATCH = 128
"""Leaves read and decoded at once, about 1 MB: a list of 6 million in one go would need 0.5 GB."""

BATCH_PLAIN = 8
"""The same for idle work in plain Python, where a leaf costs some ten milliseconds in a browser."""

DECODED = 8 * 1_048_576
"""Bytes of decoded lists that are kept: words of one question meet again in the next ones."""

_PER_POSTING = 8  # bytes of a docid and a count
_LENGTHS = b"\0\xe0"
_LAST_CHUNK = 0x31
_MOST_DOCUMENTS = 1 << 28


class List(NamedTuple):
    """A posting list: its frequencies, its first chunk and where the others are."""

    documents: int  # how many documents have the term (tf)
    occurrences: int  # how often it occurs in all of them (cf)
    head: Chunk
    complete: bool  # whether the first chunk is the only one
    key: bytes
    later: bytes  # what the keys of later chunks begin with


class PostingReader:
    """Reads lists of one database, with either kernel.

    Invariant: ``_held`` is the number of bytes in ``_decoded``, at most ``decoded_bytes``.
    """

    def __init__(self, glass: Glass, *, decoded_bytes: int = DECODED) -> None:
        self._glass = glass
        self._table = glass.postlist
        self._lengths: array[int] | None = None
        self._limit = decoded_bytes
        self._decoded: OrderedDict[tuple[bytes, type[Kernel]], Postings] = OrderedDict()
        self._held = 0

    def find(self, term: bytes) -> List | None:
        """The list of a term, None when no document has it."""
        key = escape(term)
        return self._list(key, key + b"\0")

    def all(self, found: List, kernel: Kernel) -> Postings:
        """A whole list; nobody may change it, it is kept for the next time unless it is very long."""
        known = self._known(found, kernel)
        if known is not None:
            return known
        with guarded("a list of its index"):
            postings = kernel.join([kernel.decode(batch) for batch in self._batches(found, BATCH)])
        self._keep(found, kernel, postings)
        return postings

    def matches(self, found: List, candidates: Vector, kernel: Kernel) -> Matches:
        """Which candidates (ascending docids) a list has, reading as little of it as possible."""
        with guarded("a list of its index"):
            known = self._known(found, kernel)
            if known is not None:
                return kernel.match(candidates, known)
            return kernel.join_matches(
                [
                    kernel.match(candidates, kernel.decode(batch))
                    for batch in self._narrowed(found, candidates, kernel)
                ]
            )

    def lengths(self, docids: Vector, kernel: Kernel) -> Vector:
        """The lengths of documents (ascending docids); raises ArchiveInvalid for unknown ones."""
        if self._lengths is not None:
            with guarded("the lengths of documents"):
                return kernel.lengths_at(self._lengths, docids)
        matches = self.matches(self._length_list(), docids, kernel)
        if len(matches.positions) != len(docids):
            raise damaged("its index lacks the length of a document")
        return matches.counts

    def forget(self) -> None:
        """Drop what was kept to be quick the next time, except the lengths."""
        self._decoded.clear()
        self._held = 0
        self._table.pool.forget()

    @property
    def lengths_held(self) -> int:
        """Bytes of lengths in memory."""
        return 0 if self._lengths is None else self._lengths.itemsize * len(self._lengths)

    @property
    def lengths_missing(self) -> int:
        """Bytes that :meth:`load_lengths` will keep in memory; 0 when there is nothing left to load."""
        statistics = self._glass.statistics
        if self._lengths is not None or statistics.last_docid > _MOST_DOCUMENTS:
            return 0
        return array(_length_type(statistics)).itemsize * (statistics.last_docid + 1)

    def load_lengths(self, kernel: Kernel, *, batch: int = BATCH) -> Generator[None]:
        """Keep all document lengths in memory, which saves later reads: work for idle time.

        Yields between pieces of work of ``batch`` leaves; they are used when all are there.
        """
        size = self.lengths_missing
        if not size:
            return
        table = array(_length_type(self._glass.statistics), bytes(size))
        pieces = self._batches(self._length_list(), batch)
        while True:
            with guarded("the lengths of documents"):
                chunks = next(pieces, None)
                if chunks is None:
                    break
                kernel.store(table, kernel.decode(chunks))
            yield
        self._lengths = table

    def _known(self, found: List, kernel: Kernel) -> Postings | None:
        key = found.key, type(kernel)
        if key not in self._decoded:
            return None
        self._decoded.move_to_end(key)
        return self._decoded[key]

    def _keep(self, found: List, kernel: Kernel, postings: Postings) -> None:
        size = _PER_POSTING * len(postings.docids)
        if size > self._limit // 4:
            return
        self._decoded[found.key, type(kernel)] = postings
        self._held += size
        while self._held > self._limit:
            self._held -= _PER_POSTING * len(self._decoded.popitem(last=False)[1].docids)

    def _length_list(self) -> List:
        found = self._list(_LENGTHS, _LENGTHS)
        if found is None:
            raise damaged("its index has no document lengths")
        return found

    def _list(self, key: bytes, later: bytes) -> List | None:
        with guarded("a list of its index"):
            tag = self._table.get(key)
            if tag is None:
                return None
            documents, at = decode_uint(tag, 0)
            occurrences, at = decode_uint(tag, at)
            before, at = decode_uint(tag, at)
            head, complete = _chunk(before + 1, tag, at)
            return List(documents, occurrences, head, complete, key, later)

    def _batches(self, found: List, size: int) -> Iterator[list[Chunk]]:
        """All chunks, in batches of so many leaves."""
        yield [found.head]
        if found.complete:
            return
        leaves = self._leaves(found)
        for at in range(0, len(leaves), size):
            chunks = []
            for block in self._table.pool.many([leaf.block for leaf in leaves[at : at + size]]):
                chunks += [_chunk(first, tag, 0)[0] for first, tag in self._later(found, block)]
            if chunks:
                yield chunks

    def _narrowed(self, found: List, candidates: Vector, kernel: Kernel) -> Iterator[list[Chunk]]:
        """The chunks that may hold a candidate, in batches."""
        head = found.head
        if kernel.within(candidates, head.first, head.last):
            yield [head]
        if found.complete or not kernel.within(candidates, head.last + 1, 0xFFFF_FFFF):
            return
        leaves = self._leaves(found)
        bounds = [0] + [sortuint_floor(leaf.separator[0][len(found.later) :]) for leaf in leaves[1:]]
        slots = kernel.slots(candidates, bounds)
        done = -1  # the last leaf that was looked into
        for at in range(0, len(slots), BATCH):
            part = slots[at : at + BATCH]
            self._table.pool.many([leaves[slot].block for slot, _ in part])
            chunks: list[Chunk] = []
            for slot, least in part:
                for index in range(self._begins(found, leaves, slot, least, done), slot + 1):
                    block = self._table.pool.get(leaves[index].block)
                    for first, tag in self._later(found, block):
                        chunk = _chunk(first, tag, 0)[0]
                        if kernel.within(candidates, chunk.first, chunk.last):
                            chunks.append(chunk)
                done = slot
            if chunks:
                yield chunks

    def _begins(self, found: List, leaves: list[Leaf], slot: int, least: int, done: int) -> int:
        """The leaf, ``slot`` or one before it, in which the chunk for docid ``least`` begins."""
        while slot > done + 1:
            block = self._table.pool.get(leaves[slot].block)
            first = next((docid for docid, _ in self._later(found, block)), None)
            if first is not None and first <= least:
                break
            slot -= 1
        return slot

    def _leaves(self, found: List) -> list[Leaf]:
        return self._table.leaves(found.key, found.later + b"\xff")

    def _later(self, found: List, block: bytes) -> Iterator[tuple[int, bytes]]:
        """(first docid, tag) of the chunks after the first that begin in a leaf."""
        if blocks.level(block) != 0:
            raise damaged("its index has a block of the wrong level")
        low, high = found.later + b"\0", found.later + b"\xff"
        for key, tag in self._table.starting_items(block, low, high):
            yield decode_sortuint(key, len(found.later))[0], tag


def _chunk(first: int, tag: bytes, at: int) -> tuple[Chunk, bool]:
    """The chunk whose header is at ``at``, and whether it is the last of its list."""
    beyond, body = decode_uint(tag, at + 1)
    return Chunk(first, first + beyond, tag[body:]), tag[at] == _LAST_CHUNK


def _length_type(statistics: Statistics) -> str:
    """The narrowest array that holds the longest document's length."""
    return "B" if statistics.longest < 1 << 8 else "H" if statistics.longest < 1 << 16 else "I"
