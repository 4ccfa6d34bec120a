"""A full-text index of the size of a large Wikipedia, with a few words: ``write(FILE, documents)``.

The lists are as long as real ones and coded as Xapian codes them; there are no texts behind them, so
only finding and ranking can be measured, not reading.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cairn.sources.archives.varint import encode_sortuint, encode_uint, escape
from tests.unit.archives.synthetic import Counts, Item, assemble, zim

Array = np.ndarray[Any, Any]

SHARES = {"the": 0.92, "of": 0.6, "river": 0.02, "water": 0.013, "pump": 0.0013, "zuse": 0.0001}
"""Part of the documents that have each word."""

CHUNK = 700
"""Postings in a chunk: about 2 kB, as Xapian makes them."""

BLOCK = 8192


def varints(values: Array) -> tuple[Array, Array]:
    """All values as LEB128 bytes, one after the other, and how many bytes each has."""
    sizes = np.ones(len(values), np.int64)
    for bits in (7, 14, 21, 28):
        sizes += values >= 1 << bits
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), np.uint8)
    for place in range(int(sizes.max())):
        having = np.flatnonzero(sizes > place)
        more = (sizes[having] > place + 1).astype(np.uint8) << 7
        out[starts[having] + place] = ((values[having] >> (7 * place)) & 0x7F).astype(np.uint8) | more
    return out, sizes


def chunks(
    docids: Array, counts: Array, first_key: bytes, later: bytes, head: tuple[int, int]
) -> dict[bytes, bytes]:
    """A posting list as keys and tags."""
    pairs = np.empty(2 * len(docids), np.int64)
    pairs[0::2] = np.diff(docids, prepend=0) - 1
    pairs[1::2] = counts
    data, sizes = varints(pairs)
    ends = np.cumsum(sizes)
    raw = data.tobytes()
    found = {}
    for at in range(0, len(docids), CHUNK):
        stop = min(len(docids), at + CHUNK)
        first, last = int(docids[at]), int(docids[stop - 1])
        body = raw[int(ends[2 * at]) : int(ends[2 * stop - 1])]
        tag = (b"1" if stop == len(docids) else b"0") + encode_uint(last - first) + body
        if at == 0:
            found[first_key] = b"".join(map(encode_uint, (*head, first - 1))) + tag
        else:
            found[later + encode_sortuint(first)] = tag
    return found


def write(target: Path, documents: int, *, seed: int = 5) -> None:
    """Write an archive whose index has so many documents; those of the rarest word have a path."""
    dice = np.random.default_rng(seed)
    all_docids = np.arange(1, documents + 1)
    lengths = np.minimum(dice.geometric(1 / 320, documents) + 20, 30_000)
    postlist = {b"\0\xc0language": b"en"}
    postlist |= chunks(all_docids, lengths, b"\0\xe0", b"\0\xe0", (0, 0))
    most = 0
    for word, share in SHARES.items():
        docids = all_docids[dice.random(documents) < share]
        counts = np.minimum(dice.geometric(0.6, len(docids)), 60)
        key = escape(word.encode())
        postlist |= chunks(docids, counts, key, key + b"\0", (len(docids), int(counts.sum())))
        most = max(most, int(counts.max()))
    paths = {encode_sortuint(int(docid)): b"C/One" for docid in all_docids[:: max(1, documents // 9_000)]}
    stats = Counts(documents, documents, int(lengths.min()), int(lengths.max()), most, int(lengths.sum()))
    index = assemble(postlist, paths, stats, block=BLOCK)
    page = Item("C", "One", b"<h1>One</h1><p>A page for all.</p>", "One")
    about = {"Language": b"eng", "Title": b"Large index"}
    facts = [Item("M", name, value, mime="text/plain") for name, value in about.items()]
    target.write_bytes(zim([page, *facts, Item("X", "fulltext/xapian", index)], titles=True))
