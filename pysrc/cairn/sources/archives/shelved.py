"""An archive as the library has it: a source that also describes itself and gives pages to read."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, cast

from cairn.errors import ArchiveAbsent, ArchiveUnsupported, DocumentNotFound
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.languages import iso639_3
from cairn.passages.types import Passage
from cairn.passages.words import normalise, words
from cairn.protocol import ArchiveInfo, ArticleResult, ResourceResult, SourceInfo
from cairn.sources.archives.article import decode_html
from cairn.sources.archives.dirent import Dirent
from cairn.sources.archives.listing import random_entry
from cairn.sources.archives.metadata import counts, is_recorded_site, metadata
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.reader import ByteReader
from cairn.sources.archives.reading import ReadArticle
from cairn.sources.archives.source import ArchiveSource
from cairn.sources.types import Document

MOST_RESOURCE = 24 * 1_048_576
"""Bytes of a picture or style sheet: one larger would hold the worker and the page for seconds."""

SUGGESTIONS = 12
RECORDED = (
    "This archive is a recorded web site (zimit): its pages are shown as text and pictures, without what"
    " scripts would add. Videos and sound are not played."
)
_HTML = ("text/html", "application/xhtml+xml")


class ShelvedArchive(ArchiveSource):
    """An open archive. ``key`` names the chosen files; "" for a copy in the app's storage (``file``).

    ``lost`` is why its file can no longer be read, None while it can.
    """

    kind: Literal["archive"] = "archive"

    def __init__(self, reader: ByteReader, *, name: str, key: str = "", file: str = "") -> None:
        super().__init__(reader)
        self.name = name
        self.key = key
        self.file = file
        self.lost: ArchiveAbsent | None = None

    def close(self) -> None:
        """Close its file."""
        close = getattr(self.archive.reader, "close", None)
        if close is not None:
            close()

    @property
    def indexes(self) -> list[PostingReader]:
        """The posting lists of its databases: full text, titles."""
        titles = self.titles.postings
        found = [self._full_text.postings] if self._full_text else []
        return found + ([titles] if titles else [])

    # --- searching -------------------------------------------------------------------------------

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """As :class:`ArchiveSource`; remembers that the file is gone."""
        try:
            return super().search_words(query, limit)
        except ArchiveAbsent as error:
            self.lost = error
            raise

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """As :class:`ArchiveSource`; remembers that the file is gone."""
        try:
            return super().passages(rows)
        except ArchiveAbsent as error:
            self.lost = error
            raise

    def locate_passages(self, document: Document) -> list[dict[str, Any]]:
        """Where its passages stand in an article's text, for the text reader."""
        article = self._article(self.archive.required(document.document_id))
        spans = zip(article.ids, article.spans, strict=True)
        return [{"id": i, "start": s.start, "end": s.end, "locator": s.locator} for i, s in spans]

    # --- describing ------------------------------------------------------------------------------

    def describe(self) -> SourceInfo:
        """What the page lists."""
        info = SourceInfo(**self._described)
        info["archive"] = ArchiveInfo(**self._described["archive"])
        if self.lost is not None:
            info["archive"]["state"] = "absent"
        if self.problem is not None:
            info["archive"]["problem"] = f"{self.problem.message} {self.problem.hint}".strip()
        return info

    @cached_property
    def _described(self) -> SourceInfo:
        about = {key: metadata(self.archive, key) for key in ("Date", "Description", "Publisher", "Language")}
        info = SourceInfo(
            id=self.id,
            kind="archive",
            title=self.title,
            version=about["Date"],
            languages=[iso639_3(part.strip()) for part in about["Language"].split(",") if part.strip()],
            documents=self._article_count(),
            passages=0,
            bytes=self.archive.reader.size,
            licence=self.licence,
            notice=about["Description"][:300],
        )
        info["archive"] = ArchiveInfo(
            state="open",
            place="stored" if self.file else "picked",
            key=self.key,
            name=self.name,
            mode=cast(Any, self.mode),
            date=about["Date"],
            publisher=about["Publisher"],
            copied=0,
            problem=RECORDED if is_recorded_site(self.archive) else "",
        )
        return info

    def _article_count(self) -> int:
        by_type = counts(self.archive)
        pages = sum(count for mime, count in by_type.items() if mime.partition(";")[0].strip() in _HTML)
        return pages or len(self.titles.listing)

    # --- reading ---------------------------------------------------------------------------------

    def read_page(self, path: str, passage_id: str = "", query: str = "") -> ArticleResult:
        """A page as it is in the archive, with the passage to mark; raises DocumentNotFound."""
        entry = self.archive.resolve(self.archive.required(path))
        mime = self._mime(entry)
        kind = _kind(mime)
        result = ArticleResult(
            source=self.id,
            source_title=self.title,
            path=entry.full_path,
            base=self._link_path(entry),
            title=entry.title,
            kind=kind,
            mime=mime,
            html=decode_html(self.archive.read(entry)) if kind in ("html", "text") else "",
            language=self.language,
            date=metadata(self.archive, "Date"),
            publisher=metadata(self.archive, "Publisher"),
            licence=self.licence,
            marked="",
            locator="",
            marks=[],
        )
        if (passage_id or query) and kind in ("html", "text"):
            self._mark(result, self._article(entry), passage_id, query)
        return result

    def resource(self, path: str) -> ResourceResult:
        """A picture or style sheet; raises DocumentNotFound, or ArchiveUnsupported when too large."""
        entry = self.archive.resolve(self.archive.required(path))
        size = self.archive.length(entry)
        if size > MOST_RESOURCE:
            raise ArchiveUnsupported(
                f"“{entry.title}” is too large to be shown ({size // 1_000_000} MB).",
                hint="The rest of the article is complete.",
            )
        data = b64encode(self.archive.read(entry)).decode("ascii")
        return ResourceResult(path=entry.full_path, mime=self._mime(entry), bytes=size, data=data)

    def suggestions(self, prefix: str) -> list[dict[str, str]]:
        """Titles for what was typed so far: ``[{path, title}]``."""
        found = []
        for hit in self.titles.while_typing(prefix, SUGGESTIONS) if prefix.strip() else []:
            entry = self.archive.find(hit.path)
            if entry is not None:
                found.append({"path": entry.full_path, "title": entry.title})
        return found

    def random_path(self) -> str:
        """Some article; raises DocumentNotFound for an archive without any."""
        return self._some(random_entry(self.archive, self.titles.listing))

    def main_path(self) -> str:
        """The page the archive opens with, else the first of its titles."""
        listing = self.titles.listing
        main = self.archive.main_page()
        return self._some(main if main or not len(listing) else listing.entry(0))

    def _some(self, entry: Dirent | None) -> str:
        if entry is None:
            raise DocumentNotFound("This archive has no page to open.", hint="Search for a title.")
        return self.archive.resolve(entry).full_path

    def _article(self, entry: Dirent) -> ReadArticle:
        article = self._articles.read(entry)
        if article is None:
            raise DocumentNotFound(f"“{entry.title}” is no page of text.")
        return article

    def _mime(self, entry: Dirent) -> str:
        return self.archive.mime_type(entry).partition(";")[0].strip().lower()

    def _link_path(self, entry: Dirent) -> str:
        return entry.path if self.archive.header.new_namespaces else entry.full_path

    def _mark(self, result: ArticleResult, article: ReadArticle, passage_id: str, query: str) -> None:
        if passage_id in article.ids:
            chosen = article.ids.index(passage_id)
        elif query and article.spans:
            texts = [article.text[s.start : s.end] for s in article.spans]
            chosen = _densest(texts, words(normalise(query)))
        else:
            return
        span = article.spans[chosen]
        result["marked"] = article.ids[chosen]
        result["locator"] = span.locator
        result["marks"] = pieces(article.text[span.start : span.end])


def _kind(mime: str) -> Literal["html", "text", "image", "other"]:
    if mime in _HTML:
        return "html"
    if mime == "text/plain":
        return "text"
    return "image" if mime.startswith("image/") else "other"


def _densest(texts: Sequence[str], wanted: Iterable[str]) -> int:
    """Which text has most of the words, the first of equals."""
    asked = set(wanted)
    return max(range(len(texts)), key=lambda n: (len(asked.intersection(words(normalise(texts[n])))), -n))


def pieces(text: str) -> list[str]:
    """A passage as the plain pieces that stand in the page: lines and table cells, no headings.

    >>> pieces("## Life\\n\\n- Born in | 1930\\n| Age | 74 |")
    ['Born in | 1930', 'Age', '74']
    """
    found: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith("| ") and bare.endswith(" |"):
            found += [cell.strip() for cell in bare.strip("|").split(" | ")]
        elif not bare.startswith("#"):
            found.append(bare.removeprefix("- ").strip())
    return [piece for piece in found if piece]
