"""Vectors for passages that have none: in the background, the shortest first, behind every question.

Each batch is one transaction, so an engine that ends loses one batch at most. A collection keeps to
the model its first vector was made with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from cairn.index.vectors import quantise
from cairn.models.ports import Embedder
from cairn.passages.embedding import embedding_text
from cairn.sources.documents.database import LibraryDatabase
from cairn.sources.documents.schema import table
from cairn.sources.documents.source import CollectionSource, read_model, write_model
from cairn.sources.types import VectorModel

BATCH_TOKENS = 420
"""Of one call of the embedder: a question that comes meanwhile waits for about half a second."""

BATCH_PASSAGES = 8
LISTED = 256
"""Passages that are looked up at once."""

_WAITING = """
    SELECT p.row, p.tokens FROM places p JOIN documents d ON d.number = p.document AND d.status = 'completed'
    LEFT JOIN vectors v ON v.collection = p.collection AND v.row = p.row
    WHERE p.collection = ? AND v.row IS NULL ORDER BY p.tokens, p.row LIMIT ?
"""


@dataclass(slots=True)
class Embedding:
    """Runs while an embedder is there and passages wait."""

    database: LibraryDatabase
    quiet: Callable[[], Awaitable[None]]
    changed: Callable[[], None]
    done: int = 0  # since the start of this run
    waiting: dict[str, int] = field(default_factory=dict)  # collection id → passages without a vector

    async def run(self, embedder: Embedder, sources: Callable[[], list[CollectionSource]]) -> None:
        """Embed until nothing waits; raises what the embedder raises, after which it can be run again."""
        self.done = 0
        while True:
            source = next((one for one in sources() if self._wants(one, embedder)), None)
            if source is None:
                return
            await self._embed(embedder, source)

    def count(self, source: CollectionSource) -> int:
        """How many visible passages of a collection have no vector."""
        return source.missing_vectors

    def _wants(self, source: CollectionSource, embedder: Embedder) -> bool:
        info = embedder.info
        model = source.vector_model
        fits = info is not None and (
            model is None
            or (model.id, model.revision, model.dimensions) == (info.id, info.revision, info.dimensions)
        )
        return fits and source.missing_vectors > 0

    async def _embed(self, embedder: Embedder, source: CollectionSource) -> None:
        """Embed the passages that wait now, up to :data:`LISTED`."""
        number = source.collection.number
        waiting = self.database.rows(_WAITING, (number, LISTED))
        while waiting:
            batch = [waiting.pop(0)]
            while waiting and len(batch) < BATCH_PASSAGES:
                if sum(tokens for _, tokens in batch) + waiting[0][1] > BATCH_TOKENS:
                    break
                batch.append(waiting.pop(0))
            await self.quiet()
            found = self._texts(source, [row for row, _ in batch])
            if not found:
                return
            vectors = await embedder.embed_passages([text for _, text in found])
            info = embedder.info
            if info is None:
                return
            rows = []
            for (row, _), vector in zip(found, vectors, strict=True):
                data, norm = quantise(vector)
                rows.append((row, data, norm))
            self._store(source, VectorModel(info.id, info.revision, info.dtype, info.dimensions), rows)
            self.done += len(rows)
            self.changed()
            await asyncio.sleep(0)

    def _texts(self, source: CollectionSource, rows: list[int]) -> list[tuple[int, str]]:
        name = table(source.collection.number)
        found = []
        for row in rows:
            for title, locator, body in self.database.rows(
                f"SELECT title, locator, body FROM {name} WHERE rowid = ?", (row,)
            ):
                found.append((row, embedding_text(title, locator, body)))
        return found

    def _store(
        self, source: CollectionSource, model: VectorModel, rows: list[tuple[int, bytes, float]]
    ) -> None:
        number = source.collection.number
        kept = []
        with self.database.transaction() as db:
            if not source.collection.model:
                db.execute("UPDATE collections SET model = ? WHERE number = ?", (write_model(model), number))
            for row, data, norm in rows:
                # A passage that was deleted while it was embedded gets no vector.
                done = db.execute(
                    "INSERT OR IGNORE INTO vectors (collection, row, data, norm)"
                    " SELECT collection, row, ?, ? FROM places WHERE collection = ? AND row = ?",
                    (data, norm, number, row),
                )
                if done.rowcount:
                    kept.append((row - 1, data, norm))
        if read_model(source.collection.model) is None:
            source.collection.model = write_model(model)
        source.add_vectors(kept)
