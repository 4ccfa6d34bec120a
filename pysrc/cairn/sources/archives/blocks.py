"""The inside of one B-tree block of a glass database (FORMATS.md 2.2)."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from cairn.sources.archives.guard import damaged

_HEADER = 11
_COMPRESSED, _LAST, _FIRST, _SIZE = 0x8000, 0x4000, 0x2000, 0x1FFF
_WINDOW = -15  # raw deflate


class LeafItem(NamedTuple):
    """One item of a leaf: a tag, or a component of one too long for a block."""

    key: bytes
    component: int  # from 1
    first: bool
    last: bool
    compressed: bool  # the joined tag, not this component alone
    tag: bytes


def level(block: bytes) -> int:
    """0 for a leaf."""
    return block[4]


def count(block: bytes) -> int:
    """How many items there are."""
    return max(0, (_u16(block, 9) - _HEADER) // 2)


def leaf_item(block: bytes, index: int) -> LeafItem:
    """An item of a leaf; raises IndexError when it lies outside the block."""
    at = _u16(block, _HEADER + 2 * index)
    head = _u16(block, at)
    end = at + (head & _SIZE) + 3
    key_end = at + 3 + block[at + 2]
    if key_end > end or end > len(block):
        raise IndexError("item outside its block")
    key = block[at + 3 : key_end]
    if head & _FIRST:
        component = 1
    else:
        component = _u16(block, key_end)
        key_end += 2
    tag = block[key_end:end]
    return LeafItem(key, component, bool(head & _FIRST), bool(head & _LAST), bool(head & _COMPRESSED), tag)


def branch_key(block: bytes, index: int) -> tuple[bytes, int]:
    """The separator before a child: a truncated key; (b"", component) for the first."""
    at = _u16(block, _HEADER + 2 * index)
    end = at + 5 + block[at + 4]
    return block[at + 5 : end], _u16(block, end)


def branch_child(block: bytes, index: int) -> int:
    """The block number of a child."""
    at = _u16(block, _HEADER + 2 * index)
    return int.from_bytes(block[at : at + 4], "big")


def floor(block: bytes, wanted: tuple[bytes, int]) -> int:
    """The last child of a branch whose separator is not above ``wanted``; 0 when all are."""
    low, high = 1, count(block)
    while low < high:
        middle = (low + high) // 2
        if branch_key(block, middle) <= wanted:
            low = middle + 1
        else:
            high = middle
    return low - 1


def lower_bound(block: bytes, wanted: tuple[bytes, int]) -> int:
    """The first item of a leaf that is not below ``wanted``; the count when all are."""
    low, high = 0, count(block)
    while low < high:
        middle = (low + high) // 2
        if _leaf_key(block, middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def inflate(tag: bytes, cap: int) -> bytes:
    """A compressed tag; raises zlib.error, or ArchiveInvalid when it is longer than ``cap``."""
    decompressor = zlib.decompressobj(_WINDOW)
    data = decompressor.decompress(tag, cap)
    if decompressor.unconsumed_tail:
        raise damaged("an item of its index is impossibly long")
    return data


def _leaf_key(block: bytes, index: int) -> tuple[bytes, int]:
    at = _u16(block, _HEADER + 2 * index)
    end = at + 3 + block[at + 2]
    component = 1 if _u16(block, at) & _FIRST else _u16(block, end)
    return block[at + 3 : end], component


def _u16(block: bytes, at: int) -> int:
    return block[at] << 8 | block[at + 1]
