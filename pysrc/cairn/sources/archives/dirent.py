"""Directory entries: what an archive says of each of its items (FORMATS.md 2.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cairn.sources.archives.guard import damaged, guarded
from cairn.sources.archives.reader import ByteReader

NO_REDIRECT = -1
_REDIRECT, _LINK_TARGET, _DELETED = 0xFFFF, 0xFFFE, 0xFFFD
_FIRST_READ = 256
_MOST = 131_072  # bytes of path and title together


@dataclass(frozen=True, slots=True)
class Dirent:
    """An entry: content (a blob of a cluster) or a redirect to another entry.

    ``path`` is without the namespace. ``title`` is the path where the archive leaves it empty.
    """

    index: int
    namespace: str
    path: str
    title: str
    mime: int  # into the archive's list; above it for redirects and obsolete kinds
    cluster: int
    blob: int
    target: int  # entry index, NO_REDIRECT for content

    @property
    def is_redirect(self) -> bool:
        """Whether it only points to another entry."""
        return self.target != NO_REDIRECT

    @property
    def is_content(self) -> bool:
        """Whether it has bytes; False for redirects and the obsolete link targets and deletions."""
        return self.mime < _DELETED

    @property
    def full_path(self) -> str:
        """Namespace and path, as indexes and citations name it: ``C/Ray_Charles``."""
        return f"{self.namespace}/{self.path}"

    @property
    def key(self) -> tuple[bytes, bytes]:
        """What the path list is sorted by."""
        return self.namespace.encode("latin-1"), self.path.encode("utf-8", "surrogateescape")

    @property
    def title_key(self) -> tuple[bytes, bytes]:
        """What title lists are sorted by."""
        return self.namespace.encode("latin-1"), self.title.encode("utf-8", "surrogateescape")


def read_dirent(reader: ByteReader, offset: int, index: int) -> Dirent:
    """The entry at a file offset; raises ArchiveInvalid."""
    with guarded(f"entry {index}"):
        data = reader.read(offset, min(_FIRST_READ, reader.size - offset))
        mime, _, namespace, _ = struct.unpack_from("<HBcI", data)
        cluster = blob = 0
        target = NO_REDIRECT
        at = 8
        if mime == _REDIRECT:
            (target,) = struct.unpack_from("<I", data, at)
            at = 12
        elif mime not in (_LINK_TARGET, _DELETED):
            cluster, blob = struct.unpack_from("<II", data, at)
            at = 16
        end = _terminated(data, at)
        while end < 0:
            if len(data) >= _MOST or offset + len(data) >= reader.size:
                raise damaged(f"entry {index} has no end")
            data = reader.read(offset, min(4 * len(data), reader.size - offset))
            end = _terminated(data, at)
        path, _, title = data[at:end].partition(b"\0")
        return Dirent(
            index,
            namespace.decode("latin-1"),
            path.decode("utf-8", "surrogateescape"),
            (title or path).decode("utf-8", "surrogateescape"),
            mime,
            cluster,
            blob,
            target,
        )


def _terminated(data: bytes, at: int) -> int:
    """Where the title ends, -1 when it does not within the data."""
    end = data.find(b"\0", at)
    return data.find(b"\0", end + 1) if end >= 0 else -1
