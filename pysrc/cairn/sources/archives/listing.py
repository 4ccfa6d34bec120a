"""Titles in order: which list an archive has, and looking up titles by their beginning."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

from cairn.sources.archives.container import Archive
from cairn.sources.archives.dirent import Dirent
from cairn.sources.archives.guard import damaged
from cairn.sources.archives.reader import ByteReader, CachedReader

_V1 = "listing/titleOrdered/v1"


class TitleListing:
    """Entry numbers sorted by title bytes.

    The list of front articles (v1) where there is one that can be read in place, else the header's
    list of all titles narrowed to the articles' namespace, else nothing.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._reader: ByteReader = CachedReader(archive.reader, 1_048_576)
        self._namespace = "C" if archive.header.new_namespaces else "A"
        self._offset, self._first, self._end = self._choose()

    def __len__(self) -> int:
        return self._end - self._first

    def entry(self, position: int) -> Dirent:
        """The entry at a position of the list."""
        if not 0 <= position < len(self):
            raise damaged(f"there is no title {position}")
        return self._at(self._first + position)

    def starting_with(self, prefix: str, limit: int) -> list[Dirent]:
        """Entries whose title begins with exactly these bytes, in title order, redirects too."""
        wanted = prefix.encode("utf-8", "surrogateescape")
        low = self._bisect(lambda entry: entry.title_key[1] < wanted, self._first, self._end)
        found: list[Dirent] = []
        while low < self._end and len(found) < limit:
            entry = self._at(low)
            if not entry.title_key[1].startswith(wanted):
                break
            found.append(entry)
            low += 1
        return found

    def __iter__(self) -> Iterator[Dirent]:
        return (self.entry(position) for position in range(len(self)))

    def _at(self, position: int) -> Dirent:
        data = self._reader.read(self._offset + 4 * position, 4)
        return self._archive.entry(int.from_bytes(data, "little"))

    def _choose(self) -> tuple[int, int, int]:
        """(offset of the list, first position, end position)."""
        header = self._archive.header
        v1 = self._archive.lookup("X", _V1) if header.new_namespaces else None
        place = self._archive.place(v1) if v1 else None
        if place is not None:
            if place.length % 4:
                raise damaged("its list of titles has a broken length")
            return place.offset, 0, place.length // 4
        if not header.has_title_pointers:
            return 0, 0, 0
        self._offset = header.title_pointers
        space = self._namespace.encode()
        first = self._bisect(lambda entry: entry.title_key[0] < space, 0, header.entries)
        end = self._bisect(lambda entry: entry.title_key[0] <= space, first, header.entries)
        return header.title_pointers, first, end

    def _bisect(self, before: Callable[[Dirent], bool], low: int, high: int) -> int:
        while low < high:
            middle = (low + high) // 2
            if before(self._at(middle)):
                low = middle + 1
            else:
                high = middle
        return low


def random_entry(archive: Archive, listing: TitleListing) -> Dirent | None:
    """Some article, its redirects followed; None for an archive without any.

    ``secrets`` and not ``random``: a start from a memory snapshot repeats the latter's numbers.
    """
    if len(listing):
        return archive.resolve(listing.entry(secrets.randbelow(len(listing))))
    space = "C" if archive.header.new_namespaces else "A"
    for _ in range(32 if len(archive) else 0):
        entry = archive.entry(secrets.randbelow(len(archive)))
        if entry.namespace == space and entry.is_content:
            return entry
    return None
