"""Finding articles by title: the title index where there is one, else titles in order."""

from __future__ import annotations

from cairn.errors import CairnError
from cairn.passages.words import words
from cairn.sources.archives.container import Archive
from cairn.sources.archives.fulltext import Found, open_index
from cairn.sources.archives.listing import TitleListing
from cairn.sources.archives.metadata import metadata
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.suggest import TitleIndex

MANY_TITLES = 300_000
"""Titles from which suggestions are too slow for every key."""


class Titles:
    """Suggestions and prefix search over the titles of an archive."""

    def __init__(self, archive: Archive) -> None:
        self.listing = TitleListing(archive)
        self.problem: CairnError | None = None  # why there is no index although there should be
        self._index: TitleIndex | None = None
        try:
            glass = open_index(archive, "title")
            self._index = TitleIndex(glass, metadata(archive, "Language")) if glass else None
        except CairnError as error:
            self.problem = error

    @property
    def postings(self) -> PostingReader | None:
        """The posting lists of the title index, None without one."""
        return self._index.postings if self._index else None

    def suggest(self, text: str, limit: int) -> list[Found]:
        """What libzim suggests, best first: by the index, else titles that begin with the text.

        Costs up to 0.2 s on large archives: while somebody types, :meth:`starting_with` is for
        every key and this for a pause.
        """
        if self._index is not None:
            found = self._index.suggest(text, limit)
            if found is not None:
                return found
        return self.starting_with(text, limit)

    def named_in(self, question: str, aside: frozenset[str], limit: int) -> list[Found]:
        """Articles whose whole title is in a question, the words ``aside`` not counted.

        Redirects are titles too, which the full-text index does not have.
        """
        if self._index is None:
            return []
        asked = set(self._index.stems(question))
        named = []
        for found, title in self._index.having_any(question, 4 * limit):
            wanted = self._index.stems(" ".join(w for w in words(title) if w not in aside))
            if wanted and asked.issuperset(wanted):
                named.append((-len(wanted), found))
        named.sort(key=lambda pair: pair[0])
        return [found for _, found in named[:limit]]

    def starting_with(self, text: str, limit: int) -> list[Found]:
        """Titles that begin with exactly this text, in title order."""
        return [Found(entry.full_path, 0.0) for entry in self.listing.starting_with(text, limit)]

    def while_typing(self, text: str, limit: int) -> list[Found]:
        """For every key: in a large archive the titles that begin with the text, if there are enough.

        There suggestions cost up to a second, looking up a beginning some 25 entries.
        """
        if len(self.listing) > MANY_TITLES:
            found = self._beginning(text, limit)
            if len(found) >= limit // 2:
                return found
        return self.search(text, limit)

    def search(self, text: str, limit: int) -> list[Found]:
        """Suggestions, and failing them titles that begin with the text in some usual case."""
        return self.suggest(text, limit) or self._beginning(text, limit)

    def _beginning(self, text: str, limit: int) -> list[Found]:
        variants = dict.fromkeys((text, text[:1].upper() + text[1:], text.lower(), text.title()))
        seen: dict[str, Found] = {}
        for variant in variants:
            seen.update((hit.path, hit) for hit in self.starting_with(variant, limit))
        return list(seen.values())[:limit]
