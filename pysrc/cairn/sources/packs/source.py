"""An installed pack as a source: searched in place, documents read and re-hashed on demand."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from cairn.errors import DocumentCorrupt, DocumentNotFound, PackInvalid
from cairn.index.compact import CompactIndex
from cairn.index.lexical import LexicalIndex
from cairn.index.rows import Filters, Rows
from cairn.index.types import Hit, LexicalQuery
from cairn.index.vector_store import StoredVectors, VectorRoom
from cairn.passages.types import Passage
from cairn.protocol import SourceInfo
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MOST_DOCUMENT_BYTES, DocumentEntry, Manifest
from cairn.sources.packs.narrowed import NarrowedPack
from cairn.sources.packs.verify import open_read_only
from cairn.sources.packs.verify_compact import open_texts, places
from cairn.sources.types import Counts, Document, VectorModel


class _Span(NamedTuple):
    """Rows of one document."""

    first: int
    end: int
    document: DocumentEntry


class PackSource:
    """Implements :class:`cairn.sources.types.Source` for a verified pack.

    ``fts5_path`` and ``vector_path`` are the pack's indexes as openable files, usually slices of
    the ZIP itself. It takes over ``archive`` and closes it. ``room`` is where its vectors may be kept.
    """

    kind: Literal["pack"] = "pack"
    mode = "lexical-fallback"

    def __init__(
        self,
        archive: PackArchive,
        manifest: Manifest,
        *,
        fts5_path: str,
        vector_path: str | None,
        room: VectorRoom | None = None,
    ) -> None:
        self._archive = archive
        self._manifest = manifest
        self._documents = {document.id: document for document in manifest.documents}
        self._db = open_read_only(fts5_path)
        self._vectors: StoredVectors | None = None
        self._narrowed: tuple[Filters, Rows] | None = None  # the last filter, and what passes it
        try:
            self._texts = open_texts(self._db, archive) if manifest.compact else None
            self._lexical = self._open_index()
            if manifest.vector is not None and vector_path is not None:
                self._vectors = StoredVectors(vector_path, vector_path, room or VectorRoom())
        except BaseException:
            self._db.close()
            raise

    def _open_index(self) -> LexicalIndex:
        if self._texts is None:
            return LexicalIndex(self._db, self._manifest.corpus_id)
        self._places = {place.id: place for place in places(self._manifest)}
        documents = tuple(self._places.values())
        return CompactIndex(self._db, self._manifest.corpus_id, documents, self._texts.read)

    def close(self) -> None:
        """Close the database, the vectors and the ZIP."""
        self._db.close()
        if self._vectors is not None:
            self._vectors.close()
        self._archive.close()

    @property
    def id(self) -> str:
        """The pack's id, the same in all its versions."""
        return self._manifest.corpus_id

    @property
    def title(self) -> str:
        """Name for people; published packs have none and show their id."""
        return self._manifest.title or self._manifest.corpus_id

    @property
    def manifest(self) -> Manifest:
        """What the pack says of itself."""
        return self._manifest

    @property
    def vector_model(self) -> VectorModel | None:
        """The model of its vectors, None when it has none."""
        entry = self._manifest.vector
        if entry is None or self._vectors is None:
            return None
        return VectorModel(entry.model_id, entry.model_revision, entry.model_dtype, entry.dimensions)

    @property
    def passage_count(self) -> int:
        """How many passages can be found."""
        return self._lexical.passage_count

    def describe(self) -> SourceInfo:
        """What the page lists."""
        documents = self._manifest.documents
        licences = sorted({document.licence for document in documents})
        return SourceInfo(
            id=self.id,
            kind="pack",
            title=self.title,
            version=self._manifest.version,
            languages=sorted({document.language for document in documents}),
            documents=len(documents),
            passages=self.passage_count,
            bytes=self._archive.bytes,
            licence=self._manifest.licence or "; ".join(licences[:5]),
            notice=self._manifest.notice,
        )

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs; absent ones are left out."""
        return self._lexical.vocabulary(words)

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""
        return self._lexical.words_beginning(prefix, limit)

    def search_words(self, query: LexicalQuery, limit: int, rows: Rows | None = None) -> list[Hit]:
        """At most ``limit`` rows by bm25, best first, ties by row; among ``rows`` when given."""
        return self._lexical.search(query, limit, rows)

    def search_vector(self, query: array[float], limit: int, rows: Rows | None = None) -> list[Hit]:
        """At most ``limit`` rows by cosine, best first, ties by row; [] without vectors."""
        if self._vectors is None:
            return []
        return self._vectors.search(query, limit, self._bitmap(rows))

    async def search_vector_in_steps(
        self, query: array[float], limit: int, rows: Rows | None = None
    ) -> list[Hit]:
        """As :meth:`search_vector`, letting others run in between."""
        if self._vectors is None:
            return []
        return await self._vectors.search_in_steps(query, limit, self._bitmap(rows))

    def _bitmap(self, rows: Rows | None) -> bytes | None:
        return None if rows is None else rows.bitmap(self.passage_count)

    def narrowed(self, filters: Filters) -> NarrowedPack | None:
        """The part of it that passes; None when nothing does."""
        if self._narrowed is None or self._narrowed[0] != filters:
            ranges = (
                range(span.first, span.end)
                for span in self._spans
                if filters.passes(span.document.language, span.document.collection, span.document.id)
            )
            self._narrowed = (filters, Rows.of(ranges))
        rows = self._narrowed[1]
        return NarrowedPack(self, rows) if rows.ranges else None

    def counts(self, query: LexicalQuery, documents: frozenset[str]) -> Counts:
        """How many passages have words of the question that tell, by language and collection."""
        found: Counts = Counter()
        spans = iter(self._spans)
        span = next(spans, None)
        for row in self._lexical.matching(query):
            while span is not None and row >= span.end:
                span = next(spans, None)
            if span is None:
                break
            if row >= span.first and (not documents or span.document.id in documents):
                found[span.document.language, span.document.collection] += 1
        return found

    def completion(self, prefix: str) -> str:
        """The most frequent word of the index that begins so, "" when there is none."""
        return self._lexical.completion(prefix)

    @cached_property
    def _spans(self) -> list[_Span]:
        """The rows of each document, by row."""
        spans = []
        for document in self._manifest.documents:
            rows = self._lexical.document_rows(document.id)
            if len(rows):
                spans.append(_Span(rows.start, rows.stop, document))
        return sorted(spans, key=lambda span: span.first)

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """A positive multiple of each passage's vector, in the order asked; [] without vectors."""
        return self._vectors.values(rows) if self._vectors is not None else []

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs."""
        return self._lexical.document_frequency(terms)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows, in the order asked."""
        return self._lexical.passages(rows)

    def document(self, document_id: str) -> Document:
        """Read a document from the ZIP and compare its hash with the manifest's.

        Raises DocumentNotFound or DocumentCorrupt.
        """
        entry = self._documents.get(document_id)
        if entry is None:
            raise DocumentNotFound(
                f"{self.title} has no document {document_id[:80]!r}.",
                hint="The citation may be from another version of this library.",
            )
        return Document(
            source_id=self.id,
            document_id=entry.id,
            title=entry.title,
            language=entry.language,
            collection=entry.collection,
            licence=entry.licence,
            # Our own words rest on their references and have no address of their own.
            source_url="" if entry.source_url in dict(entry.references).values() else entry.source_url,
            references=entry.references,
            sha256=entry.sha256,
            text=self._verified_text(entry),
        )

    def _verified_text(self, entry: DocumentEntry) -> str:
        try:
            data = self._text_of(entry)
        except (PackInvalid, OSError) as error:
            raise self._corrupt(entry) from error
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            raise self._corrupt(entry)
        return data.decode("utf-8")

    def _text_of(self, entry: DocumentEntry) -> bytes:
        if self._texts is None:
            return self._archive.read(entry.path, MOST_DOCUMENT_BYTES)
        place = self._places[entry.id]
        return self._texts.read(place.start, place.bytes)

    def _corrupt(self, entry: DocumentEntry) -> DocumentCorrupt:
        return DocumentCorrupt(
            f"The text of “{entry.title}” is not what {self.title} was published with.",
            hint="In the Library the pack can be repaired or removed; nothing else is affected.",
        )

    def locate_passages(self, document: Document) -> list[dict[str, Any]]:
        """Where the passages of a document stand in its text, in reading order.

        ``[{id, start, end, locator}]``, offsets in code points; a passage of a published pack that
        was changed while it was made (and so is not found) is left out.
        """
        found: list[dict[str, Any]] = []
        position = 0
        for passage in self._lexical.passages(self._lexical.document_rows(document.document_id)):
            start = document.text.find(passage.text, position)
            if start < 0:
                continue
            position = start + len(passage.text)
            found.append(
                {
                    "id": passage.passage_id,
                    "start": start,
                    "end": position,
                    "locator": passage.locator,
                }
            )
        return found
