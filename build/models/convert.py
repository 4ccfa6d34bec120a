"""Convert each model once per machine, and check that what came out is what the lock says.

python -m build.models.convert [ID …]             make (or find) models; print their folders
python -m build.models.convert --update [ID …]    convert again and rewrite the lock
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import time
from pathlib import Path

from build import lock as locks
from build.errors import BuildError
from build.fetch import fetch
from build.files import HashMemo, folder_at_once, sha256
from build.lock import Lock, LockedModel, LockedModelFile
from build.models.recipes import RECIPES, Recipe
from build.paths import BUILD_CACHE, cache_root

_CONVERTERS = sorted(Path(__file__).parent.glob("*.py"))
_TOOLS = ("numpy==", "onnx==", "gguf==")
_REQUIREMENTS = Path(__file__).parent.parent.parent / "requirements" / "run.txt"


def ensure(model_id: str, lock: Lock, memo: HashMemo) -> Path:
    """Return the folder of a converted model, converting it when this machine has not yet."""
    recipe, locked = RECIPES[model_id], lock.model(model_id)
    if locked is None:
        raise BuildError(
            f"vendor/lock.json has no model {model_id}; python -m build.models.convert --update."
        )
    folder = _folder(recipe, locked)
    if not folder.is_dir():
        _convert(
            recipe, {name: fetch(recipe.inputs[name], sha) for name, sha in locked.inputs.items()}, folder
        )
    for entry in locked.files:
        if not memo.matches(folder / entry.path, entry.sha256):
            raise BuildError(
                f"models/{model_id}/{entry.path} came out different from what vendor/lock.json expects; "
                f"delete {folder} and build again, and report it if it happens twice."
            )
    return folder


def _folder(recipe: Recipe, locked: LockedModel) -> Path:
    """Name the cache folder by everything that goes into the conversion."""
    key = hashlib.sha256(repr(sorted(locked.inputs.items())).encode())
    for source in _CONVERTERS:
        key.update(source.read_bytes())
    for line in _REQUIREMENTS.read_text("utf-8").splitlines():
        if line.startswith(_TOOLS):
            key.update(line.split("#")[0].strip().encode())
    return cache_root() / "models" / f"{recipe.id}-{key.hexdigest()[:16]}"


def _convert(recipe: Recipe, inputs: dict[str, Path], folder: Path) -> None:
    print(f"  converting {recipe.name} …", flush=True)
    started = time.monotonic()
    with folder_at_once(folder) as beside:
        (beside / "onnx").mkdir()
        recipe.convert(inputs, beside)
    print(f"  converted {recipe.name} in {time.monotonic() - started:.0f} s", flush=True)
    _prune(recipe.id, folder.parent)


def _prune(model_id: str, models: Path) -> None:
    """Keep the two newest conversions of a model: a change of the converters leaves 0.3 GB behind."""
    folders = sorted(models.glob(f"{model_id}-*"), key=lambda path: path.stat().st_mtime)
    for folder in folders[:-2]:
        shutil.rmtree(folder, ignore_errors=True)


def update(lock: Lock, model_id: str) -> Path:
    """Convert a model again from freshly fetched inputs and put the outcome into the lock."""
    recipe = RECIPES[model_id]
    inputs = {name: fetch(wheel) for name, wheel in recipe.inputs.items()}
    empty = LockedModel(model_id, {name: sha256(path) for name, path in inputs.items()}, ())
    folder = _folder(recipe, empty)
    again = folder.with_name(f"{folder.name}.again")
    _convert(recipe, inputs, again)
    files = tuple(
        LockedModelFile(path.relative_to(again).as_posix(), sha256(path), path.stat().st_size)
        for path in sorted(again.rglob("*"))
        if path.is_file()
    )
    shutil.rmtree(folder, ignore_errors=True)
    again.rename(folder)
    lock.models = [model for model in lock.models if model.id != model_id]
    lock.models.append(LockedModel(model_id, empty.inputs, files))
    return folder


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m build.models.convert")
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"any of {', '.join(RECIPES)}")
    parser.add_argument("--update", action="store_true", help="convert again and rewrite vendor/lock.json")
    options = parser.parse_args(argv)
    unknown = [name for name in options.ids if name not in RECIPES]
    if unknown:
        parser.error(f"no model {unknown[0]}; there are {', '.join(RECIPES)}")
    try:
        lock = locks.load()
        memo = HashMemo(BUILD_CACHE / "hashes.json")
        for model_id in options.ids or [recipe.id for recipe in RECIPES.values() if recipe.shipped]:
            print(update(lock, model_id) if options.update else ensure(model_id, lock, memo))
        if options.update:
            lock.save()
        memo.save()
    except BuildError as error:
        print(f"cairn: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
