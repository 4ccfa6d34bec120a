"""Full-text search of an archive by its own Xapian index, in libzim's order."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.errors import CairnError
from cairn.sources.archives.container import Archive
from cairn.sources.archives.glass import Glass
from cairn.sources.archives.guard import guarded
from cairn.sources.archives.metadata import metadata
from cairn.sources.archives.normalising import normalise
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.query import index_terms, tokenise, without_stop_words
from cairn.sources.archives.ranking import Ranked, Ranker
from cairn.sources.archives.reader import SliceReader
from cairn.sources.archives.stemming import Stem, stemmer

MOST_TERMS = 64
"""Terms of a query that are looked at: a pasted page must not hold the worker for minutes."""

COMMON = 0.2
"""Part of all documents above which a word of a natural question tells nothing."""


@dataclass(frozen=True, slots=True)
class Found:
    """An article: its full path and score, higher is better."""

    path: str
    score: float


@dataclass(frozen=True, slots=True)
class Results:
    """The best articles, best first, and how many there are (-1: not counted)."""

    found: list[Found]
    total: int


def open_index(archive: Archive, name: str) -> Glass | None:
    """The database ``X/<name>/xapian`` where it lies; None when absent or not readable in place.

    Raises ArchiveUnsupported for an old kind of database, ArchiveInvalid for a damaged one.
    """
    tries = [("X", f"{name}/xapian")]
    if name == "fulltext":
        tries.append(("Z", "/fulltextIndex/xapian"))
    for namespace, path in tries:
        entry = archive.lookup(namespace, path)
        place = archive.place(entry) if entry is not None else None
        if place is not None and place.length:
            return Glass(SliceReader(archive.reader, place.offset, place.length))
    return None


class FullText:
    """The full-text index of an archive."""

    def __init__(self, glass: Glass, language: str) -> None:
        """``language`` is used when the index names none."""
        self._glass = glass
        self.language = glass.metadata("language").decode("utf-8", "replace") or language
        self.documents = glass.statistics.documents
        self._stem = stemmer(self.language)
        self._stop_words = frozenset(glass.metadata("stopwords").decode("utf-8", "replace").split("\n"))
        self.postings = PostingReader(glass)
        self._ranker = Ranker(self.postings, glass.statistics)

    def terms(self, query: str, stem: Stem | None = None) -> list[bytes]:
        """What a query is looked up as: stems and CJK n-grams, repeats kept."""
        tokens = without_stop_words(tokenise(normalise(query)), self._stop_words)
        terms = index_terms(tokens, stem or self._stem, self._exists)
        return [term.encode("utf-8", "surrogatepass") for term in terms]

    def search(self, query: str, limit: int) -> Results:
        """Articles with all the words of a query, as libzim finds and orders them."""
        with guarded("its full-text index"):
            return self._results(self._ranker.all_of(self.terms(query), limit))

    def search_any(self, query: str, limit: int, *, common: float = COMMON) -> Results:
        """Articles with any of the words that are not in more than ``common`` of all articles.

        For questions in natural language, of which rarely any article has every word.
        """
        with guarded("its full-text index"):
            terms = self.terms(query, self._known_form)[:MOST_TERMS]
            return self._results(self._ranker.any_of(terms, limit, common=common))

    def frequency(self, word: str) -> int:
        """How many articles have a word (or all n-grams of a CJK run: the rarest counts)."""
        lists = [self.postings.find(term) for term in self.terms(word)]
        return min((found.documents if found else 0 for found in lists), default=0)

    def _known_form(self, word: str) -> str:
        """A word's stem, or the word itself where only that is in the index.

        An index made with another revision of the stemmer has other stems for some words; libzim
        finds nothing for them.
        """
        stem = self._stem(word)
        return word if stem != word and not self._exists(stem) and self._exists(word) else stem

    def _exists(self, term: str) -> bool:
        return self.postings.find(term.encode("utf-8", "surrogatepass")) is not None

    def _results(self, ranked: Ranked) -> Results:
        found = [Found(self._glass.data(d).decode("utf-8", "surrogateescape"), s) for s, d in ranked.best]
        return Results(found, ranked.total)


def open_full_text(archive: Archive) -> tuple[FullText | None, CairnError | None]:
    """The full-text index, or why there is none (None: the archive simply has none)."""
    try:
        glass = open_index(archive, "fulltext")
        return (FullText(glass, metadata(archive, "Language")), None) if glass else (None, None)
    except CairnError as error:
        return None, error
