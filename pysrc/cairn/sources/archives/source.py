"""An archive as a source that retrieval can ask (see :class:`cairn.sources.types.Source`)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import log
from typing import Literal

from cairn.errors import CairnError, DocumentNotFound
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.ids import passage_sha256
from cairn.passages.languages import iso639_3
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
ARTICLES = 8
"""Articles of one search whose passages are looked at: half a second of parsing in a browser."""

NAMED = 2
"""Of these, articles whose title is in the question, so that their text comes first."""

PER_ARTICLE = 4
_ORDINALS = 12  # bits: a row is entry index and passage number, so that rows need no table
_PREFIX = 5  # letters that inflected forms of a word share
_SATURATION = 1.2


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
        wanted = {term: self._rarity(term) for term in dict.fromkeys(terms)}
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
        found = self._full_text.search(text, ARTICLES).found
        if len(found) < ARTICLES:
            known = {hit.path for hit in found}
            some = self._full_text.search_any(text, ARTICLES).found
            found += [hit for hit in some if hit.path not in known]
        named = self.titles.named_in(text, stop_words(self.language), NAMED)
        best = max((hit.score for hit in found), default=1.0)
        return [*(Found(hit.path, best) for hit in named), *found][:ARTICLES]

    def _by_titles(self, query: LexicalQuery) -> list[Found]:
        """Titles with all the words, then with single ones, the longest first."""
        seen: dict[str, Found] = {}
        words_alone = sorted(query.terms, key=len, reverse=True)
        for text in [" ".join([*query.terms, *query.phrases]), *words_alone]:
            if len(seen) < ARTICLES:
                for hit in self.titles.search(text, ARTICLES):
                    seen.setdefault(hit.path, hit)
        return [Found(hit.path, 0.0) for hit in seen.values()][:ARTICLES]

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


def _dense(
    article: ReadArticle, wanted: dict[str, float], worth: float, excluded: tuple[str, ...]
) -> list[Hit]:
    """The passages of an article with most of the words, as shares of all words' weight."""
    total = sum(wanted.values()) or 1.0
    scored = []
    for ordinal, span in enumerate(article.spans[: 1 << _ORDINALS]):
        text = normalise(f"{span.locator} {article.text[span.start : span.end]}")
        if any(word in text for word in excluded):
            continue
        forms = words(text)
        score = sum(weight * _presence(term, text, forms) for term, weight in wanted.items()) / total
        scored.append((-(score + worth), ordinal))
    scored.sort()
    first = article.entry.index << _ORDINALS
    return [Hit(first | ordinal, -score) for score, ordinal in scored[:PER_ARTICLE]]


def _presence(term: str, text: str, forms: list[str]) -> float:
    """0 to 1: how often a word is there, inflected forms counted a little less."""
    count = float(forms.count(term))
    if not count and not term.isascii() and term in text:
        count = float(text.count(term))  # CJK grams, and words of scripts without spaces
    if not count and len(term) > _PREFIX:
        count = 0.7 * sum(form.startswith(term[:-2]) for form in forms)
    return count / (count + _SATURATION)


def _missing() -> DocumentNotFound:
    return DocumentNotFound(
        "This page is no longer in the archive as it was cited.",
        hint="The archive may have been replaced by another edition. Ask again.",
    )
