"""Packs as others publish them: compressed indexes (schema 2), or none at all (schema 1)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any


def members(pack: Path) -> dict[str, bytes]:
    """Every member's content."""
    with zipfile.ZipFile(pack) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, content: dict[str, bytes], manifest: dict[str, Any]) -> Path:
    """A deflated ZIP whose manifest states its own size, found by repetition as their builder does."""
    for _ in range(6):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", json.dumps(manifest))
            for name, data in content.items():
                if name != "manifest.json":
                    archive.writestr(name, data)
        if manifest["downloadBytes"] == path.stat().st_size:
            return path
        manifest["downloadBytes"] = path.stat().st_size
    raise AssertionError("the size does not settle")


def deflated(pack: Path, output: Path) -> Path:
    """The same pack with every member compressed, as the public Emergency Box pack is."""
    content = members(pack)
    return write(output, content, json.loads(content["manifest.json"]))


def schema_one(pack: Path, output: Path) -> Path:
    """The same documents without indexes."""
    content = members(pack)
    manifest = json.loads(content["manifest.json"])
    for field in ("indexes", "passageSchemaVersion", "title", "notice", "licence"):
        manifest.pop(field, None)
    manifest["schemaVersion"] = 1
    texts = {name: data for name, data in content.items() if name.startswith("documents/")}
    return write(output, texts, manifest)
