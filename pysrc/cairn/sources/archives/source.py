"""An archive as a source that retrieval can ask (see :class:`cairn.sources.types.Source`)."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import Literal

from cairn.errors import CairnError, DocumentNotFound
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.ids import passage_sha256
from cairn.passages.languages import iso639_3
from cairn.passages.scripts import MARKS
from cairn.passages.stopwords import stop_words
from cairn.passages.types import Passage
from cairn.passages.words import normalise, words
from cairn.sources.archives.container import Archive
from cairn.sources.archives.fulltext import Found, open_full_text
from cairn.sources.archives.language import first_language
from cairn.sources.archives.metadata import metadata
from cairn.sources.archives.reader import ByteReader
from cairn.sources.archives.reading import ArticleReader, ReadArticle
from cairn.sources.archives.titles import Titles
from cairn.sources.types import Document, VectorModel

FULL_TEXT = "xapian-full-text"
TITLE_ONLY = "title-only"
ARTICLES = 5
"""Articles with all words whose passages are looked at: some 12 ms each in a browser, most of it for
unpacking the cluster that an article lies in."""

ARTICLES_ANY = 8
"""The same where too few have all words, and single words must find the right one."""

NAMED = 2
"""Of these, articles whose title is in the question, so that their text comes first."""

PER_ARTICLE = 4
_ORDINALS = 12  # bits: a row is entry index and passage number, so that rows need no table
_PREFIX = 5  # letters that inflected forms of a word share
_SATURATION = 1.2
_LETTER = rf"(?:[^\W_]|[{MARKS}])"


class ArchiveSource:
    """A ZIM archive. Rows are ``entry index << 12 | passage number``: stable, and never looked up."""

    def __init__(self, reader: ByteReader) -> None:
        self.kind: Literal["archive"] = "archive"
        self.archive = Archive(reader)
        self.id = f"zim-{self.archive.uuid}"
        self.title = metadata(self.archive, "Title") or "Untitled archive"
        self.language = iso639_3(first_language(metadata(self.archive, "Language")))
        self.licence = metadata(self.archive, "License")
        self.titles = Titles(self.archive)
        self._full_text, self.problem = open_full_text(self.archive)
        self._articles = ArticleReader(self.archive, self.language)

    @property
    def mode(self) -> str:
        """``xapian-full-text`` or ``title-only``: how it is searched."""
        return FULL_TEXT if self._full_text else TITLE_ONLY

    @property
    def vector_model(self) -> VectorModel | None:
        """None: archives have no vectors; E5 reorders their passages."""
        return None

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """The passages of the best articles in which the words are densest, best first."""
        if query.empty:
            return []
        terms = [*query.terms, *(word for phrase in query.phrases for word in phrase.split())]
        wanted = Wanted({term: self._rarity(term) for term in dict.fromkeys(terms)})
        found = self._search(query)
        hits: list[Hit] = []
        best = max((hit.score for hit in found), default=0.0) or 1.0
        seen: set[int] = set()
        for rank, hit in enumerate(found):
            article = self._readable(hit.path)
            if article is not None and article.entry.index not in seen:
                seen.add(article.entry.index)
                worth = hit.score / best if hit.score else 1 / (1 + rank)
                hits += _dense(article, wanted, worth, query.excluded)
        hits.sort(key=lambda hit: (-hit.score, hit.row))
        return hits[:limit]

    def rehearse(self) -> Iterator[None]:
        """Work that the first question would pay for: modules, the tops of trees, the first pages.

        For idle time; yields between its pieces. Raises what reading raises.
        """
        if self._full_text is not None:
            self._full_text.search(self.title, 1)
            yield
            self._full_text.search_any(self.title, 1)
            yield
        self.titles.named_in(self.title, stop_words(self.language), 1)
        yield
        if len(self.titles.listing):
            middle = self.titles.listing.entry(len(self.titles.listing) // 2)
            article = self._readable(middle.full_path)
            if article is not None:
                _dense(article, Wanted({word: 1.0 for word in words(self.title)}), 1.0, ())
        yield

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """[]: archives have no vectors."""
        return []

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of rows that :meth:`search_words` gave; raises DocumentNotFound."""
        found = []
        for row in rows:
            article = self._articles.read(self.archive.entry(row >> _ORDINALS))
            ordinal = row & ((1 << _ORDINALS) - 1)
            if article is None or ordinal >= len(article.spans):
                raise _missing()
            found.append(self._passage(article, ordinal, row))
        return found

    def document(self, document_id: str) -> Document:
        """An article by full path, redirects followed; raises DocumentNotFound or ArchiveInvalid."""
        article = self._articles.read(self.archive.required(document_id))
        if article is None:
            raise _missing()
        return Document(
            source_id=self.id,
            document_id=article.entry.full_path,
            title=article.title,
            language=self.language,
            collection=self.title,
            licence=self.licence,
            source_url="",
            references=(),
            sha256=article.sha256,
            text=article.text,
        )

    def _search(self, query: LexicalQuery) -> list[Found]:
        """Articles with all words first; with any of the words when those are few."""
        text = " ".join([*query.terms, *query.phrases])
        if self._full_text is None:
            return self._by_titles(query)
        most = ARTICLES
        found = self._full_text.search(text, most).found
        if len(found) < most:
            most = ARTICLES_ANY
            known = {hit.path for hit in found}
            some = self._full_text.search_any(text, most).found
            found += [hit for hit in some if hit.path not in known]
        named = self.titles.named_in(text, stop_words(self.language), NAMED)
        best = max((hit.score for hit in found), default=1.0)
        return [*(Found(hit.path, best) for hit in named), *found][:most]

    def _by_titles(self, query: LexicalQuery) -> list[Found]:
        """Titles with all the words, then with single ones, the longest first."""
        seen: dict[str, Found] = {}
        words_alone = sorted(query.terms, key=len, reverse=True)
        for text in [" ".join([*query.terms, *query.phrases]), *words_alone]:
            if len(seen) < ARTICLES_ANY:
                for hit in self.titles.search(text, ARTICLES_ANY):
                    seen.setdefault(hit.path, hit)
        return [Found(hit.path, 0.0) for hit in seen.values()][:ARTICLES_ANY]

    def _rarity(self, word: str) -> float:
        """How much a word tells, 1 to about 10."""
        if self._full_text is None:
            return 1.0
        having = self._full_text.frequency(word)
        return 1.0 + log((self._full_text.documents + 1) / (having + 1))

    def _readable(self, path: str) -> ReadArticle | None:
        """An article found by an index, None when this one page is damaged or is no text."""
        entry = self.archive.lookup(path[:1], path[2:])
        try:
            return self._articles.read(entry) if entry is not None else None
        except CairnError as error:
            self.problem = error
            return None

    def _passage(self, article: ReadArticle, ordinal: int, row: int) -> Passage:
        span = article.spans[ordinal]
        text = article.text[span.start : span.end]
        return Passage(
            passage_id=article.ids[ordinal],
            document_id=article.entry.full_path,
            source_id=self.id,
            title=article.title,
            language=self.language,
            collection=self.title,
            licence=self.licence,
            locator=span.locator,
            text=text,
            sha256=passage_sha256(text),
            token_estimate=span.token_estimate,
            ordinal=ordinal,
            row=row,
        )


