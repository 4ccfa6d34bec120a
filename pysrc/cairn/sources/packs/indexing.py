"""The passages of a document of a pack that comes without an index (schema 1)."""

from __future__ import annotations

from collections.abc import Iterator

from cairn.passages.chunker import chunk
from cairn.passages.ids import passage_id, passage_sha256
from cairn.passages.types import Passage
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MOST_DOCUMENT_BYTES, DocumentEntry, Manifest


def passages_of(
    archive: PackArchive, manifest: Manifest, entry: DocumentEntry, row: int
) -> Iterator[Passage]:
    """The document's passages, the first of them at ``row``; ids as FORMATS.md 1.5 has them."""
    text = archive.read(entry.path, MOST_DOCUMENT_BYTES).decode("utf-8")
    occurrences: dict[tuple[str, str], int] = {}
    for ordinal, span in enumerate(chunk(text, entry.title, language=entry.language)):
        body = text[span.start : span.end]
        sha256 = passage_sha256(body)
        occurrence = occurrences.get((span.locator, sha256), 0)
        occurrences[span.locator, sha256] = occurrence + 1
        yield Passage(
            passage_id=passage_id(entry.id, span.locator, sha256, occurrence),
            document_id=entry.id,
            source_id=manifest.corpus_id,
            title=entry.title,
            language=entry.language,
            collection=entry.collection,
            licence=entry.licence,
            locator=span.locator,
            text=body,
            sha256=sha256,
            token_estimate=span.token_estimate,
            ordinal=ordinal,
            row=row + ordinal,
        )
