"""`/models.json`: the models that come with the site, with the hashes that the lock already holds."""

from __future__ import annotations

from typing import Any

from build.errors import BuildError
from build.lock import Lock, LockedModel
from build.models.recipes import RECIPES, Recipe

VERSION = 1


def catalogue(lock: Lock) -> dict[str, Any]:
    """Return the catalogue of shipped models."""
    models = []
    for recipe in RECIPES.values():
        if recipe.shipped:
            locked = lock.model(recipe.id)
            if locked is None:
                raise BuildError(f"vendor/lock.json has no model {recipe.id}.")
            models.append(_describe(recipe, locked))
    return {"version": VERSION, "models": models}


def _describe(recipe: Recipe, locked: LockedModel) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": recipe.id,
        "role": recipe.role,
        "name": recipe.name,
        "licence": recipe.licence,
        "revision": locked.revision(),
        "runtime": "transformers.js",
        "default": True,
        "files": {device: _variant(recipe, locked, device) for device in recipe.variants},
    }
    if recipe.dimensions is not None:
        described["dimensions"] = recipe.dimensions
    if recipe.context is not None:
        described["context"] = recipe.context
    if recipe.voice is not None:
        described["voice"] = recipe.voice
    return described


def _variant(recipe: Recipe, locked: LockedModel, device: str) -> dict[str, Any]:
    """Return the files that one kind of device loads: its weights, and what all share."""
    files = [
        {"path": entry.path, "bytes": entry.bytes, "sha256": entry.sha256}
        for entry in locked.files
        if device_of(recipe, entry.path) in (device, "any")
    ]
    return {"dtype": recipe.variants[device].dtype, "files": files}


def device_of(recipe: Recipe, path: str) -> str:
    """Say which kind of device loads a file of a model: "wasm", "webgpu" or "any"."""
    for device, variant in recipe.variants.items():
        if variant.weights == path:
            return device
    return "any"
