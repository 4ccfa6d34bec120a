"""Reads a pack's ZIP without trusting it.

A small reader of its own instead of :mod:`zipfile`, which tolerates what an attacker may use:
duplicates, names cut at NUL, bytes before and after, overlapping members. Here the central
directory must end where the end record starts, members must lie apart and in front of it, and both
headers of a member must agree. Refusals are PackInvalid and name the member.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cairn.errors import PackInvalid
from cairn.sources.packs import zipformat as z

CHUNK = 1 << 20
MOST_MEMBERS = 20_010
MOST_DIRECTORY_BYTES = 32 << 20
MOST_TOTAL_BYTES = 8 << 30
MOST_RATIO = 200  # deflate of text or an index reaches about 10
_RATIO_FREE_BYTES = 1 << 20
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the ZIP; its data are ``packed_bytes`` from ``offset`` on."""

    name: str
    offset: int
    packed_bytes: int
    bytes: int
    crc: int
    stored: bool


class PackArchive:
    """An opened ZIP: its checked members, and their contents on demand."""

    def __init__(self, path: str | Path, file: BinaryIO | None = None) -> None:
        """Open and check the structure; raises PackInvalid. ``file``: the bytes, where no path has them."""
        self.path = str(path)
        self._file: BinaryIO = file or Path(path).open("rb")  # noqa: SIM115 - closed by close()
        try:
            self.bytes = self._file.seek(0, 2)
            self.members = _read_members(self._file, self.bytes)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def member(self, name: str) -> Member:
        """A member by name; raises PackInvalid when it is missing."""
        try:
            return self.members[name]
        except KeyError:
            raise _invalid(name, "it is missing") from None

    def read(self, name: str, most: int) -> bytes:
        """The whole content of a member of at most ``most`` bytes, checked against its CRC."""
        if self.member(name).bytes > most:
            raise _invalid(name, f"it is larger than {most} bytes")
        return b"".join(self.stream(name))

    def stream(self, name: str) -> Iterator[bytes]:
        """The content of a member in pieces of about 1 MiB; raises PackInvalid when it is damaged."""
        member = self.member(name)
        crc = done = 0
        for piece in self._pieces(member):
            done += len(piece)
            if done > member.bytes:
                raise _invalid(name, "it is longer than it says")
            crc = zlib.crc32(piece, crc)
            yield piece
        if done != member.bytes or crc != member.crc:
            raise _invalid(name, "its content is damaged")

    def packed(self, member: Member, start: int, length: int) -> bytes:
        """Bytes of a member as they lie in the file; fewer where it ends."""
        return self.at(member.offset + start, min(length, member.packed_bytes - start))

    def raw(self, name: str) -> Iterator[bytes]:
        """The bytes of a member as they lie in the file, in pieces of 1 MiB."""
        member = self.member(name)
        for start in range(0, member.packed_bytes, CHUNK):
            yield self.packed(member, start, CHUNK)

    def at(self, offset: int, length: int) -> bytes:
        """Bytes of the file itself, fewer where it ends."""
        self._file.seek(offset)
        return self._file.read(length)

    def _pieces(self, member: Member) -> Iterator[bytes]:
        inflate = None if member.stored else zlib.decompressobj(-zlib.MAX_WBITS)
        position, left = member.offset, member.packed_bytes
        while left:
            self._file.seek(position)
            packed = self._file.read(min(CHUNK, left))
            if not packed:
                return
            position += len(packed)
            left -= len(packed)
            if inflate is None:
                yield packed
                continue
            try:
                # max_length: a bomb is met piece by piece and stopped by its declared size
                while packed and not inflate.eof:
                    yield inflate.decompress(packed, CHUNK)
                    packed = inflate.unconsumed_tail
            except zlib.error as error:
                raise _invalid(member.name, "its content is damaged") from error
        if inflate is not None:
            yield inflate.flush()
            if not inflate.eof or inflate.unused_data:
                raise _invalid(member.name, "its content is damaged")


def _read_members(file: BinaryIO, size: int) -> dict[str, Member]:
    start, directory = _central_directory(file, size)
    members: dict[str, Member] = {}
    folded: dict[str, str] = {}
    local_starts: list[tuple[int, int, str]] = []
    position = total = 0
    while position < len(directory):
        if len(members) >= MOST_MEMBERS:
            raise _invalid("", f"it has more than {MOST_MEMBERS} members")
        entry = directory[position : position + z.CENTRAL.size]
        if len(entry) < z.CENTRAL.size or entry[:4] != z.CENTRAL_MAGIC:
            raise _invalid("", "its directory is damaged")
        (_, made_by, _, flags, method, _, _, crc, packed, plain, name_len, extra_len, comment_len,
         _, _, attributes, local) = z.CENTRAL.unpack(entry)  # fmt: skip
        raw = directory[position + z.CENTRAL.size : position + z.CENTRAL.size + name_len]
        position += z.CENTRAL.size + name_len + extra_len + comment_len
        name = _checked_name(raw, flags)
        _check_entry(name, made_by, flags, method, packed, plain, attributes)
        other = folded.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if name in members:
            raise _invalid(name, "it is there twice")
        if other != name:
            raise _invalid(name, f"its name differs from {other} only in capitals")
        total += plain
        offset = _data_offset(file, local, start, raw, method, name)
        if offset + packed > start:
            raise _invalid(name, "it reaches into the directory")
        local_starts.append((local, offset + packed, name))
        members[name] = Member(name, offset, packed, plain, crc, method == z.STORED)
    if total > MOST_TOTAL_BYTES:
        raise _invalid("", "its members are larger than 8 GiB together")
    _check_apart(local_starts)
    return members


