"""Everything below `/python/`: our wheel, the lock file for Pyodide, the snapshot, what `boot.json` says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pyodide_lock import InfoSpec, PackageSpec, PyodideLockSpec

from build import snapshot, wheel
from build.files import HashMemo, dump_json, write_bytes, write_text
from build.lock import Lock
from build.parts import NUMPY_WHEEL
from build.paths import BUILD_CACHE

_PYTHON = BUILD_CACHE / "generated" / "python"


def build(lock: Lock, memo: HashMemo) -> tuple[dict[str, Path], dict[str, Any]]:
    """Return the files by site path, and what `boot.json` says apart from the build id."""
    name, content = wheel.build()
    wheel_path = _PYTHON / name
    write_bytes(wheel_path, content)
    lock_path = _PYTHON / "pyodide-lock.json"
    described = _pyodide_lock(lock, name, content)
    write_text(lock_path, dump_json(described))
    snapshot_path, facts = snapshot.ensure(lock, wheel_path, memo)
    files = {
        f"python/{name}": wheel_path,
        "python/pyodide-lock.json": lock_path,
        "python/snapshot.gz": snapshot_path,
    }
    boot = {
        "wheel": _entry(f"python/{name}", memo.sha256(wheel_path)),
        "lock": described,  # the whole of it: one request less at start
        "snapshot": {**_entry("python/snapshot.gz", memo.sha256(snapshot_path)), **facts},
        "numpy": _entry(f"python/{NUMPY_WHEEL}", _numpy_sha256(lock)),
    }
    return files, boot


def _entry(path: str, sha256: str) -> dict[str, str]:
    return {"url": f"/{path}", "sha256": sha256}


def _numpy_sha256(lock: Lock) -> str:
    return next(entry.sha256 for entry in lock.files if entry.path == f"python/{NUMPY_WHEEL}")


def _pyodide_lock(lock: Lock, name: str, content: bytes) -> dict[str, Any]:
    """Describe all wheels for `loadPackage`; names are relative to the lock file itself."""
    stock = json.loads((BUILD_CACHE / "vendor/pyodide/pyodide-lock.json").read_text("utf-8"))["info"]
    pyodide = next(entry.version for entry in lock.files if entry.package == "pyodide")
    hashes = {name: hashlib.sha256(content).hexdigest()}
    hashes |= {Path(e.path).name: e.sha256 for e in lock.files if e.path.endswith(".whl")}
    specs = [_package(file_name, sha256) for file_name, sha256 in hashes.items()]
    spec = PyodideLockSpec(
        info=InfoSpec(version=pyodide, **stock),
        packages={package.name: package for package in specs},
    )
    spec.check_wheel_filenames()
    described: dict[str, Any] = spec.model_dump()
    return described


def _package(file_name: str, sha256: str) -> PackageSpec:
    """Describe a wheel that holds one package of the wheel's own name."""
    name, version = file_name.split("-")[:2]
    return PackageSpec(
        name=name.replace("_", "-"),
        version=version,
        file_name=file_name,
        install_dir="site",
        sha256=sha256,
        imports=[name],
    )
