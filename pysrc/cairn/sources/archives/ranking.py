"""Ranking documents of one database for given terms: all of them, or any, by BM25.

*All* is what libzim does. *Any* gives the exact top k of the OR without decoding the lists of
common words: lists are taken by how much they can add, rare words first; when what is left cannot
lift a new document into the top k, the rest is only looked up for the documents still in the race.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cairn.sources.archives.bm25 import FULL_TEXT, Scheme
from cairn.sources.archives.glass import Statistics
from cairn.sources.archives.kernel import Kernel, Matches, Postings, Vector, choose_kernel
from cairn.sources.archives.postings import List, PostingReader


class Ranked(NamedTuple):
    """The best (score, docid), best first, and how many documents matched (-1: not counted)."""

    best: list[tuple[float, int]]
    total: int


class _Term(NamedTuple):
    found: List
    weight: float
    times: int  # how often it is in the query
    bound: float


_CHUNK = 900
"""Postings in a chunk, about: what finding one document in a list costs."""


class _Race(NamedTuple):
    """Documents that may still win, column by column."""

    docids: Vector
    norms: Vector
    scores: Vector


NOTHING = Ranked([], 0)


class Ranker:
    """Ranks documents of one database."""

    def __init__(self, postings: PostingReader, statistics: Statistics, scheme: Scheme = FULL_TEXT) -> None:
        self._postings = postings
        self._statistics = statistics
        self._scheme = scheme

    def all_of(self, terms: Sequence[bytes], limit: int, *, kernel: Kernel | None = None) -> Ranked:
        """Documents with every term. A repeated term counts each time."""
        known = self._terms(terms)
        if not known or len(known) < len(set(terms)):
            return NOTHING
        rarest = known[0].found.documents
        most = rarest * _CHUNK  # postings that are decoded of another list to look the rarest up
        kernel = kernel or choose_kernel(sum(min(most, term.found.documents) for term in known))
        docids, counts = self._postings.all(known[0].found, kernel)
        columns = [counts]
        for term in known[1:]:
            matches = self._postings.matches(term.found, docids, kernel)
            docids = kernel.take(docids, matches.positions)
            columns = [kernel.take(column, matches.positions) for column in columns]
            columns.append(matches.counts)
            if not len(docids):
                return NOTHING
        norms = self._norms(docids, kernel)
        scores = kernel.zeros(docids)
        for term, column in zip(known, columns, strict=True):
            for _ in range(term.times):
                scores = self._add(kernel, scores, None, column, norms, term.weight)
        return Ranked(kernel.best(scores, docids, limit), len(docids))

    def any_of(
        self, terms: Sequence[bytes], limit: int, *, common: float = 1.0, kernel: Kernel | None = None
    ) -> Ranked:
        """Documents with at least one term; terms in more than ``common`` of all are left out.

        (Unless all of them are that common.) The order and the scores are those of the whole OR.
        """
        known = self._terms(terms)
        rare = [t for t in known if t.found.documents <= common * self._statistics.documents]
        known = rare or known
        if not known or limit < 1:
            return NOTHING
        known.sort(key=lambda term: (-term.bound, term.found.documents))
        kernel = kernel or choose_kernel(sum(term.found.documents for term in known))
        left = [sum(t.bound for t in known[i:]) for i in range(len(known) + 1)]
        race, used = self._gather(known, left, limit, kernel)
        for position in range(used, len(known)):
            keep = kernel.at_least(race.scores, kernel.kth(race.scores, limit) - left[position])
            race = _Race(*(kernel.take(column, keep) for column in race))
            term = known[position]
            race = self._scored(race, term, self._postings.matches(term.found, race.docids, kernel), kernel)
        docids, _, scores = race
        # Scores are added up again in the order of libzim, so that equal documents are equal.
        keep = kernel.at_least(scores, kernel.kth(scores, limit) * (1 - 1e-9))
        docids = kernel.take(docids, keep)
        known.sort(key=lambda term: term.found.documents)
        return Ranked(kernel.best(self._scores(docids, known, kernel), docids, limit), -1)

    def _gather(self, known: list[_Term], left: list[float], limit: int, kernel: Kernel) -> tuple[_Race, int]:
        """Documents of whole lists, until the lists left cannot bring another into the top."""
        nothing = kernel.vector(())
        race = _Race(nothing, kernel.zeros(nothing), kernel.zeros(nothing))
        for used, term in enumerate(known):
            if len(race.docids) >= limit and kernel.kth(race.scores, limit) > left[used]:
                return race, used
            postings = self._postings.all(term.found, kernel)
            fresh = kernel.without(postings.docids, race.docids)
            docids = kernel.union(race.docids, fresh)
            before = kernel.match(docids, Postings(race.docids, race.docids)).positions
            after = kernel.match(docids, Postings(fresh, fresh)).positions
            norms = kernel.spread(docids, [(before, race.norms), (after, self._norms(fresh, kernel))])
            race = _Race(docids, norms, kernel.spread(docids, [(before, race.scores)]))
            race = self._scored(race, term, kernel.match(docids, postings), kernel)
        return race, len(known)

    def _scored(self, race: _Race, term: _Term, matches: Matches, kernel: Kernel) -> _Race:
        scores = race.scores
        for _ in range(term.times):
            scores = self._add(kernel, scores, matches.positions, matches.counts, race.norms, term.weight)
        return race._replace(scores=scores)

    def _scores(self, docids: Vector, terms: Sequence[_Term], kernel: Kernel) -> Vector:
        norms = self._norms(docids, kernel)
        scores = kernel.zeros(docids)
        for term in terms:
            matches = self._postings.matches(term.found, docids, kernel)
            for _ in range(term.times):
                scores = self._add(kernel, scores, matches.positions, matches.counts, norms, term.weight)
        return scores

    def _add(
        self, kernel: Kernel, scores: Vector, at: Vector | None, counts: Vector, norms: Vector, weight: float
    ) -> Vector:
        return kernel.add(scores, at, counts, norms, weight, self._scheme.k1, self._scheme.b)

    def _norms(self, docids: Vector, kernel: Kernel) -> Vector:
        lengths = self._postings.lengths(docids, kernel)
        return kernel.norms(lengths, self._statistics.inverse_average, self._scheme.least_norm)

    def _terms(self, terms: Sequence[bytes]) -> list[_Term]:
        """The terms that documents have, the rarest first; equally rare ones as in the query."""
        statistics = self._statistics
        shortest = statistics.shortest * statistics.inverse_average
        known = []
        for term in dict.fromkeys(terms):
            found = self._postings.find(term)
            if found is not None:
                times = list(terms).count(term)
                weight = self._scheme.weight(statistics.documents, found.documents)
                most = min(statistics.most_wdf, found.occurrences)
                bound = times * self._scheme.bound(weight, most, shortest)
                known.append(_Term(found, weight, times, bound))
        return sorted(known, key=lambda term: term.found.documents)
