"""Word positions of a term in a document: binary interpolative coding (FORMATS.md 2.2)."""

from __future__ import annotations

from cairn.sources.archives.varint import decode_uint

_MOST = 1_000_000


def decode_positions(tag: bytes) -> list[int]:
    """Ascending positions; raises IndexError or ValueError for damaged tags."""
    last, at = decode_uint(tag, 0)
    if at == len(tag):
        return [last]
    bits = _Bits(tag, at)
    first = bits.read(last)
    count = bits.read(last - first) + 2
    if count > min(_MOST, last - first + 1):
        raise ValueError("more positions than there is room for")
    positions = [0] * count
    positions[0], positions[-1] = first, last
    ranges = [(0, count - 1)]
    while ranges:
        j, k = ranges.pop()
        if j + 1 >= k:
            continue
        middle = j + (k - j) // 2
        room = positions[k] - positions[j] + j - k + 1
        positions[middle] = bits.read(room) + positions[j] + (middle - j)
        ranges += [(middle, k), (j, middle)]  # the left half is decoded first
    return positions


class _Bits:
    """Bits of a tag, the lowest of each byte first."""

    def __init__(self, data: bytes, at: int) -> None:
        self._bits = int.from_bytes(data[at:], "little")
        self._left = 8 * (len(data) - at)

    def read(self, outcomes: int) -> int:
        """A truncated-binary number below ``outcomes``; the short codes are the middle values."""
        if outcomes < 1:
            raise ValueError("no outcomes")
        width = (outcomes - 1).bit_length()
        if width == 0:
            return 0
        spare = (1 << width) - outcomes
        middle = (outcomes - spare) // 2
        value = self._take(width - 1)
        if value < middle and self._take(1):
            value += middle + spare
        return value

    def _take(self, count: int) -> int:
        if count > self._left:
            raise IndexError("bits at an end")
        value = self._bits & ((1 << count) - 1)
        self._bits >>= count
        self._left -= count
        return value
