"""How `cairn pack` shows packs and progress."""

from __future__ import annotations

import sys
from collections import Counter

from cairn.sources.packs.manifest import Manifest


def describe(manifest: Manifest) -> None:
    """Print what a manifest says."""
    print(
        f"  {manifest.title or manifest.corpus_id} ({manifest.corpus_id}), version {manifest.version}, "
        f"schema {manifest.schema_version}"
    )
    languages = Counter(document.language for document in manifest.documents)
    spread = ", ".join(f"{language} {count}" for language, count in languages.most_common())
    print(f"  {len(manifest.documents)} documents ({spread}), licence {manifest.licence or 'mixed'}")
    if manifest.vector is not None:
        vector = manifest.vector
        print(f"  vectors {vector.model_id}@{vector.model_revision}:{vector.model_dtype}")


def progress(phase: str, done: int, total: int) -> None:
    """Show how far a phase is, on a terminal only."""
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(f"  {phase} {done} of {total}   ", end=end, file=sys.stderr, flush=True)


def size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count} bytes"
