"""`/precache.json`: what the service worker keeps, and the build id that names all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

# WebGPU builds of onnxruntime are 44 MB and useless to a device without an adapter: they are
# fetched with the models, not with the shell.
_RUNTIME_ON_DEMAND = (".jspi.", ".asyncify.")


def is_runtime_on_demand(path: str) -> bool:
    """Say whether a file belongs to the models' part of the list though it is no model."""
    return path.startswith("vendor/ort/") and any(flavour in path for flavour in _RUNTIME_ON_DEMAND)


def build_id(*parts: Mapping[str, str] | Iterable[str]) -> str:
    """Return a short id of everything that is served: paths with hashes, and loose texts."""
    digest = hashlib.sha256()
    for part in parts:
        lines = [f"{path} {sha}" for path, sha in part.items()] if isinstance(part, Mapping) else part
        for line in sorted(lines):
            digest.update(f"{line}\n".encode())
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def entry(path: str, sha256: str, size: int, **facts: Any) -> dict[str, Any]:
    """Describe one file of the site; the start page is asked for as the folder it stands for."""
    return {"url": "/" if path == "index.html" else f"/{path}", "sha256": sha256, "bytes": size, **facts}
