"""The memory snapshot that the engine worker starts from: made by `snapshot.mjs`, kept while it holds.

A snapshot stays good while Pyodide, the list of modules and those of our own sources that are
in it stay the same; an edit elsewhere in the package does not cost the six seconds.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

from build import node
from build.files import HashMemo, dump_json, sha256, write_text
from build.lock import Lock
from build.paths import BUILD_CACHE, ROOT

_KEPT = 5
_SNAPSHOTS = BUILD_CACHE / "snapshots"
_SCRIPT = ROOT / "build" / "snapshot.mjs"
_MODULES = ROOT / "build" / "snapshot-modules.txt"


def ensure(lock: Lock, wheel: Path, memo: HashMemo) -> tuple[Path, dict[str, Any]]:
    """Return a snapshot that fits and what `boot.json` says of it, making it when there is none."""
    base = _base(lock, memo)
    with zipfile.ZipFile(wheel) as archive:
        sources = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    for known in sorted(_SNAPSHOTS.glob(f"{base}-*.json"), key=lambda path: -path.stat().st_mtime):
        facts: dict[str, Any] = json.loads(known.read_text("utf-8"))
        snapshot = known.with_suffix(".gz")
        fits = all(sources.get(name) == digest for name, digest in facts["loaded"].items())
        if fits and memo.matches(snapshot, facts["sha256"]):
            return snapshot, _boot_facts(facts)
    return _make(base, wheel, sources)


def modules() -> list[str]:
    """Return the names of the modules that the snapshot imports."""
    lines = [line.split("#")[0].strip() for line in _MODULES.read_text("utf-8").splitlines()]
    return [name for name in lines if name]


def _base(lock: Lock, memo: HashMemo) -> str:
    """Name everything but our own sources that decides the snapshot."""
    scripts = [memo.sha256(_SCRIPT), memo.sha256(_SCRIPT.with_name("snapshot_prepare.py"))]
    key = hashlib.sha256("\n".join([*scripts, *modules()]).encode())
    for entry in lock.files:
        if entry.package == "pyodide":
            key.update(entry.sha256.encode())
    return key.hexdigest()[:12]


def _make(base: str, wheel: Path, sources: dict[str, str]) -> tuple[Path, dict[str, Any]]:
    print("  making the memory snapshot …", flush=True)
    _SNAPSHOTS.mkdir(parents=True, exist_ok=True)
    beside = _SNAPSHOTS / "new"
    facts: dict[str, Any] = json.loads(
        node.run("snapshot.mjs", BUILD_CACHE / "vendor/pyodide", wheel, beside, *modules())
    )
    facts["loaded"] = {name: sources[name] for name in facts["loaded"]}
    snapshot = _SNAPSHOTS / f"{base}-{sha256(beside)[:12]}.gz"
    beside.replace(snapshot)
    write_text(snapshot.with_suffix(".json"), dump_json(facts))
    for old in sorted(_SNAPSHOTS.glob("*.gz"), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        old.unlink()
        old.with_suffix(".json").unlink(missing_ok=True)
    return snapshot, _boot_facts(facts)


def _boot_facts(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: facts[name] for name in ("bytes", "rawBytes")}
