"""The embedder of a build as a value that other processes can be given."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cairn.native.embedder import PASSAGE, OnnxEmbedder
from cairn.sources.types import VectorModel


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Embeds passages with the model in a folder; loaded once in each process that calls it."""

    folder: Path
    threads: int = 1

    def __call__(self, texts: Sequence[str]) -> list[array[float]]:
        """Unit vectors, one a text; raises ModelUnavailable."""
        return _loaded(self.folder, self.threads).embed([PASSAGE + text for text in texts])

    @property
    def model(self) -> VectorModel:
        """What a manifest says of the vectors."""
        return _loaded(self.folder, self.threads).vector_model


@cache
def _loaded(folder: Path, threads: int) -> OnnxEmbedder:
    embedder = OnnxEmbedder(folder, threads=threads)
    asyncio.run(embedder.load(lambda phase, done, total: None))
    return embedder
