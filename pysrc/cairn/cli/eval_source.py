"""A judged collection as a searchable source."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from cairn.errors import DocumentNotFound
from cairn.index.lexical import LexicalIndex
from cairn.index.lexical_writer import LexicalWriter
from cairn.index.types import Hit, LexicalQuery
from cairn.index.vector_search import VectorIndex
from cairn.index.vectors import VectorWriter
from cairn.models.ports import Embedder
from cairn.passages.embedding import embedding_text
from cairn.passages.ids import passage_sha256
from cairn.passages.languages import iso639_3
from cairn.passages.tokens import estimate_tokens
from cairn.passages.types import Passage
from cairn.sources.types import Document, VectorModel

BATCH = 16


class EvalSource:
    """One collection behind the port of :mod:`cairn.sources.types`."""

    id = "eval"
    title = "Evaluation"
    kind: Literal["pack"] = "pack"
    mode = "lexical-fallback"

    def __init__(
        self,
        keys: Sequence[str],
        lexical: sqlite3.Connection,
        vectors: VectorIndex | None,
        model: VectorModel | None,
    ) -> None:
        """``keys[row]`` is the collection's own name of a passage."""
        self._keys = list(keys)
        self._db = lexical
        self._index = LexicalIndex(lexical, self.id)
        self._vectors = vectors
        self.vector_model = model

    def passage_key(self, row: int) -> str:
        """The collection's name of a passage."""
        return self._keys[row]

    @property
    def passage_count(self) -> int:
        """Number of passages."""
        return self._index.passage_count

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term occurs."""
        return self._index.document_frequency(terms)

    def vocabulary(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each word occurs; absent ones are left out."""
        return self._index.vocabulary(words)

    def words_beginning(self, prefix: str, limit: int) -> dict[str, int]:
        """At most ``limit`` words that begin so, and in how many passages each occurs."""
        return self._index.words_beginning(prefix, limit)

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        """By bm25."""
        return self._index.search(query, limit)

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        """By cosine."""
        return self._vectors.search(query, limit) if self._vectors else []

    def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
        """Of the stored vectors."""
        return self._vectors.values(rows) if self._vectors else []

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """In the order asked."""
        return self._index.passages(rows)

    def document(self, document_id: str) -> Document:
        """A collection has passages only."""
        raise DocumentNotFound("A judged collection has no documents to read.")

    def close(self) -> None:
        """Close the files."""
        self._db.close()
        if self._vectors:
            self._vectors.close()


async def build_source(
    rows: Sequence[Mapping[str, str]], folder: Path, embedder: Embedder | None
) -> EvalSource:
    """Index the passages of a collection; with an embedder also their vectors.

    Vectors are of the same text as in packs (:func:`cairn.passages.embedding.embedding_text`).
    """
    path = str(folder / "passages.sqlite3")
    rows = sorted(rows, key=lambda row: row.get("doc", row["_id"]))  # a document's rows together
    writer = LexicalWriter(path)
    for number, row in enumerate(rows):
        writer.add(_passage(row, number), source_url="", reader_url="")
    writer.finish(
        dict.fromkeys(("schemaVersion", "corpusId", "version", "contentSha256", "documentCount"), "")
    )
    connection = sqlite3.connect(path, isolation_level=None)
    keys = [row["_id"] for row in rows]
    info = embedder.info if embedder else None
    if embedder is None or info is None:
        return EvalSource(keys, connection, None, None)
    vectors = folder / "vectors.bin"
    with vectors.open("wb") as file:
        out = VectorWriter(file, len(rows), {}, info.dimensions)
        for start in range(0, len(rows), BATCH):
            batch = [_passage(row, number) for number, row in enumerate(rows[start : start + BATCH])]
            texts = [embedding_text(p.title, p.locator, p.text) for p in batch]
            for vector in await embedder.embed_passages(texts):
                out.add(vector)
        out.finish()
    model = VectorModel(info.id, info.revision, info.dtype, info.dimensions)
    return EvalSource(keys, connection, VectorIndex(vectors), model)


def _passage(row: Mapping[str, str], number: int) -> Passage:
    text = row["text"]
    return Passage(
        passage_id=row["_id"],
        document_id=row.get("doc", row["_id"]),
        source_id=EvalSource.id,
        title=row.get("title", ""),
        language=iso639_3(row.get("lang", "")),
        collection="",
        licence="",
        locator=row.get("locator", row.get("title", "")),
        text=text,
        sha256=passage_sha256(text),
        token_estimate=estimate_tokens(text),
        ordinal=number,
        row=number,
    )
