"""Writes small ZIM archives and glass databases, only for tests: what FORMATS part 2 describes."""

from __future__ import annotations

import hashlib
import lzma
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from cairn.sources.archives.decoding import XZ, ZSTD, _zstd
from cairn.sources.archives.varint import encode_sortuint, encode_uint, escape

NONE = 1
EXTENDED = 0x10


@dataclass(frozen=True)
class Item:
    """An entry to write; ``target`` (namespace, path) makes it a redirect."""

    namespace: str
    path: str
    data: bytes = b""
    title: str = ""
    mime: str = "text/html"
    target: tuple[str, str] | None = None

    @property
    def key(self) -> tuple[bytes, bytes]:
        return self.namespace.encode(), self.path.encode()


def zim(
    items: Sequence[Item], *, codec: int = NONE, minor: int = 1, main: tuple[str, str] | None = None,
    titles: bool = False,
) -> bytes:  # fmt: skip
    """A whole archive: indexes (namespace X) in an uncompressed cluster, all else in another."""
    items = sorted(items, key=lambda item: item.key)
    numbers = {(item.namespace, item.path): index for index, item in enumerate(items)}
    mimes = sorted({item.mime for item in items})
    blobs: dict[bool, list[bytes]] = {False: [], True: []}
    dirents = []
    for item in items:
        tail = item.path.encode() + b"\0" + item.title.encode() + b"\0"
        if item.target:
            target = numbers.get(item.target, 0xFFFFFF)
            dirents.append(struct.pack("<HBcII", 0xFFFF, 0, item.namespace.encode(), 0, target) + tail)
            continue
        index = item.namespace == "X"
        head = struct.pack("<HBcI", mimes.index(item.mime), 0, item.namespace.encode(), 0)
        dirents.append(head + struct.pack("<II", int(index), len(blobs[index])) + tail)
        blobs[index].append(item.data)
    clusters = [cluster(blobs[False], codec), cluster(blobs[True], NONE)] if items else []
    body = bytearray("".join(f"{mime}\0" for mime in mimes).encode() + b"\0")
    places: list[list[int]] = [[], []]
    for kind, parts in enumerate((dirents, clusters)):
        for part in parts:
            places[kind].append(80 + len(body))
            body += part
    pointers = [80 + len(body), 0, 0]
    body += struct.pack(f"<{len(items)}Q", *places[0])
    pointers[1] = 80 + len(body)
    body += struct.pack(f"<{len(clusters)}Q", *places[1])
    pointers[2] = 80 + len(body) if titles else 0xFFFF_FFFF_FFFF_FFFF
    if titles:
        order = sorted(
            range(len(items)),
            key=lambda i: (items[i].namespace, (items[i].title or items[i].path).encode()),
        )
        body += struct.pack(f"<{len(items)}I", *order)
    header = struct.pack(
        "<IHH16sIIQQQQIIQ", 72173914, 6, minor, hashlib.md5(bytes(body)).digest(), len(items), len(clusters),
        pointers[0], pointers[2], pointers[1], 80, numbers[main] if main else 0xFFFFFFFF, 0xFFFFFFFF,
        80 + len(body),
    )  # fmt: skip
    data = header + bytes(body)
    return data + hashlib.md5(data).digest()


def cluster(blobs: Sequence[bytes], codec: int) -> bytes:
    """A cluster with its info byte; ``codec`` may have the EXTENDED bit."""
    width = 8 if codec & EXTENDED else 4
    at = width * (len(blobs) + 1)
    offsets = [at]
    for blob in blobs:
        at += len(blob)
        offsets.append(at)
    data = b"".join(offset.to_bytes(width, "little") for offset in offsets) + b"".join(blobs)
    if codec & 15 == XZ:
        data = lzma.compress(data, format=lzma.FORMAT_XZ)
    elif codec & 15 == ZSTD:
        data = bytes(_zstd().compress(data))
    return bytes([codec]) + data


def chunks(
    postings: Sequence[tuple[int, int]], first_key: bytes, later: bytes, *, size: int, lengths: bool = False
) -> dict[bytes, bytes]:
    """A posting list of (docid, wdf) as keys and tags, ``size`` postings a chunk."""
    found = {}
    for at in range(0, len(postings), size):
        part = postings[at : at + size]
        body = encode_uint(part[0][1])
        for (before, _), (docid, wdf) in pairwise(part):
            body += encode_uint(docid - before - 1) + encode_uint(wdf)
        tag = (b"1" if at + size >= len(postings) else b"0") + encode_uint(part[-1][0] - part[0][0]) + body
        if at == 0:
            counts = (0, 0) if lengths else (len(postings), sum(wdf for _, wdf in postings))
            tag = b"".join(map(encode_uint, (*counts, part[0][0] - 1))) + tag
            found[first_key] = tag
        else:
            found[later + encode_sortuint(part[0][0])] = tag
    return found


