"""Assemble `dist/site`: the whole app as plain files, with its precache list.

Run it as `python -m build.site`. Nothing is done twice: sources are compared by content hash,
and a site that would come out the same is left alone. A new one is laid beside the old and
takes its place by a rename.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from build import catalogue, icons, node, packs, precache, python_parts, vendor
from build import lock as locks
from build.errors import BuildError
from build.files import HashMemo, dump_json, link_or_copy, write_bytes, write_text
from build.lock import Lock
from build.models import convert
from build.models.recipes import RECIPES
from build.paths import BUILD_CACHE, LICENCES, ROOT, SITE

_GENERATED = BUILD_CACHE / "generated"
_BUILD_ID = "__BUILD_ID__"
_SERVICE_WORKER = "service-worker.mjs"
_SERVED = {
    ".html", ".css", ".mjs", ".js", ".py", ".json", ".svg", ".png", ".webmanifest", ".txt", ".wasm", ".woff2",
}  # fmt: skip

Files = dict[str, Path]  # path in the site to the file that holds its content


def build(target: Path = SITE, strict: bool = False) -> dict[str, Any]:
    """Bring the site up to date; return its precache list."""
    with _one_at_a_time():
        memo = HashMemo(BUILD_CACHE / "hashes.json")
        try:
            listed, files = _plan(locks.load(), memo, strict)
            if _is_current(target, files, memo):
                print(f"The site is up to date (build {listed['build']}).")
            else:
                _assemble(target, files)
                print(f"Built the site: {len(files)} files, build {listed['build']}.")
        finally:
            memo.save()
    return listed


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold the build's lock: two builds in one checkout would tear each other's folders."""
    BUILD_CACHE.mkdir(parents=True, exist_ok=True)
    with (BUILD_CACHE / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _plan(lock: Lock, memo: HashMemo, strict: bool) -> tuple[dict[str, Any], Files]:
    """Decide every file of the site; what is not in the checkout is generated on the way."""
    vendor.materialise(lock, memo)
    shell = {entry.path: BUILD_CACHE / entry.path for entry in lock.files}
    shell |= _own_files() | _kernels() | _icons() | _licences()
    python, boot = python_parts.build(lock, memo)
    shell |= python
    shell["models.json"] = _generate("models.json", dump_json(catalogue.catalogue(lock)))
    models = {path: shell.pop(path) for path in list(shell) if precache.is_runtime_on_demand(path)}
    folders = {
        recipe.id: convert.ensure(recipe.id, lock, memo) for recipe in RECIPES.values() if recipe.shipped
    }
    models |= _model_files(lock, folders)
    starter = packs.build("starter", folders["multilingual-e5-small"], memo, strict)
    shipped = {"packs/starter.zip": starter} if starter else {}
    return _seal(lock, shell, models, shipped, boot, memo)


def _seal(
    lock: Lock, shell: Files, models: Files, shipped: Files, boot: dict[str, Any], memo: HashMemo
) -> tuple[dict[str, Any], Files]:
    """Name the whole by its build id and add the three files that carry it."""
    hashes = {path: memo.sha256(source) for path, source in (shell | models | shipped).items()}
    worker = ROOT / "workers" / _SERVICE_WORKER
    worker_text = worker.read_text("utf-8") if worker.is_file() else ""
    build = precache.build_id(hashes, [worker_text, dump_json(boot)])
    boot_file = _generate("python/boot.json", dump_json({"build": build, **boot}))
    shell["python/boot.json"] = boot_file
    hashes["python/boot.json"] = memo.sha256(boot_file)

    def entry(path: str, source: Path, **facts: Any) -> dict[str, Any]:
        return precache.entry(path, hashes[path], source.stat().st_size, **facts)

    listed = {
        "build": build,
        "shell": [entry(path, source) for path, source in sorted(shell.items())],
        "models": [entry(path, source, **_model_facts(path)) for path, source in sorted(models.items())],
        "packs": [entry(path, source, **packs.facts(source)) for path, source in sorted(shipped.items())],
    }
    files = shell | models | shipped
    files["precache.json"] = _generate("precache.json", json.dumps(listed, indent=0, sort_keys=True) + "\n")
    if worker_text:
        files[_SERVICE_WORKER] = _generate(_SERVICE_WORKER, worker_text.replace(_BUILD_ID, build))
    return listed, files


def _own_files() -> Files:
    """Return what is served as it lies in `web` and `workers`."""
    files: Files = {}
    for folder, prefix in ((ROOT / "web", ""), (ROOT / "workers", "workers/")):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            hidden = any(part.startswith((".", "__")) for part in inside.parts)
            if path.is_file() and path.suffix in _SERVED and not hidden:
                files[prefix + inside.as_posix()] = path
    files.pop(f"workers/{_SERVICE_WORKER}", None)
    return files


def _kernels() -> Files:
    """Assemble the WebAssembly text beside the workers that use it."""
    files: Files = {}
    for source in sorted((ROOT / "workers").rglob("*.wat")):
        path = f"workers/{source.relative_to(ROOT / 'workers').with_suffix('.wasm').as_posix()}"
        target = _GENERATED / path
        if not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
            target.parent.mkdir(parents=True, exist_ok=True)
            node.run("wat.mjs", source, target)
        files[path] = target
    return files


def _icons() -> Files:
    files: Files = {}
    for path, (name, size) in icons.SIZES.items():
        source, target = ROOT / "web" / "icons" / name, _GENERATED / path
        if source.is_file() and not (target.is_file() and target.stat().st_mtime > source.stat().st_mtime):
            write_bytes(target, icons.render(source, size))
            target.touch()
        if target.is_file():
            files[path] = target
    return files


def _licences() -> Files:
    """Serve the licence texts with what they cover, and a list of who made which part."""
    lock = locks.load()
    rows = {
        (entry.package, entry.version, entry.licence, f"/licences/{entry.licence_file}")
        for entry in lock.files
    }
    rows |= {(r.name, "", r.licence, f"/licences/{r.id}.txt") for r in RECIPES.values() if r.shipped}
    listed = [dict(zip(("name", "version", "licence", "text"), row, strict=True)) for row in sorted(rows)]
    files = {f"licences/{path.name}": path for path in sorted(LICENCES.glob("*.txt"))}
    files["licences/cairn.txt"] = ROOT / "LICENSE"
    files["licences.json"] = _generate("licences.json", dump_json(listed))
    return files


def _model_files(lock: Lock, folders: dict[str, Path]) -> Files:
    return {
        f"models/{model.id}/{entry.path}": folders[model.id] / entry.path
        for model in lock.models
        if model.id in folders
        for entry in model.files
    }


def _model_facts(path: str) -> dict[str, str]:
    """Say which model a file belongs to and which devices load it."""
    if not path.startswith("models/"):
        return {"model": "runtime", "device": "webgpu"}
    _, model_id, inside = path.split("/", 2)
    return {"model": model_id, "device": catalogue.device_of(RECIPES[model_id], inside)}


def _generate(path: str, text: str) -> Path:
    target = _GENERATED / path
    write_text(target, text)
    return target


def _is_current(target: Path, files: Files, memo: HashMemo) -> bool:
    """Say whether the site already is exactly these files."""
    present = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    return present == set(files) and all(
        memo.sha256(target / path) == memo.sha256(source) for path, source in files.items()
    )


def _assemble(target: Path, files: Files) -> None:
    beside, old = target.with_name(f".{target.name}-new"), target.with_name(f".{target.name}-old")
    for folder in (beside, old):
        shutil.rmtree(folder, ignore_errors=True)
    for path, source in files.items():
        # Sources in the checkout are copied: an editor that writes in place must not change the site.
        if source.is_relative_to(BUILD_CACHE) or not source.is_relative_to(ROOT):
            link_or_copy(source, beside / path)
        else:
            (beside / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, beside / path)
    if target.exists():
        target.rename(old)
    beside.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(prog="cairn build", description="Assemble dist/site.")
    parser.add_argument("--strict", action="store_true", help="stop when a part of the site is missing")
    parser.add_argument("--output", type=Path, default=SITE, help="another folder than dist/site")
    options = parser.parse_args(argv)
    started = time.monotonic()
    try:
        build(options.output, options.strict)
    except BuildError as error:
        print(f"cairn: {error}", file=sys.stderr)
        return 1
    print(f"  {time.monotonic() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
