"""Builds a pack from a recipe: the same input gives the same bytes.

Order in the ZIP: the two indexes first (stored, aligned, so that their place depends on nothing
else), then the documents (deflated), then the manifest. A compact pack (schema 3) has all texts in
one member. A published one (schema 2) has a member for each document and a stored manifest whose
``downloadBytes`` states the size of the ZIP itself, which is found by repetition.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from cairn.errors import PackInvalid
from cairn.index.compact_writer import CompactWriter
from cairn.index.lexical_writer import LexicalWriter
from cairn.index.vectors import write_vectors
from cairn.sources.packs.manifest import (
    COMPACT,
    COMPACT_FTS5_PATH,
    COMPACT_VECTOR_PATH,
    FTS5_PATH,
    MANIFEST,
    MOST_BYTES,
    MOST_TEXT_BYTES,
    PUBLISHED,
    TEXTS_PATH,
    VECTOR_PATH,
    IndexEntry,
    Manifest,
    TextsEntry,
    VectorEntry,
    content_sha256,
    index_metadata,
    manifest_json,
    parse_manifest,
)
from cairn.sources.packs.prepare import Embed, Prepared, Spread, Task, in_turn, prepare
from cairn.sources.packs.reader_url import reader_url
from cairn.sources.packs.recipe import Recipe
from cairn.sources.packs.solid import SolidWriter
from cairn.sources.packs.zipwriter import ZipWriter
from cairn.sources.types import VectorModel

BuildProgress = Callable[[str, int, int], None]
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedder of a build, and what the manifest says of it."""

    embed: Embed
    model: VectorModel


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Figures of a built pack, in bytes; ``documents_bytes`` are the texts as they lie in it."""

    manifest: Manifest
    text_bytes: int
    documents_bytes: int
    fts5_bytes: int
    vector_bytes: int
    pack_bytes: int


def build_pack(
    recipe: Recipe,
    output: Path,
    *,
    embedding: Embedding | None,
    compatible: bool = False,
    spread: Spread = in_turn,
    progress: BuildProgress = lambda phase, done, total: None,
) -> BuildReport:
    """Write the pack; ``output`` appears only when it is whole.

    ``compatible`` gives the published schema 2 instead of the compact 3. Raises PackInvalid when
    the recipe's values break the format.
    """
    recipe = _with_addresses(recipe) if compatible else _in_order(recipe)
    beside = output.with_name(output.name + ".part")
    with tempfile.TemporaryDirectory(prefix="cairn-pack-") as folder, ExitStack() as files:

        def temporary(name: str) -> BinaryIO:
            return files.enter_context(Path(folder, name).open("w+b"))

        manifest = _first_manifest(recipe, compatible)
        rows, norms = temporary("rows"), array("f")
        tasks = (
            Task(recipe.id, document, embedding.embed if embedding else None, not compatible)
            for document in recipe.documents
        )
        prepared = _kept(spread(prepare, tasks), rows, norms, len(recipe.documents), progress)
        fts5_path = Path(folder, "fts5")
        texts = None
        if compatible:
            count = _write_published(fts5_path, manifest, prepared)
        else:
            texts = temporary("texts")
            solid = SolidWriter(texts)
            for document in recipe.documents:
                solid.add(document.text.encode())
            solid.finish()
            count = _write_compact(fts5_path, manifest, prepared, solid.ends)
        if not count:
            raise PackInvalid("The documents of the recipe have no passages.")
        progress("keywords", 1, 1)
        fts5 = files.enter_context(fts5_path.open("rb"))
        fts5_name, vector_name = _index_names(compatible)
        manifest = replace(manifest, fts5=index_entry(fts5_name, fts5, count))
        vectors = None
        if embedding is not None:
            vectors = temporary("vectors")
            model = embedding.model
            write_vectors(vectors, _vector_metadata(manifest, model), model.dimensions, rows, norms)
            manifest = replace(manifest, vector=_vector_entry(vector_name, vectors, count, model))
        try:
            with beside.open("wb") as file:
                writer = ZipWriter(file)
                writer.add_stored(fts5_name, fts5, align=True)
                if vectors is not None:
                    writer.add_stored(vector_name, vectors, align=True)
                if texts is not None:
                    manifest = replace(manifest, texts=_texts_entry(texts))
                    writer.add_packed(TEXTS_PATH, texts, solid.crc, solid.bytes)
                    documents_bytes = solid.packed_bytes
                    manifest = _end_compact(writer, manifest)
                else:
                    documents_bytes = -file.tell()
                    for document in recipe.documents:
                        writer.add_deflated(document.entry.path, document.text.encode())
                    documents_bytes += file.tell()
                    manifest = _end_published(writer, manifest)
                pack_bytes = file.tell()
            if pack_bytes > MOST_BYTES:
                raise PackInvalid("The pack would be larger than 2 GiB.", hint="Make two packs of it.")
            beside.replace(output)
        finally:
            beside.unlink(missing_ok=True)
    return BuildReport(
        manifest=manifest,
        text_bytes=sum(len(document.text.encode()) for document in recipe.documents),
        documents_bytes=documents_bytes,
        fts5_bytes=manifest.fts5.bytes if manifest.fts5 else 0,
        vector_bytes=manifest.vector.bytes if manifest.vector else 0,
        pack_bytes=pack_bytes,
    )


def _with_addresses(recipe: Recipe) -> Recipe:
    """The recipe, in which every document must have the address that the published layout wants."""
    for document in recipe.documents:
        if not document.entry.source_url:
            raise PackInvalid(
                f"{document.entry.id} has no source_url, which the published layout wants.",
                hint="State it in the recipe, or build without --compatible.",
            )
    return recipe


def _in_order(recipe: Recipe) -> Recipe:
    """Documents of one language and collection together: their texts share more words."""
    documents = [
        replace(document, entry=replace(document.entry, bytes=len(document.text.encode())))
        for document in recipe.documents
    ]
    if sum(document.entry.bytes for document in documents) > MOST_TEXT_BYTES:
        raise PackInvalid("The documents are larger than 4 GiB together.", hint="Make two packs of them.")
    documents.sort(key=lambda d: (d.entry.language, d.entry.collection, d.entry.id))
    return replace(recipe, documents=tuple(documents))


def _first_manifest(recipe: Recipe, compatible: bool) -> Manifest:
    return Manifest(
        corpus_id=recipe.id,
        version=recipe.version,
        content_sha256=content_sha256(d.entry for d in recipe.documents),
        download_bytes=1 if compatible else 0,
        documents=tuple(d.entry for d in recipe.documents),
        title=recipe.title,
        notice=recipe.notice,
        licence=recipe.licence,
        schema_version=PUBLISHED if compatible else COMPACT,
    )


def _index_names(compatible: bool) -> tuple[str, str]:
    return (FTS5_PATH, VECTOR_PATH) if compatible else (COMPACT_FTS5_PATH, COMPACT_VECTOR_PATH)


def _kept(
    prepared: Iterator[Prepared], rows: BinaryIO, norms: array[float], total: int, progress: BuildProgress
) -> Iterator[Prepared]:
    """The prepared documents; their vectors go to a file on the way."""
    for number, document in enumerate(prepared, start=1):
        rows.write(document.vectors)
        norms.extend(document.norms)
        yield document
        progress("documents", number, total)


def _write_published(path: Path, manifest: Manifest, prepared: Iterator[Prepared]) -> int:
    urls = {document.id: document.source_url for document in manifest.documents}
    writer = LexicalWriter(str(path))
    row = 0
    for document in prepared:
        for passage in document.passages:
            address = reader_url(passage.source_id, passage.document_id, passage.passage_id)
            source_url = urls[passage.document_id]
            writer.add(replace(passage, row=row), source_url=source_url, reader_url=address)
            row += 1
    return writer.finish(index_metadata(manifest))


def _write_compact(path: Path, manifest: Manifest, prepared: Iterator[Prepared], ends: array[int]) -> int:
    writer = CompactWriter(str(path), manifest.text_bytes)
    for entry, document in zip(manifest.documents, prepared, strict=True):
        writer.add_document(entry.id, entry.bytes, document.rows)
    return writer.finish(index_metadata(manifest), ends)


def index_entry(path: str, file: BinaryIO, passage_count: int) -> IndexEntry:
    """What a manifest says of an index that has so many passages."""
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return IndexEntry(path, digest.hexdigest(), file.tell(), passage_count)


def _vector_metadata(manifest: Manifest, model: VectorModel) -> dict[str, str]:
    return {
        "clientModelId": model.id,
        "clientModelRevision": model.revision,
        "clientModelDtype": model.dtype,
        "corpusVersion": manifest.version,
    }


def _vector_entry(path: str, file: BinaryIO, passage_count: int, model: VectorModel) -> VectorEntry:
    entry = index_entry(path, file, passage_count)
    return VectorEntry(
        entry.path, entry.sha256, entry.bytes, entry.passage_count,
        model.dimensions, model.id, model.revision, model.dtype,
    )  # fmt: skip


def _texts_entry(texts: BinaryIO) -> TextsEntry:
    entry = index_entry(TEXTS_PATH, texts, 0)
    return TextsEntry(entry.sha256, entry.bytes)


def _end_compact(writer: ZipWriter, manifest: Manifest) -> Manifest:
    data = manifest_json(manifest)
    writer.add_stored(MANIFEST, io.BytesIO(data), align=False)
    writer.finish()
    return parse_manifest(data)


def _end_published(writer: ZipWriter, manifest: Manifest) -> Manifest:
    """Write a manifest that states the ZIP's own size."""
    # A longer number makes a longer manifest, so this ends after two or three rounds.
    while manifest.download_bytes != (size := writer.size_with(MANIFEST, len(manifest_json(manifest)))):
        manifest = replace(manifest, download_bytes=size)
    data = manifest_json(manifest)
    writer.add_stored(MANIFEST, io.BytesIO(data), align=False)
    writer.finish()
    return parse_manifest(data)
