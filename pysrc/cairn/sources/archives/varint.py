"""The numbers and strings of a glass database's keys and tags (FORMATS.md 2.2).

All decoders raise IndexError at the end of the data and ValueError on a number that no writer
makes; :mod:`cairn.sources.archives.guard` turns both into ArchiveInvalid.
"""

from __future__ import annotations

_WIDEST_SHIFT = 63


def decode_uint(data: bytes, at: int) -> tuple[int, int]:
    """The LEB128 number at ``at`` and the offset after it."""
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value = byte & 0x7F
    shift = 7
    while True:
        at += 1
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7
        if shift > _WIDEST_SHIFT:
            raise ValueError("number too long")


def decode_uints(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """``count`` LEB128 numbers in a row and the offset after them."""
    values = []
    for _ in range(count):
        value, at = decode_uint(data, at)
        values.append(value)
    return values, at


def encode_uint(value: int) -> bytes:
    """A number as LEB128."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_sortuint(value: int) -> bytes:
    """A number whose bytes sort as it does: 2 bytes below 0x8000, else n bytes with n - 2 ones."""
    if value < 0x8000:
        return value.to_bytes(2, "big")
    size = max(3, -(-(value.bit_length() - 1) // 7))
    if size > 8:
        return b"\xfe" + value.to_bytes(8, "big")
    ones = ((1 << (size - 2)) - 1) << (8 * size - (size - 2))
    return (ones | value).to_bytes(size, "big")


def sortuint_floor(data: bytes) -> int:
    """The least number whose encoding is not below these bytes; they may be a truncated encoding.

    B-tree separators are truncated keys: a 3-byte number cut to one byte must not decode below the
    2-byte numbers (FORMATS.md 2.8, 1).
    """
    if not data:
        return 0
    first = data[0]
    if first < 0x80:
        return int.from_bytes(data[:2].ljust(2, b"\0"), "big")
    if first == 0xFE:
        return max(1 << 57, int.from_bytes(data[1:9].ljust(8, b"\0"), "big"))
    if first == 0xFF:
        raise ValueError("no such number")
    size = 2
    while first & (0x80 >> (size - 2)):
        size += 1
    value = int.from_bytes(data[:size].ljust(size, b"\0"), "big") & ((1 << (7 * size + 1)) - 1)
    return max(value, 0x8000 if size == 3 else 1 << (7 * (size - 1) + 1))


def decode_sortuint(data: bytes, at: int) -> tuple[int, int]:
    """The order-preserving number at ``at`` and the offset after it."""
    first = data[at]
    if first < 0x80:
        return first << 8 | data[at + 1], at + 2
    if first >= 0xFE:
        size, mask = 9, (1 << 64) - 1
    else:
        size = 2
        while first & (0x80 >> (size - 2)):
            size += 1
        mask = (1 << (7 * size + 1)) - 1
    if at + size > len(data) or first == 0xFF:
        raise ValueError("number cut off")
    return int.from_bytes(data[at : at + size], "big") & mask, at + size


def escape(term: bytes) -> bytes:
    r"""A string as a key part: ``\0`` becomes ``\0\xff``. A part that is not last ends in ``\0``."""
    return term.replace(b"\0", b"\0\xff")


def unescape(key: bytes) -> tuple[bytes, bytes | None]:
    """The escaped string that opens a key, and the rest of the key (None: nothing follows)."""
    at = key.find(b"\0")
    while at >= 0 and key[at + 1 : at + 2] == b"\xff":
        at = key.find(b"\0", at + 1)
    if at < 0:
        return key.replace(b"\0\xff", b"\0"), None
    return key[:at].replace(b"\0\xff", b"\0"), key[at + 1 :]
