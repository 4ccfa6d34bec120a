"""The same passages in the same order on CPython and in Pyodide: this runs in both tiers.

A made-up library in four scripts with made-up vectors, asked questions with slips, inflections,
phrases and exclusions. What is compared is the digest of all ids in their order, as CPython gave it.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

from cairn.index.lexical import LexicalIndex
from cairn.index.lexical_writer import LexicalWriter
from cairn.index.types import Hit, LexicalQuery
from cairn.index.vector_search import VectorIndex
from cairn.index.vectors import VectorWriter
from cairn.models.ports import ModelInfo
from cairn.passages.types import Passage
from cairn.retrieval.search import search
from cairn.sources.types import Document, VectorModel
from tests.unit.retrieval.library import Clock, FakeEmbedder, passage

MODEL = ModelInfo("multilingual-e5-small", "r", "q8", "wasm", dimensions=384)
PASSAGES, QUESTIONS = 240, 40
DIGEST = "e7441f33c5072918"

WORDS = {
    "eng": "boil river water minute bleeding wound pressure bandage splint leg fire wood smoke shelter snow "
    "compass north signal mirror whistle infant child breathing rescue knot rope tent poison snake fever",
    "spa": "hervir agua río minuto hemorragia herida presión vendaje pierna fuego leña humo refugio nieve "
    "brújula norte señal espejo silbato bebé niño respirar nudo cuerda veneno serpiente fiebre",
    "ara": "ماء النهر دقيقة نزيف الجرح ضغط ضماد الساق نار حطب دخان مأوى ثلج بوصلة الشمال إشارة مرآة صافرة",
    "zho": "烧开 河水 一分钟 止血 伤口 压迫 绷带 腿部 生火 木柴 浓烟 避难 雪地 指南针 北方 信号 镜子 婴儿",
}


class Library:
    """A published index and a vector file behind the port."""

    id, title, kind, mode = "made-up", "Made up", "pack", "lexical-fallback"
    vector_model = VectorModel(MODEL.id, MODEL.revision, MODEL.dtype, MODEL.dimensions)

    def __init__(self, folder: Path, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        writer = LexicalWriter(str(folder / "fts5"))
        for one in passages:
            writer.add(one, source_url="", reader_url="")
        keys = ("schemaVersion", "corpusId", "version", "contentSha256", "documentCount")
        writer.finish(dict.fromkeys(keys, ""))
        with (folder / "vectors").open("wb") as file:
            out = VectorWriter(file, len(passages), {}, MODEL.dimensions)
            for vector in vectors:
                out.add(vector)
            out.finish()
        self._db = sqlite3.connect(folder / "fts5", isolation_level=None)
        self._index, self._vectors = LexicalIndex(self._db, self.id), VectorIndex(folder / "vectors")
        self.passage_count = len(passages)
        self.document_frequency = self._index.document_frequency
        self.vocabulary, self.words_beginning = self._index.vocabulary, self._index.words_beginning
        self.passages, self.search_vector = self._index.passages, self._vectors.search
        self.vector_values = self._vectors.values

    def search_words(self, query: LexicalQuery, limit: int) -> list[Hit]:
        return self._index.search(query, limit)

    def document(self, document_id: str) -> Document:
        raise NotImplementedError

    def close(self) -> None:
        self._db.close()
        self._vectors.close()


def made_up(rng: random.Random) -> tuple[list[Passage], list[list[float]]]:
    passages, vectors = [], []
    for row in range(PASSAGES):
        language = rng.choice(list(WORDS))
        words = WORDS[language].split()
        title, text = " ".join(rng.choices(words, k=2)), " ".join(rng.choices(words, k=rng.randint(8, 60)))
        passages.append(passage(text, row=row, title=title, language=language, document=f"d{row // 3:03}"))
        vectors.append([6.0, *(rng.random() for _ in range(MODEL.dimensions - 1))])
    return passages, vectors


def asked(rng: random.Random) -> Iterable[str]:
    for number in range(QUESTIONS):
        words = rng.sample(WORDS[rng.choice(list(WORDS))].split(), k=rng.randint(1, 4))
        if number % 4 == 1:
            words[0] = words[0][:2] + words[0][3:]
        if number % 7 == 2:
            words.append("-" + words.pop())
        yield f'"{words[0]} {words[-1]}" water' if number % 11 == 3 else " ".join(words)


def test_the_same_ids_in_the_same_order(tmp_path: Path) -> None:
    """Intent: what is found does not depend on where Cairn runs."""
    rng = random.Random(4)
    passages, vectors = made_up(rng)
    library = Library(tmp_path, passages, vectors)
    embedder = FakeEmbedder()
    embedder.info = MODEL
    digest = hashlib.sha256()
    for question in asked(rng):
        values = [6.0, *(rng.random() for _ in range(MODEL.dimensions - 1))]
        length = sum(value * value for value in values) ** 0.5
        embedder.vectors = {"": array("f", [value / length for value in values])}
        for model in (None, embedder):
            result = asyncio.run(search(question, sources=[library], embedder=model, clock=Clock()))
            order = [(c.passage.row, c.dropped, c.lexical_rank, c.semantic_rank) for c in result.considered]
            digest.update(f"{order}\n".encode())
    library.close()
    assert digest.hexdigest()[:16] == DIGEST
