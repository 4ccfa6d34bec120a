"""Title suggestions in libzim's order, from the title index of an archive (FORMATS.md 2.4).

The query is: every word (stemmed; the last one also as the beginning of a word), or all words as
they are in a row, or those at the beginning of the title. All three add to the score.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import groupby, islice

from cairn.sources.archives.bm25 import TITLES
from cairn.sources.archives.fulltext import Found
from cairn.sources.archives.glass import Glass
from cairn.sources.archives.guard import guarded
from cairn.sources.archives.kernel import plain_kernel
from cairn.sources.archives.language import stemmer_code
from cairn.sources.archives.normalising import normalise
from cairn.sources.archives.positions import decode_positions
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.query import Token, tokenise
from cairn.sources.archives.ranking import Ranker
from cairn.sources.archives.stemming import stemmer
from cairn.sources.archives.values import Values
from cairn.sources.archives.varint import decode_uint, encode_sortuint, escape, unescape

ANCHOR = "0posanchor"
EXPANSIONS = 100
_STEMMED = ("Ll", "Lt", "Lm", "Lo")

Counts = dict[int, int]
"""A term's count by docid."""


@dataclass(slots=True)
class _Match:
    """Scores by docid of a part of the query that all its documents satisfy."""

    scores: dict[int, float] = field(default_factory=dict)

    def narrow(self, more: dict[int, float], first: bool) -> None:
        """AND with another part."""
        if first:
            self.scores = more
        else:
            self.scores = {d: s + more[d] for d, s in self.scores.items() if d in more}


