"""The packs that come with the site, built by the same command that a person uses."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from build.errors import BuildError
from build.files import HashMemo
from build.paths import BUILD_CACHE, ROOT

_SOURCES = ROOT / "packs"
_BUILT = BUILD_CACHE / "packs"
# What decides the bytes of a pack, beside its documents and the embedder.
_BUILDERS = ("passages", "index", "sources", "native")


def build(name: str, embedder: Path, memo: HashMemo, strict: bool) -> Path | None:
    """Return the built pack; None (said aloud) while the command that builds it does not exist."""
    if importlib.util.find_spec("cairn.cli.pack") is None or not (_SOURCES / name).is_dir():
        if strict:
            raise BuildError(f"The {name} pack cannot be built: cairn pack build is missing.")
        print(f"  warning: no {name} pack, cairn pack build is missing", file=sys.stderr)
        return None
    target = _BUILT / f"{name}-{_key(name, embedder, memo)}.zip"
    if not target.is_file():
        _run(name, embedder, target)
    return target


def facts(pack: Path) -> dict[str, Any]:
    """Return what the precache list says of a pack beside its hash."""
    with zipfile.ZipFile(pack) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    return {"id": manifest["corpusId"], "version": manifest["version"]}


def _key(name: str, embedder: Path, memo: HashMemo) -> str:
    package = ROOT / "pysrc" / "cairn"
    sources = [path for place in _BUILDERS for path in (package / place).rglob("*.py")]
    sources.append(package / "cli" / "pack.py")
    sources += [path for path in (_SOURCES / name).rglob("*") if path.is_file()]
    sources += [path for path in embedder.rglob("*") if path.is_file() and path.name != "model_q4.onnx"]
    key = hashlib.sha256()
    for path in sorted(sources):
        place = path.relative_to(embedder if path.is_relative_to(embedder) else ROOT)
        key.update(f"{place.as_posix()} {memo.sha256(path)}\n".encode())
    return key.hexdigest()[:16]


def _run(name: str, embedder: Path, target: Path) -> None:
    print(f"  building the {name} pack (the first time takes two to four minutes) …", flush=True)
    _BUILT.mkdir(parents=True, exist_ok=True)
    for old in _BUILT.glob(f"{name}-*.zip"):
        old.unlink()
    beside = target.with_suffix(".new")
    command = [sys.executable, "-m", "cairn.cli", "pack", "build", str(_SOURCES / name)]
    threads = min(4, os.cpu_count() or 1)  # the vectors are the same with any number
    command += ["--model", str(embedder), "--output", str(beside), "--threads", str(threads)]
    run = subprocess.run(command, cwd=ROOT, check=False)
    if run.returncode or not beside.is_file():
        raise BuildError(f"The {name} pack could not be built (see above).")
    beside.replace(target)
