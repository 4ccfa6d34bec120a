"""All texts of a compact pack as one member: deflated together, read in blocks.

The member is one ordinary deflate stream, which any ZIP tool unpacks; a full flush after every
64 KiB of text starts each block afresh at a byte boundary, so that a block is inflated alone. Where
blocks end is kept in the keyword index.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO

from cairn.errors import PackInvalid
from cairn.sources.packs.archive import PackArchive

BLOCK = 65_536
MOST_TEXT = (1 << 32) - 1
_KEPT = 8  # blocks, 512 KiB


class SolidWriter:
    """Packs texts one after the other into a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
        self._rest = b""
        self.ends = array("I")
        self.crc = 0
        self.bytes = 0
        self.packed_bytes = 0

    def add(self, text: bytes) -> None:
        """Append a text."""
        self.crc = zlib.crc32(text, self.crc)
        self.bytes += len(text)
        data = self._rest + text
        whole = len(data) - len(data) % BLOCK
        if whole == len(data):
            whole -= BLOCK  # the last block ends the stream
        for at in range(0, whole, BLOCK):
            self._write(data[at : at + BLOCK], zlib.Z_FULL_FLUSH)
        self._rest = data[max(0, whole) :]

    def finish(self) -> None:
        """End the stream; ``ends`` (u32, little-endian) then has the end of every block."""
        self._write(self._rest, zlib.Z_FINISH)
        if sys.byteorder == "big":
            self.ends.byteswap()

    def _write(self, block: bytes, flush: int) -> None:
        packed = self._deflate.compress(block) + self._deflate.flush(flush)
        self._file.write(packed)
        self.packed_bytes += len(packed)
        self.ends.append(self.packed_bytes)


class SolidTexts:
    """Reads spans of the texts in an opened pack; raises PackInvalid where a block is damaged."""

    def __init__(self, archive: PackArchive, member: str, ends: bytes) -> None:
        self._archive = archive
        self._member = archive.member(member)
        self._ends = block_ends(ends, member, self._member.packed_bytes, self._member.bytes)
        self._kept: OrderedDict[int, bytes] = OrderedDict()

    def read(self, start: int, length: int) -> bytes:
        """``length`` bytes from ``start`` on; raises PackInvalid beyond the end."""
        if start < 0 or length < 0 or start + length > self._member.bytes:
            raise damaged(self._member.name, "a place lies beyond its end")
        first, last = start // BLOCK, max(start, start + length - 1) // BLOCK
        end = start + length - last * BLOCK  # a block is inflated as far as it is wanted
        ends = {number: BLOCK for number in range(first, last)} | {last: end}
        joined = b"".join(self._block(number, upto) for number, upto in ends.items()) if length else b""
        return joined[start - first * BLOCK :][:length]

    def pieces(self) -> Iterator[bytes]:
        """All blocks in order."""
        for number in range(len(self._ends)):
            yield self._inflated(number)

    def _block(self, number: int, upto: int) -> bytes:
        found = self._kept.pop(number, None)
        if found is None or len(found) < upto:
            found = self._inflated(number, upto)
            while len(self._kept) >= _KEPT:
                self._kept.popitem(last=False)
        self._kept[number] = found
        return found

    def _inflated(self, number: int, upto: int = BLOCK) -> bytes:
        """A block, or at least its first ``upto`` bytes."""
        start = self._ends[number - 1] if number else 0
        packed = self._archive.packed(self._member, start, self._ends[number] - start)
        last = number == len(self._ends) - 1
        expected = self._member.bytes - number * BLOCK if last else BLOCK
        whole = upto >= expected
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            plain = inflate.decompress(packed, expected + 1 if whole else upto)
        except zlib.error as error:
            raise damaged(self._member.name, f"its block {number} is damaged") from error
        ended = not whole or (inflate.eof == last and not inflate.unused_data)
        if len(plain) != min(expected, upto) or not ended:
            raise damaged(self._member.name, f"its block {number} is damaged")
        return plain


def block_ends(data: bytes, member: str, packed_bytes: int, plain_bytes: int) -> array[int]:
    """The ends of blocks as an index states them, checked against the member's two sizes."""
    ends = array("I")
    if len(data) % ends.itemsize or len(data) // ends.itemsize != max(1, -(-plain_bytes // BLOCK)):
        raise damaged(member, "its index has not one place for each of its blocks")
    ends.frombytes(data)
    if sys.byteorder == "big":
        ends.byteswap()
    if ends[-1] != packed_bytes or any(a >= b for a, b in pairwise(ends)):
        raise damaged(member, "its index places its blocks wrongly")
    return ends


def cut_at(pieces: Iterable[bytes], lengths: Iterable[int]) -> Iterator[bytes]:
    """Pieces of a stream as texts of these lengths; the last ones are short where the stream is."""
    source = iter(pieces)
    held = bytearray()
    for length in lengths:
        while len(held) < length and (piece := next(source, None)) is not None:
            held += piece
        yield bytes(held[:length])
        del held[:length]


def damaged(member: str, reason: str) -> PackInvalid:
    """The error of a member that cannot be read as it should."""
    return PackInvalid(
        f"The pack's member {member} is not usable: {reason}.", hint="Get the pack again from its maker."
    )
