"""Whether every byte of a compact pack that no hash covers is the one our writer puts there.

Headers, padding and the directory follow from the members' names, sizes and checksums, so they are
written again and compared: nothing can be hidden or changed in between.
"""

from __future__ import annotations

import io

from cairn.sources.packs import zipformat as z
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.zipwriter import ZipWriter


class _Comparing(io.RawIOBase):
    """A file that compares what is written with what an archive has at that place."""

    def __init__(self, archive: PackArchive) -> None:
        self._archive = archive
        self._position = 0
        self.same = True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = offset + (self._position if whence == 1 else 0)
        return self._position

    def write(self, data: object) -> int:
        assert isinstance(data, bytes)
        self.same = self.same and self._archive.at(self._position, len(data)) == data
        self._position += len(data)
        return len(data)


def is_canonical(archive: PackArchive) -> bool:
    """Whether the ZIP is exactly what :class:`ZipWriter` makes of its members."""
    file = _Comparing(archive)
    writer = ZipWriter(file)  # type: ignore[arg-type]
    try:
        for member in archive.members.values():
            method = z.STORED if member.stored else z.DEFLATED
            aligned = member.name.startswith("indexes/")
            writer.add_placed(
                member.name, method, member.crc, member.packed_bytes, member.bytes, align=aligned
            )
        return writer.finish() == archive.bytes and file.same
    except ValueError:
        return False
