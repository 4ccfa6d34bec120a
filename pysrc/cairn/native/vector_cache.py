"""Vectors on disk by model and text, so that building a pack again embeds only what changed."""

from __future__ import annotations

import hashlib
import os
from array import array
from pathlib import Path


def cache_root() -> Path:
    """``$CAIRN_CACHE``, else ``~/.cache/cairn``."""
    configured = os.environ.get("CAIRN_CACHE")
    return Path(configured) if configured else Path.home() / ".cache" / "cairn"


class VectorCache:
    """float32 vectors in files named by the SHA-256 of the text, under the model's own folder."""

    def __init__(self, model_key: str, dimensions: int, root: Path | None = None) -> None:
        self._folder = (root or cache_root()) / "vectors" / model_key[:32]
        self._bytes = dimensions * 4

    def get(self, text: str) -> array[float] | None:
        """The vector of a text, None when it is not there or was cut."""
        try:
            data = self._path(text).read_bytes()
        except FileNotFoundError:
            return None
        if len(data) != self._bytes:
            return None
        vector = array("f")
        vector.frombytes(data)
        return vector

    def put(self, text: str, vector: array[float]) -> None:
        """Keep a vector; written beside and renamed, so that a crash leaves no half file."""
        path = self._path(text)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}.part")
        beside.write_bytes(vector.tobytes())
        beside.replace(path)

    def _path(self, text: str) -> Path:
        digest = hashlib.sha256(text.encode()).hexdigest()
        return self._folder / digest[:2] / digest[2:]
