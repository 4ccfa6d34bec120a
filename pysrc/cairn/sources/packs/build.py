"""Builds a pack from a recipe: the same input gives the same bytes.

Order in the ZIP: the two indexes first (stored, aligned, so that their place depends on nothing
else), then the documents (deflated), then the manifest (stored), whose ``downloadBytes`` states
the size of the ZIP itself and is found by repetition.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, TypeAlias

from cairn.index.lexical_writer import LexicalWriter
from cairn.index.vectors import VectorWriter
from cairn.passages.chunker import chunk
from cairn.passages.embedding import embedding_text
from cairn.passages.ids import passage_id, passage_sha256
from cairn.passages.types import Passage
from cairn.sources.packs.manifest import (
    FTS5_PATH,
    MANIFEST,
    VECTOR_PATH,
    IndexEntry,
    Manifest,
    VectorEntry,
    content_sha256,
    index_metadata,
    manifest_json,
    parse_manifest,
)
from cairn.sources.packs.reader_url import reader_url
from cairn.sources.packs.recipe import Recipe, RecipeDocument
from cairn.sources.packs.zipwriter import ZipWriter
from cairn.sources.types import VectorModel

Embed: TypeAlias = "Callable[[Sequence[str]], Sequence[array[float]]]"
"""Texts to unit vectors, one each; the callable adds its model's passage prefix."""
BuildProgress = Callable[[str, int, int], None]
_BATCH = 64
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedder of a build, and what the manifest says of it."""

    embed: Embed
    model: VectorModel


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Figures of a built pack, in bytes."""

    manifest: Manifest
    text_bytes: int
    fts5_bytes: int
    vector_bytes: int
    pack_bytes: int


def build_pack(
    recipe: Recipe,
    output: Path,
    *,
    embedding: Embedding | None,
    progress: BuildProgress = lambda phase, done, total: None,
) -> BuildReport:
    """Write the pack; ``output`` appears only when it is whole.

    Raises PackInvalid when the recipe's values break the format.
    """
    passages = list(cut(recipe))
    progress("passages", len(passages), len(passages))
    beside = output.with_name(output.name + ".part")
    with tempfile.TemporaryDirectory(prefix="cairn-pack-") as folder, ExitStack() as files:
        manifest = Manifest(
            corpus_id=recipe.id,
            version=recipe.version,
            content_sha256=content_sha256(d.entry for d in recipe.documents),
            download_bytes=1,
            documents=tuple(d.entry for d in recipe.documents),
            title=recipe.title,
            notice=recipe.notice,
            licence=recipe.licence,
        )
        fts5_path, vector_path = Path(folder, "fts5"), Path(folder, "vectors")
        _write_fts5(fts5_path, manifest, passages)
        progress("keywords", 1, 1)
        fts5 = files.enter_context(fts5_path.open("rb"))
        manifest = replace(manifest, fts5=_entry(FTS5_PATH, fts5, len(passages)))
        vectors = None
        if embedding is not None:
            with vector_path.open("wb") as file:
                _write_vectors(file, manifest, passages, embedding, progress)
            vectors = files.enter_context(vector_path.open("rb"))
            manifest = replace(manifest, vector=_vector_entry(vectors, len(passages), embedding))
        try:
            manifest = _write_zip(beside, manifest, recipe.documents, fts5, vectors)
            beside.replace(output)
        finally:
            beside.unlink(missing_ok=True)
    return BuildReport(
        manifest=manifest,
        text_bytes=sum(len(document.text.encode()) for document in recipe.documents),
        fts5_bytes=manifest.fts5.bytes if manifest.fts5 else 0,
        vector_bytes=manifest.vector.bytes if manifest.vector else 0,
        pack_bytes=manifest.download_bytes,
    )


def cut(recipe: Recipe) -> Iterator[Passage]:
    """The passages of all documents, rows counted through."""
    row = 0
    for document in recipe.documents:
        entry = document.entry
        occurrences: dict[tuple[str, str], int] = {}
        spans = chunk(document.text, entry.title, language=entry.language)
        for ordinal, span in enumerate(spans):
            text = document.text[span.start : span.end]
            sha256 = passage_sha256(text)
            occurrence = occurrences.get((span.locator, sha256), 0)
            occurrences[span.locator, sha256] = occurrence + 1
            yield Passage(
                passage_id=passage_id(entry.id, span.locator, sha256, occurrence),
                document_id=entry.id,
                source_id=recipe.id,
                title=entry.title,
                language=entry.language,
                collection=entry.collection,
                licence=entry.licence,
                locator=span.locator,
                text=text,
                sha256=sha256,
                token_estimate=span.token_estimate,
                ordinal=ordinal,
                row=row,
            )
            row += 1


def _write_fts5(path: Path, manifest: Manifest, passages: list[Passage]) -> None:
    urls = {document.id: document.source_url for document in manifest.documents}
    writer = LexicalWriter(str(path))
    for passage in passages:
        writer.add(
            passage,
            source_url=urls[passage.document_id],
            reader_url=reader_url(passage.source_id, passage.document_id, passage.passage_id),
        )
    writer.finish(index_metadata(manifest))


def _write_vectors(
    file: BinaryIO,
    manifest: Manifest,
    passages: list[Passage],
    embedding: Embedding,
    progress: BuildProgress,
) -> None:
    model = embedding.model
    metadata = {
        "clientModelId": model.id,
        "clientModelRevision": model.revision,
        "clientModelDtype": model.dtype,
        "corpusVersion": manifest.version,
    }
    writer = VectorWriter(file, len(passages), metadata, model.dimensions)
    for start in range(0, len(passages), _BATCH):
        batch = passages[start : start + _BATCH]
        for vector in embedding.embed([embedding_text(p.title, p.locator, p.text) for p in batch]):
            writer.add(vector)
        progress("vectors", start + len(batch), len(passages))
    writer.finish()


def _entry(path: str, file: BinaryIO, passage_count: int) -> IndexEntry:
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return IndexEntry(path, digest.hexdigest(), file.tell(), passage_count)


def _vector_entry(file: BinaryIO, passage_count: int, embedding: Embedding) -> VectorEntry:
    entry = _entry(VECTOR_PATH, file, passage_count)
    model = embedding.model
    return VectorEntry(
        entry.path, entry.sha256, entry.bytes, entry.passage_count,
        model.dimensions, model.id, model.revision, model.dtype,
    )  # fmt: skip


def _write_zip(
    path: Path,
    manifest: Manifest,
    documents: Sequence[RecipeDocument],
    fts5: BinaryIO,
    vectors: BinaryIO | None,
) -> Manifest:
    """Write the ZIP with a manifest that states the ZIP's own size; return that manifest."""
    with path.open("wb") as file:
        writer = ZipWriter(file)
        writer.add_stored(FTS5_PATH, fts5, align=True)
        if vectors is not None:
            writer.add_stored(VECTOR_PATH, vectors, align=True)
        for document in documents:
            writer.add_deflated(document.entry.path, document.text.encode())
        # A longer number makes a longer manifest, so this ends after two or three rounds.
        while manifest.download_bytes != (size := writer.size_with(MANIFEST, len(manifest_json(manifest)))):
            manifest = replace(manifest, download_bytes=size)
        data = manifest_json(manifest)
        writer.add_stored(MANIFEST, io.BytesIO(data), align=False)
        writer.finish()
    return parse_manifest(data)
