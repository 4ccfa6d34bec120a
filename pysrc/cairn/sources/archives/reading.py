"""An article of an archive as a document with passages."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from cairn.passages.chunker import chunk
from cairn.passages.ids import Occurrences, passage_id, passage_sha256
from cairn.passages.types import Span
from cairn.sources.archives.article import decode_html, read_article
from cairn.sources.archives.container import Archive
from cairn.sources.archives.dirent import Dirent

_KNOWN = 48
"""Articles whose text stays in memory: those of a few questions."""


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An article read: its entry (redirects followed), text, passages and their ids."""

    entry: Dirent
    title: str
    text: str
    spans: tuple[Span, ...]
    ids: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Of the text (UTF-8)."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


class ArticleReader:
    """Reads articles, the last ones from memory."""

    def __init__(self, archive: Archive, language: str) -> None:
        self._archive = archive
        self._language = language
        self._known: OrderedDict[int, ReadArticle] = OrderedDict()

    def read(self, entry: Dirent) -> ReadArticle | None:
        """The article an entry is or redirects to; None when it is no text."""
        entry = self._archive.resolve(entry)
        known = self._known.get(entry.index)
        if known is None:
            mime = self._archive.mime_type(entry).partition(";")[0].strip().lower()
            if mime not in ("text/html", "application/xhtml+xml", "text/plain"):
                return None
            known = self._known[entry.index] = self._read(entry, plain=mime == "text/plain")
            if len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        self._known.move_to_end(entry.index)
        return known

    def _read(self, entry: Dirent, *, plain: bool) -> ReadArticle:
        html = decode_html(self._archive.read(entry))
        text = html if plain else read_article(html).text
        spans = tuple(chunk(text, entry.title, language=self._language))
        return ReadArticle(entry, entry.title, text, spans, _ids(entry.full_path, text, spans))


def _ids(document: str, text: str, spans: tuple[Span, ...]) -> tuple[str, ...]:
    """Ids that depend on the article alone, whatever was asked."""
    occurrences = Occurrences()
    ids = []
    for span in spans:
        key = span.locator, passage_sha256(text[span.start : span.end])
        ids.append(passage_id(document, *key, occurrences.next(*key)))
    return tuple(ids)
