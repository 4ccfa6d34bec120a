"""The passages of a document of a pack: for its builder, and for packs without an index (schema 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cairn.passages.chunker import chunk
from cairn.passages.ids import Occurrences, passage_id, passage_sha256
from cairn.passages.types import Passage, Span
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import MOST_DOCUMENT_BYTES, DocumentEntry, Manifest


def passages_of(
    archive: PackArchive, manifest: Manifest, entry: DocumentEntry, row: int
) -> Iterator[Passage]:
    """The document's passages, the first of them at ``row``; ids as FORMATS.md 1.5 has them."""
    text = archive.read(entry.path, MOST_DOCUMENT_BYTES).decode("utf-8")
    return cut(manifest.corpus_id, entry, text, row=row)


def cut(
    source_id: str, entry: DocumentEntry, text: str, spans: Iterable[Span] = (), *, row: int = 0
) -> Iterator[Passage]:
    """The passages of a document's text, the first of them at ``row``; ``spans`` when it is cut already."""
    occurrences = Occurrences()
    for ordinal, span in enumerate(spans or chunk(text, entry.title, language=entry.language)):
        body = text[span.start : span.end]
        sha256 = passage_sha256(body)
        yield Passage(
            passage_id=passage_id(entry.id, span.locator, sha256, occurrences.next(span.locator, sha256)),
            document_id=entry.id,
            source_id=source_id,
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
