"""What differs between two packs, by their manifests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from cairn.sources.packs.manifest import DocumentEntry, Manifest


@dataclass(frozen=True, slots=True)
class PackDiff:
    """Documents by id, and the facts of the pack itself as (name, before, after)."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]  # the text differs
    relabelled: tuple[str, ...]  # only title, licence or the like differ
    facts: tuple[tuple[str, str, str], ...]

    @property
    def empty(self) -> bool:
        """Whether the two say the same."""
        return not (self.added or self.removed or self.changed or self.relabelled or self.facts)


def compare(old: Manifest, new: Manifest) -> PackDiff:
    """What became of the old pack's documents in the new one."""
    before = {document.id: document for document in old.documents}
    after = {document.id: document for document in new.documents}
    both = sorted(before.keys() & after.keys())
    return PackDiff(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(name for name in both if before[name].sha256 != after[name].sha256),
        relabelled=tuple(name for name in both if _relabelled(before[name], after[name])),
        facts=tuple(_facts(old, new)),
    )


def _relabelled(old: DocumentEntry, new: DocumentEntry) -> bool:
    names = [field.name for field in fields(DocumentEntry) if field.name != "bytes"]
    return old.sha256 == new.sha256 and any(getattr(old, name) != getattr(new, name) for name in names)


def _facts(old: Manifest, new: Manifest) -> Iterator[tuple[str, str, str]]:
    for name, get in _FACTS.items():
        before, after = get(old), get(new)
        if before != after:
            yield name, before, after


def _passages(manifest: Manifest) -> str:
    return str(manifest.fts5.passage_count) if manifest.fts5 else "none indexed"


def _model(manifest: Manifest) -> str:
    vector = manifest.vector
    return f"{vector.model_id}@{vector.model_revision}:{vector.model_dtype}" if vector else "no vectors"


_FACTS = {
    "id": lambda manifest: manifest.corpus_id,
    "title": lambda manifest: manifest.title,
    "version": lambda manifest: manifest.version,
    "licence": lambda manifest: manifest.licence,
    "notice": lambda manifest: manifest.notice,
    "schema": lambda manifest: str(manifest.schema_version),
    "documents": lambda manifest: str(len(manifest.documents)),
    "passages": _passages,
    "vectors": _model,
}
