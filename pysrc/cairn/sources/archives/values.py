"""Values of documents (titles, redirect targets) by slot, decoded a chunk at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict

from cairn.sources.archives.glass import Glass
from cairn.sources.archives.guard import guarded
from cairn.sources.archives.varint import decode_sortuint, decode_uint, encode_uint, sortuint_floor

_KNOWN_CHUNKS = 512


class Values:
    """One slot. Values are bytes; a document without one has b""."""

    def __init__(self, glass: Glass, slot: int) -> None:
        self._table = glass.postlist
        self._prefix = b"\0\xd8" + encode_uint(slot)
        self._known: OrderedDict[int, list[tuple[int, bytes]]] = OrderedDict()
        with guarded("the titles of its index"):
            self._leaves = self._table.leaves(self._prefix, self._prefix + b"\xff")
        separators = [leaf.separator[0] for leaf in self._leaves]
        self._bounds = [
            sortuint_floor(key[len(self._prefix) :]) if key.startswith(self._prefix) else 0
            for key in separators
        ]

    def get(self, docid: int) -> bytes:
        """The value of a document."""
        with guarded("the titles of its index"):
            index = bisect_right(self._bounds, docid) - 1
            while index >= 0:  # the chunk may begin in the leaf before: separators are truncated
                chunks = self._chunks(index)
                if chunks and chunks[0][0] <= docid:
                    at = bisect_right(chunks, docid, key=lambda chunk: chunk[0]) - 1
                    return _value(*chunks[at], docid)
                index -= 1
        return b""

    def _chunks(self, index: int) -> list[tuple[int, bytes]]:
        """(first docid, chunk) of those that begin in a leaf."""
        known = self._known.get(index)
        if known is None:
            block = self._table.pool.get(self._leaves[index].block)
            low, high = self._prefix, self._prefix + b"\xff"
            known = self._known[index] = [
                (decode_sortuint(key, len(low))[0], tag)
                for key, tag in self._table.starting_items(block, low, high)
            ]
            if len(self._known) > _KNOWN_CHUNKS:
                self._known.popitem(last=False)
        return known


def _value(first: int, chunk: bytes, wanted: int) -> bytes:
    docid, at = first, 0
    while True:
        size, at = decode_uint(chunk, at)
        if docid == wanted:
            return chunk[at : at + size]
        at += size
        if at >= len(chunk):
            return b""
        delta, at = decode_uint(chunk, at)
        docid += delta + 1
        if docid > wanted:
            return b""
