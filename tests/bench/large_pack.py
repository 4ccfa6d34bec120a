"""Packs of 570 documents and 250,000 passages: ours, and the published layout's schemas 1 and 2.

    python -m tests.bench.large_pack [--passages 250000] [--out build-cache/bench]

No published pack of that size can be had where tests run, so one is made: every passage joins the
halves of two real passages of one language (../shared/data/corpus), so that words are as frequent as
they are. Vectors are real E5 vectors of a few thousand passages with a little noise; the manifest
says so. The same seed gives the same packs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cairn.index.compact_writer import CompactRow
from cairn.native.vector_cache import cache_root
from cairn.passages.chunker import chunk
from cairn.passages.indexing import further_terms, indexed_text
from cairn.passages.languages import iso639_3
from cairn.passages.tokens import estimate_tokens
from cairn.passages.words import search_terms
from cairn.sources.packs.build import BuildReport, Embedding, build_pack
from cairn.sources.packs.manifest import DocumentEntry
from cairn.sources.packs.prepare import Prepared, Task
from cairn.sources.packs.recipe import Recipe, RecipeDocument
from cairn.sources.packs.texts import normalise_text
from cairn.sources.types import VectorModel
from tests.unit.packs.emergency_box import PublishedDocument, PublishedPassage, Vectors, write_published

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "corpus"
OUT = ROOT / "build-cache" / "bench"
DOCUMENTS, PASSAGES = 570, 250_000
DIMENSIONS, NOISE = 384, 0.02
SYNTHETIC = "Made for tests: recombined passages; vectors are real E5 vectors with noise."
VERSION = "synthetic-1"
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage to be: its heading and text, ending with a blank line."""

    locator: str
    text: str


@dataclass(frozen=True, slots=True)
class Book:
    """A document to be."""

    id: str
    title: str
    language: str
    collection: str
    licence: str
    pieces: tuple[Piece, ...]


def real_passages(folder: Path = CORPUS) -> dict[str, list[tuple[str, str, str, str]]]:
    """Passages of the corpus by language: (text, locator, collection, licence)."""
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for said in json.loads((folder / "manifest.json").read_text("utf-8")):
        if said["format"] not in ("md", "txt"):
            continue
        text = normalise_text((folder / said["path"]).read_text("utf-8", errors="replace"))
        language = iso639_3(said["lang"])
        for span in chunk(text, said["title"], language=language):
            body = " ".join(text[span.start : span.end].replace("\0", "").split(" "))
            if len(body) > 200:
                found.setdefault(language, []).append(
                    (body.strip(), span.locator, said["collection"], said["licence"])
                )
    return {language: rows for language, rows in sorted(found.items()) if len(rows) >= 8}


def books(count: int, passages: int, seed: int = 1) -> Iterator[Book]:
    """So many documents with so many passages together, languages as frequent as in the corpus."""
    rng = random.Random(seed)
    real = real_passages()
    languages = [(language, len(rows)) for language, rows in real.items()]
    each, more = divmod(passages, count)
    for number in range(count):
        (language,) = rng.choices([name for name, _ in languages], [size for _, size in languages])
        rows = real[language]
        title, collection, licence = rng.choice(rows)[1:]
        pieces = tuple(_piece(rng, rows) for _ in range(each + (number < more)))
        yield Book(f"book-{number:04d}", f"{title[:120]} {number}", language, collection, licence, pieces)