class Wanted:
    """The words of a question with their weights, found in a text without cutting it into words."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights
        self.total = sum(weights.values()) or 1.0
        self._begins = {term: term[:-2] if len(term) > _PREFIX else term for term in weights}
        parts = sorted({re.escape(begin) for begin in self._begins.values()}, key=len, reverse=True)
        self._pattern = re.compile(f"(?<!{_LETTER})(?:{'|'.join(parts)}){_LETTER}*") if parts else None

    def share(self, text: str) -> float:
        """How much of the words' weight is in a normalised text, 0 to 1."""
        forms = Counter(self._pattern.findall(text) if self._pattern else ())
        score = sum(weight * self._presence(term, text, forms) for term, weight in self._weights.items())
        return score / self.total

    def _presence(self, term: str, text: str, forms: Counter[str]) -> float:
        """0 to 1: how often a word is there, inflected forms counted a little less."""
        count = float(forms[term])
        if not count and not term.isascii() and term in text:
            count = float(text.count(term))  # CJK grams, and words of scripts without spaces
        if not count and len(term) > _PREFIX:
            begin = self._begins[term]
            count = 0.7 * sum(times for form, times in forms.items() if form.startswith(begin))
        return count / (count + _SATURATION)


def _dense(article: ReadArticle, wanted: Wanted, worth: float, excluded: tuple[str, ...]) -> list[Hit]:
    """The passages of an article with most of the words, as shares of all words' weight."""
    scored = []
    for ordinal, span in enumerate(article.spans[: 1 << _ORDINALS]):
        text = normalise(f"{span.locator} {article.text[span.start : span.end]}")
        if not any(word in text for word in excluded):
            scored.append((-(wanted.share(text) + worth), ordinal))
    scored.sort()
    first = article.entry.index << _ORDINALS
    return [Hit(first | ordinal, -score) for score, ordinal in scored[:PER_ARTICLE]]


def _missing() -> DocumentNotFound:
    return DocumentNotFound(
        "This page is no longer in the archive as it was cited.",
        hint="The archive may have been replaced by another edition. Ask again.",
    )
