"""The 80 bytes a ZIM archive begins with, and its list of MIME types."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cairn.errors import ArchiveInvalid, ArchiveUnsupported
from cairn.sources.archives.guard import DAMAGED_HINT, damaged, guarded
from cairn.sources.archives.reader import ByteReader

SIZE = 80
ABSENT64 = 0xFFFF_FFFF_FFFF_FFFF
ABSENT32 = 0xFFFF_FFFF
_LAYOUT = struct.Struct("<IHH16sIIQQQQIIQ")
_MAGIC = 72173914
_MAJORS = (5, 6)
_MD5_BYTES = 16
_MIME_LIST_MOST = 65_536


@dataclass(frozen=True, slots=True)
class Header:
    """The header's fields; offsets are absolute, in bytes."""

    major: int
    minor: int
    uuid: bytes
    entries: int
    clusters: int
    path_pointers: int
    title_pointers: int  # ABSENT64 when there is no such list
    cluster_pointers: int
    mime_list: int
    main_page: int  # entry index, ABSENT32 when there is none
    checksum: int

    @property
    def new_namespaces(self) -> bool:
        """Whether all content is in ``C`` (since minor version 1)."""
        return self.minor >= 1

    @property
    def has_title_pointers(self) -> bool:
        return self.title_pointers != ABSENT64


def read_header(reader: ByteReader) -> Header:
    """Read and check the header; raises ArchiveInvalid, or ArchiveUnsupported for other versions."""
    if reader.size < SIZE:
        raise ArchiveInvalid("This file is too small to be a ZIM archive.", hint=DAMAGED_HINT)
    magic, major, minor, uuid, entries, clusters, paths, titles, pointers, mimes, main, _, md5 = (
        _LAYOUT.unpack(reader.read(0, SIZE))
    )
    if magic != _MAGIC:
        raise ArchiveInvalid(
            "This file is not a ZIM archive.",
            hint="Choose a file that ends in .zim, or all parts of a split one (.zimaa, .zimab …).",
        )
    if major not in _MAJORS:
        raise ArchiveUnsupported(
            f"The archive has version {major}.{minor} of the ZIM format; 5 and 6 can be read.",
            hint="Look for a newer edition of it.",
        )
    header = Header(major, minor, uuid, entries, clusters, paths, titles, pointers, mimes, main, md5)
    _check(header, reader.size)
    return header


def _check(header: Header, size: int) -> None:
    if header.checksum + _MD5_BYTES != size:
        missing = header.checksum + _MD5_BYTES - size
        raise damaged(
            f"{missing} bytes are missing at its end" if 0 < missing < 1 << 50 else "its size is wrong"
        )
    lists = [
        ("list of entries", header.path_pointers, 8 * header.entries),
        ("list of clusters", header.cluster_pointers, 8 * header.clusters),
    ]
    if header.has_title_pointers:
        lists.append(("list of titles", header.title_pointers, 4 * header.entries))
    for name, offset, length in lists:
        if offset < SIZE - 8 or offset + length > header.checksum:
            raise damaged(f"its {name} lies outside the file")
    if not SIZE - 8 <= header.mime_list <= SIZE:
        raise damaged("its list of media types is not after the header")


def read_mime_types(reader: ByteReader, header: Header) -> tuple[str, ...]:
    """The MIME types entries refer to by number."""
    with guarded("the list of media types"):
        limits = [p for p in (header.path_pointers, header.cluster_pointers) if p > header.mime_list]
        most = min([header.checksum, header.mime_list + _MIME_LIST_MOST, *limits]) - header.mime_list
        data = reader.read(header.mime_list, most)
        if data[:1] == b"\0":
            return ()
        end = data.find(b"\0\0")
        if end < 0:
            raise damaged("its list of media types has no end")
        return tuple(part.decode("utf-8") for part in data[:end].split(b"\0"))
