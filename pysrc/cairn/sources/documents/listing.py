"""Collections, documents and passages as pages list them."""

from __future__ import annotations

from cairn.index.diversity import NEAR_DUPLICATE, jaccard, shingles
from cairn.protocol import AlikePassage, CollectionInfo, DocumentInfo, PassageInfo
from cairn.sources.documents.database import LibraryDatabase
from cairn.sources.documents.importing import Importer
from cairn.sources.documents.records import DocumentRow
from cairn.sources.documents.schema import table
from cairn.sources.documents.source import CollectionSource

MOST_COMPARED = 4_000
"""Passages of a collection that a document's are compared with."""


def document_info(row: DocumentRow, current: int = 0) -> DocumentInfo:
    """A document as the page lists it; ``current`` is the number of the one that is worked on."""
    return DocumentInfo(
        number=row.number,
        id=row.id,
        path=row.path,
        title=row.title,
        kind=row.kind,
        language=row.language,
        bytes=row.bytes,
        status="processing" if row.number == current and row.status == "pending" else row.status,
        reason=row.reason,
        hint=row.hint,
        code=row.code,
        done=row.done,
        total=row.total,
        pages=row.total if row.kind == "pdf" else 0,
        passages=row.passages,
        notes=row.notes,
    )


def collection_info(
    database: LibraryDatabase, source: CollectionSource, importer: Importer, *, comparable: bool
) -> CollectionInfo:
    """A collection as the page lists it."""
    collection = source.collection
    counts = dict(
        database.rows(
            "SELECT status, count(*) FROM documents WHERE collection = ? GROUP BY status",
            (collection.number,),
        )
    )
    model = source.vector_model
    info = CollectionInfo(
        id=collection.id,
        name=collection.name,
        description=collection.description,
        documents=sum(counts.values()),
        completed=counts.get("completed", 0),
        waiting=counts.get("pending", 0),
        failed=counts.get("failed", 0),
        skipped=counts.get("skipped", 0),
        passages=source.passage_count,
        vectors=source.passage_count - source.missing_vectors,
        model=model.id if model else "",
        comparable=comparable,
        paused=importer.paused,
    )
    current = database.documents("number = ? AND collection = ?", (importer.current, collection.number))
    if current:
        info["now"] = document_info(current[0], importer.current)
    return info


def passage_infos(
    database: LibraryDatabase, source: CollectionSource, row: DocumentRow, offset: int, limit: int
) -> list[PassageInfo]:
    """Passages of a document in reading order, with those of the collection that nearly repeat them."""
    number = source.collection.number
    found = database.rows(
        f"SELECT t.passage_id, p.ordinal, t.body, t.locator, p.tokens, p.first_page, p.last_page, v.row"
        f" FROM places p JOIN {table(number)} t ON t.rowid = p.row"
        " LEFT JOIN vectors v ON v.collection = p.collection AND v.row = p.row"
        " WHERE p.document = ? ORDER BY p.ordinal LIMIT ? OFFSET ?",
        (row.number, limit, offset),
    )
    alike = _alike(database, source, [(name, body) for name, _, body, *_ in found])
    return [
        PassageInfo(
            id=name,
            ordinal=ordinal,
            text=body,
            locator=locator,
            tokens=tokens,
            page=first,
            last_page=last,
            vector=vector is not None,
            alike=alike[name],
        )
        for name, ordinal, body, locator, tokens, first, last, vector in found
    ]


def _alike(
    database: LibraryDatabase, source: CollectionSource, passages: list[tuple[str, str]]
) -> dict[str, list[AlikePassage]]:
    number = source.collection.number
    own = [(name, shingles(body)) for name, body in passages]
    found: dict[str, list[AlikePassage]] = {name: [] for name, _ in passages}
    others = database.rows(
        f"SELECT t.passage_id, t.document_id, t.title, t.body FROM places p JOIN {table(number)} t"
        " ON t.rowid = p.row JOIN documents d ON d.number = p.document AND d.status = 'completed'"
        " WHERE p.collection = ? ORDER BY p.row LIMIT ?",
        (number, MOST_COMPARED),
    )
    for other, document, title, body in others:
        theirs = shingles(body)
        for name, mine in own:
            # Sets of very different size cannot share enough.
            if name == other or not NEAR_DUPLICATE * len(mine) <= len(theirs) <= len(mine) / NEAR_DUPLICATE:
                continue
            value = jaccard(mine, theirs)
            if value >= NEAR_DUPLICATE and len(found[name]) < 5:
                found[name].append(
                    AlikePassage(document=document, title=title, passage=other, alike=round(value, 2))
                )
    return found
