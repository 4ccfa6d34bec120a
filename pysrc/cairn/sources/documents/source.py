"""A collection as a source: searched while it grows, its documents read back and re-hashed.

What is visible is decided here: passages of documents that are being imported, replaced or deleted
are in the tables but are given to nobody.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from cairn.errors import DocumentCorrupt, DocumentNotFound
from cairn.index.lexical import LexicalIndex
from cairn.index.types import Hit, LexicalQuery
from cairn.passages.types import Passage
from cairn.protocol import SourceInfo
from cairn.sources.documents.database import LibraryDatabase
from cairn.sources.documents.records import Collection, DocumentRow
from cairn.sources.documents.schema import table
from cairn.sources.documents.vectors import CollectionVectors
from cairn.sources.types import Document, VectorModel
from cairn.storage.state import typed_errors

OWN = "yours"
"""What stands where a pack names a licence."""

MISSING = """
    SELECT count(*) FROM places p JOIN documents d ON d.number = p.document AND d.status = 'completed'
    LEFT JOIN vectors v ON v.collection = p.collection AND v.row = p.row
    WHERE p.collection = ? AND v.row IS NULL
"""
"""How many visible passages of a collection have no vector yet."""


class Hidden:
    """Rows that are shown to nobody: those known to be, and all that were written since."""

    def __init__(self, rows: frozenset[int], top: int) -> None:
        self._rows = rows
        self._top = top

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and (row > self._top or row in self._rows)


class CollectionSource:
    """Implements :class:`cairn.sources.types.Source` for one collection of ``library.db``."""

    kind: Literal["documents"] = "documents"
    mode = "lexical-fallback"

    def __init__(self, database: LibraryDatabase, collection: Collection) -> None:
        self.collection = collection
        self._db = database
        self._vectors: CollectionVectors | None = None
        self.changed()

    def changed(self) -> None:
        """Documents came, went or became visible: forget what was remembered of the tables."""
        name = table(self.collection.number)
        self._lexical = LexicalIndex(self._db.connection, self.id, name)
        top, count = self._db.extent(self.collection.number)
        hidden = self._db.hidden_rows(self.collection.number)
        self._hidden = Hidden(hidden, top)
        self._visible = count - len(hidden)
        self._missing: int | None = None

    def forget_vectors(self) -> None:
        """Vectors were deleted: load them anew when they are asked."""
        self._vectors = self._missing = None

    def add_vectors(self, rows: Iterable[tuple[int, bytes, float]]) -> None:
        """Vectors arrived and were committed: use them from now on."""
        self._missing = None
        if self._vectors is not None and self.vector_model is not None:
            if not len(self._vectors):
                self._vectors = None  # it was made before the model was known
                return
            for row, data, norm in rows:
                self._vectors.add(row, data, norm)

    @property
    def id(self) -> str:
        """The collection's id."""
        return self.collection.id

    @property
    def title(self) -> str:
        """Its name."""
        return self.collection.name

    @property
    def vector_model(self) -> VectorModel | None:
        """The model of its vectors, None before there is one."""
        return read_model(self.collection.model)

    @property
    def vectors_complete(self) -> bool:
        """Whether every visible passage has its vector: only then do vectors alone rank it."""
        return self.missing_vectors == 0

    @property
    def missing_vectors(self) -> int:
        """How many visible passages have no vector yet."""
        if self._missing is None:
            self._missing = int(self._db.rows(MISSING, (self.collection.number,))[0][0])
        return self._missing

    @property
    def passage_count(self) -> int:
        """How many passages can be found."""
        return self._visible

    @property
    def vectors(self) -> CollectionVectors:
        """Its vectors, read into memory when they are first asked."""
        if self._vectors is None:
            model = self.vector_model
            rows = self._db.rows(
                "SELECT row - 1, data, norm FROM vectors WHERE collection = ? ORDER BY row",
                (self.collection.number,),
            )
            self._vectors = CollectionVectors(model.dimensions if model else 0, rows if model else ())
        return self._vectors

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """At most ``limit`` visible rows by bm25, best first, ties by row."""
        wanted = limit
        while True:
            hits = self._lexical.search(query, wanted)
            found = [hit for hit in hits if hit.row not in self._hidden]
            if len(found) >= limit or len(hits) < wanted:
                return found[:limit]
            wanted *= 4

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """At most ``limit`` visible rows by cosine among those that have a vector yet."""
        return self.vectors.search(query, limit, self._hidden) if self.vector_model else []

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """A multiple of each passage's vector, in the order asked; [] when one of them has none yet."""
        found = []
        for row in rows if self.vector_model else ():
            data = self._db.rows(
                "SELECT data FROM vectors WHERE collection = ? AND row = ?", (self.collection.number, row + 1)
            )
            if not data:
                return []
            found.append(array("b", data[0][0]))
        return found

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs; absent ones are left out."""
        return self._lexical.vocabulary(words)

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""
        return self._lexical.words_beginning(prefix, limit)

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs."""
        return self._lexical.document_frequency(terms)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of these rows with their pages, in the order asked."""
        with typed_errors():
            return [self._paged(passage) for passage in self._lexical.passages(rows)]

    def document(self, document_id: str) -> Document:
        """Put a document's text together from its passages and compare its hash.

        Raises DocumentNotFound or DocumentCorrupt.
        """
        row = self.row(document_id)
        text = self.text(row)
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != row.text_sha256:
            raise DocumentCorrupt(
                f"The stored text of “{row.title}” is damaged.", hint="Remove it and add the file again."
            )
        return Document(
            source_id=self.id,
            document_id=row.id,
            title=row.title,
            language=row.language,
            collection=self.title,
            licence=OWN,
            source_url="",
            references=(),
            sha256=row.text_sha256,
            text=text,
        )

    def row(self, document_id: str) -> DocumentRow:
        """The record of a visible document; raises DocumentNotFound."""
        found = self._db.documents(
            "id = ? AND collection = ? AND status = 'completed'", (document_id, self.collection.number)
        )
        if not found:
            raise DocumentNotFound(
                f"“{self.title}” has no document {document_id[:80]!r}.",
                hint="It may have been removed or moved. Ask again.",
            )
        return found[0]

    def text(self, row: DocumentRow) -> str:
        """The text of a document: its passages joined."""
        return "".join(body for (body,) in self._bodies("t.body", row))

    def locate_passages(self, document: Document) -> list[dict[str, Any]]:
        """Where the passages of a document stand in its text: ``[{id, start, end, locator, page}]``."""
        found = []
        fields = "t.passage_id, p.start, p.length, t.locator, p.first_page"
        for name, start, length, locator, page in self._bodies(fields, self.row(document.document_id)):
            place = {"id": name, "start": start, "end": start + length, "locator": locator}
            found.append(place | ({"page": page} if page else {}))
        return found

    def describe(self) -> SourceInfo:
        """What the page lists."""
        [(documents, size)] = self._db.rows(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM documents"
            " WHERE collection = ? AND status = 'completed'",
            (self.collection.number,),
        )
        languages = self._db.rows(
            "SELECT DISTINCT language FROM documents WHERE collection = ? AND status = 'completed'"
            " AND language <> 'und' ORDER BY language",
            (self.collection.number,),
        )
        return SourceInfo(
            id=self.id,
            kind="documents",
            title=self.title,
            version="",
            languages=[code for (code,) in languages],
            documents=documents,
            passages=self.passage_count,
            bytes=size,
            licence=OWN,
            notice=self.collection.description,
        )

    def _bodies(self, fields: str, row: DocumentRow) -> list[Any]:
        return self._db.rows(
            f"SELECT {fields} FROM places p JOIN {table(self.collection.number)} t ON t.rowid = p.row"
            " WHERE p.document = ? ORDER BY p.ordinal",
            (row.number,),
        )

    def _paged(self, passage: Passage) -> Passage:
        [(first, last)] = self._db.rows(
            "SELECT first_page, last_page FROM places WHERE collection = ? AND row = ?",
            (self.collection.number, passage.row + 1),
        )
        return replace(passage, page=first, last_page=last) if first else passage


def read_model(text: str) -> VectorModel | None:
    """The model recorded with a collection; None for ""."""
    if not text:
        return None
    value = json.loads(text)
    return VectorModel(
        str(value["id"]), str(value["revision"]), str(value["dtype"]), int(value["dimensions"])
    )


def write_model(model: VectorModel) -> str:
    """How a collection records the model of its vectors."""
    return json.dumps(asdict(model), sort_keys=True)