class TitleIndex:
    """The title index ``X/title/xapian`` of an archive."""

    def __init__(self, glass: Glass, language: str) -> None:
        self._glass = glass
        code = glass.metadata("language").decode("utf-8", "replace") or language
        self._stem = stemmer(code) if stemmer_code(code) else None
        self.postings = PostingReader(glass)
        self._kernel = plain_kernel()
        named = glass.metadata("valuesmap").decode("utf-8", "replace").split(";")
        pairs = (part.partition(":") for part in named)
        slots = {name: int(slot) for name, _, slot in pairs if slot.isdecimal()}
        self._titles = Values(glass, slots.get("title", 0))
        self._targets = Values(glass, slots["targetPath"]) if "targetPath" in slots else None

    def suggest(self, text: str, limit: int) -> list[Found] | None:
        """Titles for what was typed so far, best first; one per article with all its redirects.

        None when there is no word in the text.
        """
        with guarded("its index of titles"):
            return self._suggest(normalise(text), limit)

    def _suggest(self, query: str, limit: int) -> list[Found] | None:
        tokens = [self._with_suffix(token) for token in tokenise(query)]
        if not tokens:
            return None
        partial = query.endswith(tokens[-1].text)
        words = [part for token in tokens for part in _parts(token)]
        scores = defaultdict[int, float](float)
        parts = [self._all_words(tokens, partial)]
        if not any(len(token.grams) > 1 for token in tokens):  # a phrase of n-grams matches nothing
            parts += [self._phrase(words), self._phrase([ANCHOR, *words])]
        for part in parts:
            for docid, score in part.items():
                scores[docid] += score
        return list(islice(self._best(scores), limit))

    def having_any(self, text: str, limit: int) -> list[tuple[Found, str]]:
        """Articles with any of the words in their title, best first, and that title."""
        terms = [stem.encode("utf-8", "surrogatepass") for stem in self.stems(text)]
        with guarded("its index of titles"):
            ranked = Ranker(self.postings, self._glass.statistics, TITLES).any_of(terms, limit)
            return [
                (self._found(docid, score), self._titles.get(docid).decode("utf-8", "replace"))
                for score, docid in ranked.best
            ]

    def stems(self, text: str) -> list[str]:
        """The words of a text as this index has them, n-grams of CJK runs."""
        return [
            self._stemmed(gram).decode("utf-8", "surrogatepass")
            for token in tokenise(normalise(text))
            for gram in token.grams
        ]

    def _found(self, docid: int, score: float) -> Found:
        return Found(self._glass.data(docid).decode("utf-8", "surrogateescape"), score)

    def _best(self, scores: dict[int, float]) -> Iterator[Found]:
        """By score, then title, then docid; the first of each target only."""
        seen: set[bytes] = set()
        ranked = sorted(scores, key=lambda docid: (-scores[docid], docid))
        for score, group in groupby(ranked, key=lambda docid: scores[docid]):
            for docid in sorted(group, key=self._titles.get):
                target = self._targets.get(docid) if self._targets else b""
                if target and target in seen:
                    continue
                seen.add(target)
                yield self._found(docid, score)

    def _all_words(self, tokens: list[Token], partial: bool) -> dict[int, float]:
        """Documents with every word, implicit phrase and CJK gram."""
        found = _Match()
        first = True
        for group in _phrases(tokens):
            if len(group) > 1 and all(len(token.grams) == 1 for token in group):
                parts = [self._phrase([part for token in group for part in _parts(token)])]
            elif partial and group[0] is tokens[-1] and not group[0].cjk:
                parts = [self._beginning(group[0].text)]
            else:
                grams = [gram for token in group for gram in token.grams]
                parts = [self._scored(self._counts(self._stemmed(gram))) for gram in grams]
            for part in parts:
                found.narrow(part, first)
                first = False
            if not found.scores:
                return {}
        return found.scores

    def _beginning(self, word: str) -> dict[int, float]:
        """Documents with a word that begins like this, or with its stem."""
        total = defaultdict[int, int](int)
        rest = 1.0
        documents = self._glass.statistics.documents
        for term in self._expansions(word):
            counts = self._counts(term)
            rest *= 1 - len(counts) / documents
            for docid, count in counts.items():
                total[docid] += count
        scores = self._scored(dict(total), int(documents * (1 - rest) + 0.5))
        for docid, score in self._scored(self._counts(self._stemmed(word))).items():
            scores[docid] = scores.get(docid, 0.0) + score
        return scores

    def _expansions(self, word: str) -> list[bytes]:
        """The most frequent terms that begin with a word, in their order."""
        low = escape(word.encode("utf-8", "surrogatepass"))
        found: list[tuple[int, bytes]] = []
        with guarded("its index of titles"):
            for key, tag in self._glass.postlist.range(low, low + b"\xff"):
                term, rest = unescape(key)
                if rest is None:
                    found.append((decode_uint(tag, 0)[0], term))
        best = nlargest(EXPANSIONS, found, key=lambda pair: pair[0])
        return sorted(term for _, term in best)

    def _with_suffix(self, token: Token) -> Token:
        """``c++`` where some title has it, else ``c``."""
        whole = token.text + token.suffix
        if token.suffix and self.postings.find(whole.encode("utf-8", "surrogatepass")):
            return replace(token, text=whole, suffix="")
        return token

    def _phrase(self, words: list[str]) -> dict[int, float]:
        """Documents with these words as they are, in a row."""
        columns = [self._counts(word.encode("utf-8", "surrogatepass")) for word in words]
        docids = set(columns[0]).intersection(*columns[1:])
        if len(words) > 1:
            docids = {docid for docid in docids if self._in_a_row(docid, words)}
        found = _Match()
        for index, column in enumerate(columns):
            found.narrow(self._scored({d: column[d] for d in docids}, len(column)), index == 0)
        return found.scores

    def _in_a_row(self, docid: int, words: Iterable[str]) -> bool:
        starts: set[int] | None = None
        with guarded("its index of titles"):
            for offset, word in enumerate(words):
                key = escape(word.encode("utf-8", "surrogatepass")) + b"\0" + encode_sortuint(docid)
                tag = self._glass.tables["position"].get(key)
                here = {p - offset for p in decode_positions(tag)} if tag else set()
                starts = here if starts is None else starts & here
                if not starts:
                    return False
        return True

    def _stemmed(self, word: str) -> bytes:
        """A word as the index has its stem; words that do not begin with a letter are not stemmed."""
        if self._stem and unicodedata.category(word[0]) in _STEMMED:
            word = "Z" + self._stem(word)
        return word.encode("utf-8", "surrogatepass")

    def _counts(self, term: bytes) -> Counts:
        found = self.postings.find(term)
        if found is None:
            return {}
        docids, counts = self.postings.all(found, self._kernel)
        return dict(zip(docids, counts, strict=True))

    def _scored(self, counts: Counts, having: float | None = None) -> dict[int, float]:
        statistics = self._glass.statistics
        kernel = self._kernel
        docids = kernel.vector(sorted(counts))
        if not len(docids):
            return {}
        weight = TITLES.weight(statistics.documents, len(counts) if having is None else having)
        lengths = self.postings.lengths(docids, kernel)
        norms = kernel.norms(lengths, statistics.inverse_average, TITLES.least_norm)
        column = kernel.vector([counts[docid] for docid in docids])
        scores = kernel.add(kernel.zeros(docids), None, column, norms, weight, TITLES.k1, TITLES.b)
        return dict(zip(docids, scores, strict=True))


def _parts(token: Token) -> list[str]:
    """What of a token has positions: the word, or the single characters of a CJK run."""
    return list(token.text) if token.cjk else [token.text]


def _phrases(tokens: list[Token]) -> list[list[Token]]:
    """Tokens that are joined by signs without spaces together, the others each alone."""
    groups: list[list[Token]] = []
    for token in tokens:
        if token.glued and groups:
            groups[-1].append(token)
        else:
            groups.append([token])
    return groups
