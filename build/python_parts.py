"""Everything below `/python/`: our wheel, the lock file for Pyodide, the snapshot, and `boot.json`."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from pyodide_lock import InfoSpec, PackageSpec, PyodideLockSpec

from build import wheel
from build.errors import BuildError
from build.files import HashMemo, dump_json, write_bytes, write_text
from build.lock import Lock
from build.parts import NUMPY_WHEEL
from build.paths import BUILD_CACHE, ROOT

_PYTHON = BUILD_CACHE / "generated" / "python"
_SNAPSHOTS = BUILD_CACHE / "snapshots"
_SCRIPT = ROOT / "build" / "snapshot.mjs"
_MODULES = ROOT / "build" / "snapshot-modules.txt"


def build(lock: Lock, memo: HashMemo) -> tuple[dict[str, Path], dict[str, Any]]:
    """Return the files by site path, and what `boot.json` says apart from the build id."""
    name, content = wheel.build()
    wheel_path = _PYTHON / name
    write_bytes(wheel_path, content)
    lock_path = _PYTHON / "pyodide-lock.json"
    write_text(lock_path, dump_json(_pyodide_lock(lock, name, content)))
    snapshot, facts = _snapshot(lock, wheel_path, memo)
    files = {
        f"python/{name}": wheel_path,
        "python/pyodide-lock.json": lock_path,
        "python/snapshot.gz": snapshot,
    }
    boot = {
        "wheel": _entry(f"python/{name}", memo.sha256(wheel_path)),
        "lock": _entry("python/pyodide-lock.json", memo.sha256(lock_path)),
        "snapshot": {**_entry("python/snapshot.gz", memo.sha256(snapshot)), **facts},
        "numpy": _entry(f"python/{NUMPY_WHEEL}", _numpy_sha256(lock)),
    }
    return files, boot


def _entry(path: str, sha256: str) -> dict[str, str]:
    return {"url": f"/{path}", "sha256": sha256}


def _numpy_sha256(lock: Lock) -> str:
    return next(entry.sha256 for entry in lock.files if entry.path == f"python/{NUMPY_WHEEL}")


def _pyodide_lock(lock: Lock, name: str, content: bytes) -> dict[str, Any]:
    """Describe our two wheels for `loadPackage`; names are relative to the lock file itself."""
    stock = json.loads((BUILD_CACHE / "vendor/pyodide/pyodide-lock.json").read_text("utf-8"))["info"]
    pyodide = next(entry.version for entry in lock.files if entry.package == "pyodide")
    ours = PackageSpec(
        name="cairn",
        version=name.split("-")[1],
        file_name=name,
        install_dir="site",
        sha256=hashlib.sha256(content).hexdigest(),
        imports=["cairn"],
    )
    numpy = PackageSpec(
        name="numpy",
        version=NUMPY_WHEEL.split("-")[1],
        file_name=NUMPY_WHEEL,
        install_dir="site",
        sha256=_numpy_sha256(lock),
        imports=["numpy"],
    )
    spec = PyodideLockSpec(
        info=InfoSpec(version=pyodide, **stock),
        packages={package.name: package for package in (ours, numpy)},
    )
    spec.check_wheel_filenames()
    described: dict[str, Any] = spec.model_dump()
    return described


def _snapshot(lock: Lock, wheel_path: Path, memo: HashMemo) -> tuple[Path, dict[str, Any]]:
    """Return the snapshot of exactly these inputs and its facts, making it when there is none."""
    modules = [line.split("#")[0].strip() for line in _MODULES.read_text("utf-8").splitlines()]
    modules = [name for name in modules if name]
    key = hashlib.sha256("\n".join(modules).encode())
    for path in (wheel_path, _SCRIPT):
        key.update(memo.sha256(path).encode())
    for entry in lock.files:
        if entry.package == "pyodide":
            key.update(entry.sha256.encode())
    snapshot = _SNAPSHOTS / f"{key.hexdigest()[:16]}.gz"
    facts = snapshot.with_suffix(".json")
    if not (snapshot.is_file() and facts.is_file()):
        _make_snapshot(wheel_path, snapshot, facts, modules)
    remembered: dict[str, Any] = json.loads(facts.read_text("utf-8"))
    if memo.sha256(snapshot) != remembered.pop("sha256"):
        facts.unlink()
        raise BuildError(f"{snapshot.name} in build-cache was changed; build again to make it anew.")
    return snapshot, remembered


def _make_snapshot(wheel_path: Path, snapshot: Path, facts: Path, modules: list[str]) -> None:
    print("  making the memory snapshot …", flush=True)
    _SNAPSHOTS.mkdir(parents=True, exist_ok=True)
    for old in sorted(_SNAPSHOTS.glob("*.gz"), key=lambda path: path.stat().st_mtime)[:-3]:
        old.unlink()
        old.with_suffix(".json").unlink(missing_ok=True)
    beside = snapshot.with_suffix(".new")
    command = ["node", str(_SCRIPT), str(BUILD_CACHE / "vendor/pyodide"), str(wheel_path), str(beside)]
    try:
        run = subprocess.run([*command, *modules], capture_output=True, text=True, check=False, timeout=300)
    except FileNotFoundError:
        raise BuildError("Node is not on the path; start the build with ./cairn build.") from None
    except subprocess.TimeoutExpired:
        raise BuildError("Making the memory snapshot took over 5 minutes and was stopped.") from None
    if run.returncode:
        raise BuildError(f"The memory snapshot could not be made: {run.stderr.strip()[-2000:]}")
    beside.replace(snapshot)
    write_text(facts, run.stdout)
