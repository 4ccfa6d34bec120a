"""A judged collection as a pack, its passages as they are: what the app can install and search."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from cairn.passages.languages import iso639_3
from cairn.passages.tokens import estimate_tokens
from cairn.passages.types import Span
from cairn.sources.packs.build import Embedding, build_pack
from cairn.sources.packs.indexing import cut
from cairn.sources.packs.manifest import DocumentEntry
from cairn.sources.packs.recipe import Recipe, RecipeDocument
from cairn.sources.packs.texts import normalise_text

PACK = "evaluation"
Row = Mapping[str, str]


def write_pack(rows: Sequence[Row], output: Path, embedding: Embedding | None) -> dict[str, str]:
    """Write a compact pack of the passages; the collection's name of each passage of the pack, by its id.

    The rows of one document that share their title become a document of the pack, cut where they are
    cut. Raises PackInvalid when a passage is blank.
    """
    documents: list[RecipeDocument] = []
    names: dict[str, str] = {}
    for number, (facts, group) in enumerate(groupby(sorted(rows, key=_facts), key=_facts)):
        together = list(group)
        document = _document(f"d{number:07}", facts, together)
        documents.append(document)
        passages = cut(PACK, document.entry, document.text, document.spans)
        for passage, row in zip(passages, together, strict=True):
            names[passage.passage_id] = row["_id"]
    recipe = Recipe(PACK, "Evaluation", "1", "", "", tuple(documents))
    build_pack(recipe, output, embedding=embedding)
    return names


def _facts(row: Row) -> tuple[str, str, str]:
    return row.get("doc", row["_id"]), row.get("title", ""), row.get("lang", "")


def _document(identifier: str, facts: tuple[str, str, str], rows: Sequence[Row]) -> RecipeDocument:
    name, heading, language = facts
    title = _one_line(heading) or _one_line(name)
    text = ""
    spans = []
    for row in rows:
        body = _plain(row["text"]) + ("\n" if row is not rows[-1] else "")
        locator = _one_line(row.get("locator", "")) or title
        spans.append(Span(len(text), len(text) + len(body), locator, estimate_tokens(body)))
        text += body
    entry = DocumentEntry(
        id=identifier,
        title=title,
        language=iso639_3(language),
        collection="Evaluation",
        source_url="",
        licence="as its collection",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    return RecipeDocument(entry, text, tuple(spans))


def _plain(text: str) -> str:
    """As a pack may have it: no NUL, no byte order mark."""
    return normalise_text(text.replace("\0", " ").lstrip("\ufeff"))


def _one_line(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))[:500]