def database(
    terms: dict[str, Sequence[tuple[int, int]]],
    lengths: dict[int, int],
    data: dict[int, str],
    metadata: dict[str, str],
    *,
    chunk: int = 40,
    block: int = 2048,
) -> bytes:
    """A glass database with posting lists, document lengths, document data and metadata."""
    postlist = {b"\0\xc0" + name.encode(): value.encode() for name, value in metadata.items()}
    postlist |= chunks(sorted(lengths.items()), b"\0\xe0", b"\0\xe0", size=chunk, lengths=True)
    for term, postings in terms.items():
        key = escape(term.encode())
        postlist |= chunks(postings, key, key + b"\0", size=chunk)
    docdata = {encode_sortuint(docid): path.encode() for docid, path in data.items()}
    most = max((wdf for postings in terms.values() for _, wdf in postings), default=0)
    last = max(lengths, default=0)
    longest, total = max(lengths.values(), default=0), sum(lengths.values())
    counts = Counts(len(lengths), last, min(lengths.values(), default=0), longest, most, total)
    return assemble(postlist, docdata, counts, block=block)


class Counts(NamedTuple):
    """What the version record says of all documents."""

    documents: int
    last_docid: int
    shortest: int
    longest: int
    most_wdf: int
    total_length: int


def assemble(
    postlist: dict[bytes, bytes], docdata: dict[bytes, bytes], counts: Counts, *, block: int = 2048
) -> bytes:
    """A glass database of two tables given as keys and tags."""
    blocks: list[bytes] = [b""]
    roots = [_tree(sorted(table.items()), blocks, block) for table in (postlist, docdata)]
    record = bytearray(b"\x0f\x0dXapian Glass" + (0x046E).to_bytes(2, "big") + bytes(16) + encode_uint(1))
    for root, level in [*roots, *[(0, -1)] * 4]:
        flags = 1 if level < 0 else level << 2
        record += b"".join(map(encode_uint, (root, flags, 0, block >> 11, 0, 0)))
    documents, last, shortest, longest, most, total = counts
    for value in (documents, last - documents, shortest, most, max(0, longest - most), 0, total, 0):
        record += encode_uint(value)
    blocks[0] = bytes(record).ljust(block, b"\0")
    return b"".join(blocks)


def _tree(items: list[tuple[bytes, bytes]], blocks: list[bytes], size: int) -> tuple[int, int]:
    """Write one B-tree; (root block, level), level -1 for an empty one."""
    if not items:
        return 0, -1
    most = (size - 11) // 4 - 40
    parts: list[tuple[tuple[bytes, int], bytes]] = []
    for key, tag in items:
        pieces = [tag[at : at + most] for at in range(0, len(tag), most)] or [b""]
        for number, piece in enumerate(pieces, 1):
            flags = (0x2000 if number == 1 else 0) | (0x4000 if number == len(pieces) else 0)
            body = bytes([len(key)]) + key + (b"" if number == 1 else number.to_bytes(2, "big")) + piece
            parts.append(((key, number), (flags | (len(body) + 2 - 3)).to_bytes(2, "big") + body))
    nodes = _pack(parts, 0, blocks, size)
    level = 0
    while len(nodes) > 1:
        level += 1
        entries = []
        for index, (first, before, number) in enumerate(nodes):
            key, component = _separator(before, first) if index else (b"", 1)
            body = number.to_bytes(4, "big") + bytes([len(key)]) + key + component.to_bytes(2, "big")
            entries.append((first, body))
        firsts = {entry[0]: node for entry, node in zip(entries, nodes, strict=True)}
        packed = _pack(entries, level, blocks, size)
        nodes = [(first, firsts[first][1], number) for first, _, number in packed]
    return nodes[0][2], level


def _pack(
    entries: Iterable[tuple[tuple[bytes, int], bytes]], level: int, blocks: list[bytes], size: int
) -> list[tuple[tuple[bytes, int], tuple[bytes, int], int]]:
    """Fill blocks; (first key, last key of the block before, block number) of each."""
    nodes = []
    open_items: list[tuple[tuple[bytes, int], bytes]] = []
    before = (b"", 0)

    def flush() -> None:
        nonlocal before
        if open_items:
            nodes.append((open_items[0][0], before, len(blocks)))
            blocks.append(_block([body for _, body in open_items], level, size))
            before = open_items[-1][0]
            open_items.clear()

    used = 11
    for key, body in entries:
        if used + len(body) + 2 > size:
            flush()
            used = 11
        open_items.append((key, body))
        used += len(body) + 2
    flush()
    return nodes


def _block(bodies: list[bytes], level: int, size: int) -> bytes:
    directory, content = b"", b""
    end = 11 + 2 * len(bodies)
    for body in bodies:
        directory += (end + len(content)).to_bytes(2, "big")
        content += body
    header = (1).to_bytes(4, "big") + bytes([level]) + bytes(4) + end.to_bytes(2, "big")
    return (header + directory + content).ljust(size, b"\0")


def _separator(before: tuple[bytes, int], first: tuple[bytes, int]) -> tuple[bytes, int]:
    """The shortest key above ``before`` and not above ``first``: truncated, as Xapian does."""
    if first[1] > 1:
        return first
    for length in range(len(first[0]) + 1):
        if first[0][:length] > before[0]:
            return first[0][:length], 1
    return first
