"""A ZIM archive: entries by path, redirects followed, bytes of entries.

Everything is read when it is asked for; opening reads the header, the MIME types and the two
outermost entries.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from cairn.errors import ArchiveInvalid, DocumentNotFound
from cairn.sources.archives.cluster import Clusters, Place
from cairn.sources.archives.dirent import Dirent, read_dirent
from cairn.sources.archives.guard import damaged
from cairn.sources.archives.header import ABSENT32, Header, read_header, read_mime_types
from cairn.sources.archives.reader import ByteReader, CachedReader

MAX_HOPS = 50
CLUSTER_CACHE = 16 * 1_048_576
_KNOWN_ENTRIES = 4096
_OLD_NAMESPACES = "AIJ-"


class Archive:
    """An open archive. Raises ArchiveInvalid or ArchiveUnsupported, also later, when damaged."""

    def __init__(self, reader: ByteReader, *, cluster_cache: int = CLUSTER_CACHE) -> None:
        self.reader = reader
        self._cached = CachedReader(reader)
        self.header: Header = read_header(reader)
        self.mime_types = read_mime_types(self._cached, self.header)
        self._clusters = Clusters(
            self._cached, self.header.cluster_pointers, self.header.clusters, cluster_cache
        )
        self._known: OrderedDict[int, Dirent] = OrderedDict()
        self._check_edges()

    @property
    def uuid(self) -> str:
        """32 hex digits that no other edition has."""
        return self.header.uuid.hex()

    def __len__(self) -> int:
        """How many entries there are, of all namespaces, redirects included."""
        return self.header.entries

    def __iter__(self) -> Iterator[Dirent]:
        """All entries by namespace and path."""
        return (self.entry(index) for index in range(len(self)))

    def entry(self, index: int) -> Dirent:
        """The entry with this number in path order."""
        known = self._known.get(index)
        if known is not None:
            self._known.move_to_end(index)
            return known
        if not 0 <= index < self.header.entries:
            raise damaged(f"there is no entry {index}")
        pointer = self._cached.read(self.header.path_pointers + 8 * index, 8)
        dirent = read_dirent(self._cached, int.from_bytes(pointer, "little"), index)
        self._known[index] = dirent
        if len(self._known) > _KNOWN_ENTRIES:
            self._known.popitem(last=False)
        return dirent

    def lookup(self, namespace: str, path: str) -> Dirent | None:
        """The entry with exactly this namespace and path."""
        key = namespace.encode("latin-1", "replace"), path.encode("utf-8", "surrogateescape")
        low, high = 0, self.header.entries
        while low < high:
            middle = (low + high) // 2
            if self.entry(middle).key < key:
                low = middle + 1
            else:
                high = middle
        if low < self.header.entries:
            found = self.entry(low)
            if found.key == key:
                return found
        return None

    def find(self, path: str) -> Dirent | None:
        """The entry a link or a person means by a path, with or without its namespace.

        As libzim does: ``C/path`` first, then the namespace in the path, then ``C`` without it; in
        the old scheme the namespace in the path, then A, I, J and -.
        """
        path = path.removeprefix("/")
        prefixed = len(path) > 1 and path[1] == "/" and path[0].isascii()
        if self.header.new_namespaces:
            tries = [("C", path)]
            if prefixed:
                tries += [(path[0], path[2:]), ("C", path[2:])]
        else:
            tries = [(path[0], path[2:])] if prefixed else []
            tries += [(namespace, path) for namespace in _OLD_NAMESPACES]
        return next((found for pair in tries if (found := self.lookup(*pair)) is not None), None)

    def resolve(self, dirent: Dirent) -> Dirent:
        """The content a redirect ends at; raises ArchiveInvalid for loops and dead ends."""
        seen = {dirent.index}
        while dirent.is_redirect:
            if dirent.target in seen or len(seen) > MAX_HOPS:
                raise ArchiveInvalid(
                    f"The redirect “{dirent.title}” leads nowhere: it goes round in a circle.",
                    hint="Open another article; the archive was made with this fault.",
                )
            seen.add(dirent.target)
            dirent = self.entry(dirent.target)
        return dirent

    def read(self, dirent: Dirent) -> bytes:
        """The bytes of an entry, redirects followed."""
        content = self._content(dirent)
        return self._clusters.blob(content.cluster, content.blob)

    def length(self, dirent: Dirent) -> int:
        """How many bytes :meth:`read` gives."""
        content = self._content(dirent)
        return self._clusters.length(content.cluster, content.blob)

    def place(self, dirent: Dirent) -> Place | None:
        """Where an entry's bytes lie in the file; None when they are compressed."""
        content = self._content(dirent)
        return self._clusters.place(content.cluster, content.blob)

    def mime_type(self, dirent: Dirent) -> str:
        """The MIME type of an entry, redirects followed."""
        content = self._content(dirent)
        if content.mime >= len(self.mime_types):
            raise damaged(f"entry {content.index} has no media type")
        return self.mime_types[content.mime]

    def main_page(self) -> Dirent | None:
        """The page an archive opens with; None when it names none."""
        if self.header.main_page != ABSENT32:
            return self.entry(self.header.main_page)
        return self.lookup("W", "mainPage") if self.header.new_namespaces else None

    def required(self, path: str) -> Dirent:
        """:meth:`find`, or DocumentNotFound."""
        found = self.find(path)
        if found is None:
            raise DocumentNotFound(
                f"The archive has no page “{path[:80]}”.",
                hint="This edition may have left it out. Search for its title.",
            )
        return found

    def pointer_of_cluster(self, number: int) -> int:
        """Where a cluster begins in the file."""
        return self._clusters.pointer(number)

    def _content(self, dirent: Dirent) -> Dirent:
        content = self.resolve(dirent)
        if not content.is_content:
            raise DocumentNotFound(
                f"“{content.title}” was deleted from the archive.", hint="Search for its title."
            )
        return content

    def _check_edges(self) -> None:
        """A truncated or shifted file mostly shows here, before anything is searched."""
        if self.header.entries:
            first, last = self.entry(0), self.entry(self.header.entries - 1)
            if first.key > last.key:
                raise damaged("its list of entries is not sorted")
        if self.header.clusters:
            for number in (0, self.header.clusters - 1):
                if not 0 < self._clusters.pointer(number) < self.header.checksum:
                    raise damaged(f"cluster {number} lies outside the file")