def _central_directory(file: BinaryIO, size: int) -> tuple[int, bytes]:
    """Where the central directory starts, and its bytes."""
    tail_start = max(0, size - z.LONGEST_COMMENT - z.END.size)
    file.seek(tail_start)
    tail = file.read()
    found = tail.rfind(z.END_MAGIC)
    if found < 0 or len(tail) - found < z.END.size:
        raise _invalid("", "it is not a whole ZIP file")
    end = tail_start + found
    _, disk, first, here, count, length, start, comment = z.END.unpack_from(tail, found)
    if z.EOCD_FIELDS_64 in (length, start) or count == 0xFFFF:
        raise _invalid("", "it is a ZIP64 file, which packs are not")
    if disk or first or here != count:
        raise _invalid("", "it is one part of several")
    if start + length != end or end + z.END.size + comment != size:
        raise _invalid("", "there are bytes where none belong")
    if length > MOST_DIRECTORY_BYTES:
        raise _invalid("", "its directory is too large")
    file.seek(start)
    return start, file.read(length)


def _checked_name(raw: bytes, flags: int) -> str:
    shown = raw.decode("utf-8", "replace")[:80]
    try:
        name = raw.decode("utf-8" if flags & z.UTF8_NAME else "ascii")
    except UnicodeDecodeError as error:
        raise _invalid(shown, "its name is not UTF-8") from error
    parts = name.split("/")
    if not name or len(raw) > _LONGEST_NAME:
        raise _invalid(shown, "its name is empty or too long")
    if "\\" in name or any(ord(char) < 32 or char == "\x7f" for char in name):
        raise _invalid(shown, "its name has a backslash or a control character")
    if ":" in parts[0] or name.startswith("/"):
        raise _invalid(shown, "its name is absolute")
    if any(part in ("", ".", "..") for part in parts):
        raise _invalid(shown, "its name leaves its folder or is one")
    return name


def _check_entry(
    name: str, made_by: int, flags: int, method: int, packed: int, plain: int, attributes: int
) -> None:
    if flags & z.ENCRYPTED:
        raise _invalid(name, "it is encrypted")
    if method not in (z.STORED, z.DEFLATED):
        raise _invalid(name, f"its compression {method} is not known")
    if made_by >> 8 == z.UNIX and (attributes >> 16) & z.FILE_TYPE == z.SYMLINK:
        raise _invalid(name, "it is a symbolic link")
    if z.EOCD_FIELDS_64 in (packed, plain):
        raise _invalid(name, "it is larger than 4 GiB")
    if method == z.STORED and packed != plain:
        raise _invalid(name, "its two sizes differ")
    if plain > _RATIO_FREE_BYTES and plain > packed * MOST_RATIO:
        raise _invalid(name, "it expands too much to be real")


def _data_offset(file: BinaryIO, local: int, directory: int, raw: bytes, method: int, name: str) -> int:
    """Where a member's data start: its local header says how long its name and extra fields are."""
    if local + z.LOCAL.size > directory:
        raise _invalid(name, "it lies outside the file")
    file.seek(local)
    header = file.read(z.LOCAL.size + len(raw))
    magic, _, _, local_method, _, _, _, _, _, name_len, extra_len = z.LOCAL.unpack_from(header)
    if magic != z.LOCAL_MAGIC or header[z.LOCAL.size :] != raw or name_len != len(raw):
        raise _invalid(name, "its two headers differ")
    if local_method != method:
        raise _invalid(name, "its two headers differ")
    return local + z.LOCAL.size + int(name_len) + int(extra_len)


def _check_apart(spans: list[tuple[int, int, str]]) -> None:
    position = 0
    for start, end, name in sorted(spans):
        if start < position:
            raise _invalid(name, "it overlaps another member")
        position = end


def _invalid(member: str, reason: str) -> PackInvalid:
    what = f"The pack's member {member}" if member else "The pack"
    return PackInvalid(
        f"{what} is not usable: {reason}.", hint="Get the pack again; this file is not safe to open."
    )
