"""A Xapian glass database in one file, read in place: its version record and its B-tree tables.

Everything but numbers inside tags is big-endian. Blocks of all tables share one number space;
block n lies at ``n * block size`` of the database.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cairn.errors import ArchiveUnsupported
from cairn.sources.archives import blocks
from cairn.sources.archives.guard import damaged, guarded
from cairn.sources.archives.reader import ByteReader, read_ranges
from cairn.sources.archives.varint import decode_uint, decode_uints, encode_sortuint

_MAGIC = b"\x0f\x0d" + b"Xapian Glass"
_FORMAT = 0x046E
_TABLES = ("postlist", "docdata", "termlist", "position", "spelling", "synonym")
_DEEPEST = 10
_TAG_CAP = 64 * 1_048_576
BLOCK_CACHE = 8 * 1_048_576
AHEAD = 8
"""Blocks of 8 kB that one read brings: in a browser it costs hardly more than a read of one."""

Key = tuple[bytes, int]
"""A B-tree key: bytes, and the number of the tag's component, from 1."""


class Leaf(NamedTuple):
    """A leaf block and the separator before it: no key in it is below, all keys before are."""

    separator: Key
    block: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the database says of its documents."""

    documents: int
    last_docid: int
    shortest: int  # lower bound of document lengths
    longest: int  # upper bound
    most_wdf: int  # upper bound of a term's count in a document
    total_length: int

    @property
    def inverse_average(self) -> float:
        """1 / average document length, 0.0 for an empty database."""
        return 1.0 / (self.total_length / self.documents) if self.total_length else 0.0


class Blocks:
    """The blocks of a database, recently used ones kept, reads of several merged."""

    def __init__(self, reader: ByteReader, size: int, cache_bytes: int = BLOCK_CACHE) -> None:
        self.size = size
        self.count = reader.size // size
        self._reader = reader
        self._most = max(16, cache_bytes // size)
        self._known: OrderedDict[int, bytes] = OrderedDict()

    def get(self, number: int) -> bytes:
        """One block."""
        known = self._known.get(number)
        return known if known is not None else self.many((number,))[0]

    def forget(self) -> None:
        """Drop the blocks that are kept."""
        self._known.clear()

    def many(self, numbers: Sequence[int]) -> list[bytes]:
        """Several blocks in the order asked; missing ones are read in as few reads as possible."""
        found = {n: self._known[n] for n in numbers if n in self._known}
        missing = {n for n in numbers if n not in found}
        if missing:
            if not 0 <= min(missing) <= max(missing) < self.count:
                raise damaged("its index refers to a block outside of it")
            self._read(sorted(self._with_neighbours(missing)), missing, found)
        for number in found:
            if number in self._known:
                self._known.move_to_end(number)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return [found[n] for n in numbers]

    def _with_neighbours(self, numbers: set[int]) -> set[int]:
        """A few blocks, and those around them: they come for nothing, and are often asked next."""
        if len(numbers) > AHEAD:
            return numbers
        starts = {number - number % AHEAD for number in numbers}
        around = {n for start in starts for n in range(start, min(self.count, start + AHEAD))}
        return {n for n in around if n in numbers or n not in self._known}

    def _read(self, numbers: list[int], wanted: set[int], found: dict[int, bytes]) -> None:
        datas = read_ranges(self._reader, [(n * self.size, self.size) for n in numbers])
        for number, data in zip(numbers, datas, strict=True):
            if number in wanted:
                found[number] = data
            if len(numbers) <= self._most // 2:
                self._known[number] = data


class Table:
    """One B-tree: tags by key."""

    def __init__(self, pool: Blocks, root: int, level: int, empty: bool) -> None:
        self.pool = pool
        self._root = root
        self._level = level
        self.empty = empty
        if level > _DEEPEST:
            raise damaged("its index is deeper than any real one")

    def get(self, key: bytes) -> bytes | None:
        """The tag with exactly this key, its components joined and inflated."""
        return None if self.empty else self._join(key, b"", 0)

    def leaves(self, low: bytes, high: bytes) -> list[Leaf]:
        """The leaves that may hold keys of [low, high), in order; none of an empty table."""
        if self.empty:
            return []
        found: list[Leaf] = []
        self._collect(((b"", 1), self._root), self._level, (low, 1), high, found)
        return found

    def range(self, low: bytes, high: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, tag) for all keys of [low, high), in order."""
        leaves = self.leaves(low, high)
        for at in range(0, len(leaves), 64):
            for block in self.pool.many([leaf.block for leaf in leaves[at : at + 64]]):
                yield from self.starting_items(block, low, high)

    def starting_items(self, block: bytes, low: bytes, high: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(key, whole tag) for the keys of [low, high) whose tag begins in this leaf."""
        for index in range(blocks.lower_bound(block, (low, 1)), blocks.count(block)):
            item = blocks.leaf_item(block, index)
            if item.key >= high:
                return
            if item.first:
                yield item.key, self._finish(item, block, index)

    def _finish(self, item: blocks.LeafItem, block: bytes, index: int) -> bytes:
        """The whole tag of the item at ``index``: its other components mostly follow in the block."""
        tag, component, last = item.tag, 1, item.last
        while not last and index + component < blocks.count(block):
            more = blocks.leaf_item(block, index + component)
            component += 1
            if (more.key, more.component) != (item.key, component):
                raise damaged("an item of its index breaks off")
            tag, last = tag + more.tag, more.last
        if not last:
            return self._join(item.key, tag, component) or b""
        return blocks.inflate(tag, _TAG_CAP) if item.compressed else tag

    def _join(self, key: bytes, begun: bytes, component: int) -> bytes | None:
        """Follow the components of a tag after ``component``; None when the first is missing."""
        parts = [begun]
        total = len(begun)
        while True:
            component += 1
            item = self._item(key, component)
            if item is None:
                if component == 1:
                    return None
                raise damaged("an item of its index breaks off")
            parts.append(item.tag)
            total += len(item.tag)
            if total > _TAG_CAP:
                raise damaged("an item of its index is impossibly long")
            if item.last:
                tag = b"".join(parts)
                return blocks.inflate(tag, _TAG_CAP) if item.compressed else tag

    def _item(self, key: bytes, component: int) -> blocks.LeafItem | None:
        wanted = key, component
        number = self._root
        for level in range(self._level, 0, -1):
            block = self._block(number, level)
            number = blocks.branch_child(block, blocks.floor(block, wanted))
        block = self._block(number, 0)
        index = blocks.lower_bound(block, wanted)
        if index == blocks.count(block):
            return None
        item = blocks.leaf_item(block, index)
        return item if (item.key, item.component) == wanted else None

    def _collect(self, node: tuple[Key, int], level: int, low: Key, high: bytes, found: list[Leaf]) -> None:
        separator, number = node
        if level == 0:
            found.append(Leaf(separator, number))
            if len(found) > self.pool.count:
                raise damaged("its index goes round in a circle")
            return
        block = self._block(number, level)
        for index in range(blocks.floor(block, low), blocks.count(block)):
            key = blocks.branch_key(block, index)
            if key[0] >= high:
                return
            lower = max(key, separator) if index == 0 else key
            self._collect((lower, blocks.branch_child(block, index)), level - 1, low, high, found)

    def _block(self, number: int, level: int) -> bytes:
        block = self.pool.get(number)
        if blocks.level(block) != level:
            raise damaged("its index has a block of the wrong level")
        return block


class Glass:
    """A database: tables by name and its statistics. Raises ArchiveUnsupported for other kinds."""

    def __init__(self, reader: ByteReader) -> None:
        with guarded("the version record of its index"):
            record = reader.read(0, min(reader.size, 2048))
            if not record.startswith(_MAGIC):
                raise ArchiveUnsupported(
                    "The archive's full-text index is of an old kind.",
                    hint="Titles can still be searched.",
                )
            version = int.from_bytes(record[14:16], "big")
            if version != _FORMAT:
                raise ArchiveUnsupported(
                    f"The archive's full-text index has the unknown format {version:#06x}.",
                    hint="Titles can still be searched.",
                )
            _, at = decode_uint(record, 32)
            roots = []
            for _ in _TABLES:
                (root, flags, _, size_code, _, skip), at = decode_uints(record, at, 6)
                roots.append((root, flags, size_code << 11))
                at += skip
            (documents, beyond, shortest, wdf, longer, _, total), at = decode_uints(record, at, 7)
        self.statistics = Statistics(documents, documents + beyond, shortest, wdf + longer, wdf, total)
        size = roots[0][2]
        if not 2048 <= size <= 65_536 or any(other != size for _, _, other in roots):
            raise damaged("its index has an impossible block size")
        pool = Blocks(reader, size)
        self.tables = {
            name: Table(pool, root, flags >> 2, bool(flags & 1))
            for name, (root, flags, _) in zip(_TABLES, roots, strict=True)
        }

    @property
    def postlist(self) -> Table:
        """Posting lists, document lengths, values and metadata."""
        return self.tables["postlist"]

    def metadata(self, name: str) -> bytes:
        """A metadata string of the database, b"" when absent."""
        with guarded("its index"):
            return self.postlist.get(b"\0\xc0" + name.encode()) or b""

    def data(self, docid: int) -> bytes:
        """A document's data: for libzim its full path."""
        with guarded("its index"):
            return self.tables["docdata"].get(encode_sortuint(docid)) or b""
