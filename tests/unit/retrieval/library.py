"""A small library for tests: passages in memory, words counted, vectors given by hand."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterable, Sequence

from cairn.errors import CairnError, DocumentNotFound, PackInvalid
from cairn.index.types import Hit, LexicalQuery
from cairn.models.ports import ModelInfo, Progress
from cairn.passages.types import Passage
from cairn.passages.words import fold, grams, words
from cairn.sources.types import Document, VectorModel

E5 = ModelInfo("e5", "r1", "q4", "wasm", dimensions=2)
E5_VECTORS = VectorModel("e5", "r1", "q8", 2)


def passage(
    text: str, *, row: int = 0, title: str = "Guide", document: str = "", source: str = "notes",
    language: str = "eng", locator: str = "",
) -> Passage:  # fmt: skip
    """A passage whose ids follow from its row."""
    document = document or f"d{row}"
    return Passage(
        passage_id=f"{document}:{row}", document_id=document, source_id=source, title=title,
        language=language, collection="Field notes", licence="CC0-1.0", locator=locator or title, text=text,
        sha256=f"{row:064x}", token_estimate=len(text) // 4, ordinal=row, row=row,
    )  # fmt: skip


class FakeSource:
    """Ranks by the number of different query terms in a passage; vectors are what the test says."""

    kind = "pack"
    mode = "lexical-fallback"

    def __init__(
        self,
        texts: Sequence[str | Passage],
        *,
        id: str = "notes",
        vectors: Sequence[Sequence[float]] | None = None,
        model: VectorModel | None = E5_VECTORS,
        broken: bool = False,
    ) -> None:
        self.id = id
        self.title = id.title()
        self._passages = [
            p if isinstance(p, Passage) else passage(p, row=row, source=id) for row, p in enumerate(texts)
        ]
        self._vectors = vectors
        self.vector_model = model if vectors is not None else None
        self.broken = broken
        self.queries: list[LexicalQuery] = []

    @property
    def passage_count(self) -> int:
        return len(self._passages)

    def _tokens(self, row: int) -> set[str]:
        p = self._passages[row]
        found = {fold(w) for w in words(f"{p.title} {p.locator} {p.text}")}
        return found | {g for w in found for g in grams(w, (2,))}

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return {t: sum(fold(t) in self._tokens(r) for r in range(len(self._passages))) for t in terms}

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        if self.broken:
            raise PackInvalid(f"{self.title} is damaged.")
        self.queries.append(query)
        found = []
        for row in range(len(self._passages)):
            tokens = self._tokens(row)
            score = sum(fold(term) in tokens for term in query.terms)
            said = all(phrase in self._passages[row].text.lower() for phrase in query.phrases)
            if score and said and not tokens & set(query.excluded):
                found.append(Hit(row, float(score)))
        return sorted(found, key=lambda hit: (-hit.score, hit.row))[:limit]

    def search_vector(self, query: array[float], limit: int) -> list[Hit]:
        if self._vectors is None:
            return []
        found = [
            Hit(row, sum(a * b for a, b in zip(query, vector, strict=True)))
            for row, vector in enumerate(self._vectors)
        ]
        return sorted(found, key=lambda hit: (-hit.score, hit.row))[:limit]

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        return [self._passages[row] for row in rows]

    def document(self, document_id: str) -> Document:
        raise DocumentNotFound(document_id)


class FakeEmbedder:
    """Maps texts to the vectors it was given by a word in them; can fail or hang."""

    def __init__(self, vectors: dict[str, Sequence[float]] | None = None) -> None:
        self.info: ModelInfo | None = E5
        self.vectors = vectors or {}
        self.failure: CairnError | None = None
        self.hangs = False
        self.asked: list[str] = []

    async def load(self, progress: Progress) -> ModelInfo:
        return E5

    async def embed_query(self, text: str) -> array[float]:
        return (await self.embed_passages([text]))[0]

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        self.asked += texts
        if self.hangs:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        return [array("f", self._vector(text)) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        return next((v for word, v in self.vectors.items() if word in text), (0.0, 1.0))


class Clock:
    """Milliseconds that pass only when a test says so, or by ``step`` at each look."""

    def __init__(self, step: float = 1.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now