def _piece(rng: random.Random, rows: list[tuple[str, str, str, str]]) -> Piece:
    one, other = rng.choice(rows), rng.choice(rows)
    head, tail = _SENTENCE.split(one[0]), _SENTENCE.split(other[0])
    text = " ".join(head[: len(head) // 2 + 1]) + "\n\n" + " ".join(tail[len(tail) // 2 :])
    return Piece(one[1], text.strip() + "\n\n")


def real_vectors(most: int = 4000) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Vectors that E5 made of real texts, from the cache that building packs fills."""
    files = sorted((cache_root() / "vectors").glob("*/*/*"))[:most]
    kept = [data for path in files if len(data := path.read_bytes()) == 4 * DIMENSIONS]
    if len(kept) < 500:
        raise SystemExit("Too few vectors are kept on this machine: ./cairn build makes some hundreds.")
    return np.frombuffer(b"".join(kept), dtype=np.float32).reshape(-1, DIMENSIONS)


def vectors(count: int, seed: int = 1) -> tuple[bytes, array[float]]:
    """int8 rows and norms: real vectors with noise, quantised as the builder does."""
    real = real_vectors()
    rng = np.random.default_rng(seed)
    rows, norms = bytearray(), array("f")
    for start in range(0, count, 8192):
        size = min(8192, count - start)
        made = real[rng.integers(0, len(real), size)]
        made = made + rng.standard_normal((size, DIMENSIONS), dtype=np.float32) * NOISE
        scaled = np.rint(made * (127.0 / np.abs(made).max(axis=1, keepdims=True))).astype(np.int8)
        rows += scaled.tobytes()
        norms.extend(np.sqrt((scaled.astype(np.int64) ** 2).sum(axis=1)).tolist())
    return bytes(rows), norms


def write_ours(path: Path, library: list[Book], rows: bytes, norms: array[float]) -> BuildReport:
    """A compact pack whose passages are the pieces as they are, through the product's own builder."""
    by_id = {book.id: book for book in library}
    first = 0
    starts: dict[str, int] = {}
    recipe_documents = []
    for book in library:
        text = "".join(piece.text for piece in book.pieces).rstrip("\n") + "\n"
        entry = DocumentEntry(
            id=book.id, title=book.title, language=book.language, collection=book.collection,
            source_url="https://example.org/synthetic", licence=book.licence,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )  # fmt: skip
        recipe_documents.append(RecipeDocument(entry, text))
        starts[book.id] = first
        first += len(book.pieces)
    recipe = Recipe("cairn-large", "Large test library", VERSION, SYNTHETIC, "mixed", tuple(recipe_documents))

    def spread(work: Callable[[Any], Any], tasks: Iterable[Any], /) -> Iterator[Any]:
        for task in tasks:
            yield _prepared(task, by_id[task.document.entry.id], starts, rows, norms)

    model = VectorModel("multilingual-e5-small", "synthetic", "q8", DIMENSIONS)
    embedding = Embedding(lambda texts: [], model)
    return build_pack(recipe, path, embedding=embedding, spread=spread, progress=told)


def _prepared(task: Task, book: Book, starts: dict[str, int], rows: bytes, norms: array[float]) -> Prepared:
    texts = [piece.text for piece in book.pieces]
    texts[-1] = texts[-1].rstrip("\n") + "\n"
    made, at = [], 0
    for piece, text in zip(book.pieces, texts, strict=True):
        data = text.encode()
        columns = (text, book.title, piece.locator, book.collection)
        made.append(
            CompactRow(
                words=(*map(indexed_text, columns), further_terms(book.language, *columns)),
                start=at,
                length=len(data),
                locator=piece.locator,
                token_estimate=estimate_tokens(text),
                occurrence=0,
                digest=hashlib.sha256(data).digest()[:16],
            )
        )
        at += len(data)
    first, end = starts[book.id], starts[book.id] + len(made)
    return Prepared(book.id, (), tuple(made), rows[first * DIMENSIONS : end * DIMENSIONS], norms[first:end])


def published(library: list[Book], schema: int) -> Iterator[PublishedDocument]:
    """The same documents for the published layout."""
    for book in library:
        texts = [piece.text for piece in book.pieces]
        texts[-1] = texts[-1].rstrip("\n") + "\n"
        passages = tuple(
            PublishedPassage(
                piece.locator,
                text,
                search_terms(book.title, book.collection, piece.locator, text) if schema == 2 else "",
            )
            for piece, text in zip(book.pieces, texts, strict=True)
        )
        yield PublishedDocument(
            book.id, book.title, book.language, book.collection, "https://example.org/synthetic",
            book.licence, passages,
        )  # fmt: skip


def told(phase: str, done: int, total: int) -> None:
    """Say how far it is, every hundredth document."""
    if done % 100 == 0 or done == total:
        print(f"  {time.strftime('%H:%M:%S')} {phase} {done} of {total}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--only", choices=("ours", "2", "1"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    library = list(books(options.documents, options.passages))
    rows, norms = vectors(options.passages)
    if options.only in (None, "ours"):
        report = write_ours(options.out / "large-compact.zip", library, rows, norms)
        parts = {"text": report.text_bytes, "documents": report.documents_bytes, "index": report.fts5_bytes,
                 "vectors": report.vector_bytes, "pack": report.pack_bytes}  # fmt: skip
        ratio = (report.documents_bytes + report.fts5_bytes + report.vector_bytes) / report.text_bytes
        print(json.dumps(parts), f"{ratio:.3f} x the text", flush=True)
    for schema in (2, 1):
        if options.only in (None, str(schema)):
            path = options.out / f"large-published-{schema}.zip"
            model = ("multilingual-e5-small", "synthetic", "q8")
            made = Vectors(rows, norms.tobytes(), DIMENSIONS, model, SYNTHETIC) if schema == 2 else None
            write_published(
                path,
                list(published(library, schema)),
                schema=schema,
                vectors=made,
                scratch=options.out,
                version=VERSION,
            )
            print(f"{path.name}: {path.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
