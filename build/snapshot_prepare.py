"""Runs inside Pyodide while the memory snapshot is made: imports what shall be in it.

`names` (comma-separated modules) is set by snapshot.mjs, which reads the last expression.
"""

import importlib
import json
import sys
from pathlib import Path


def prepare(names: list[str]) -> dict[str, object]:
    """Import the modules; report which failed and which of our own sources are now loaded."""
    importlib.invalidate_caches()  # the wheel was unpacked a moment ago, and the clock stands still
    failed = [message for message in map(import_one, names) if message]
    loaded = [
        Path(str(module.__file__)).relative_to(Path.cwd()).as_posix()
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "cairn"
    ]
    # Directory listings that the import system remembers would hide the wheel that the worker unpacks.
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    return {"failed": failed, "loaded": sorted(loaded)}


def import_one(name: str) -> str:
    """Import a module; say what is wrong with it. A snapshot cannot hold side modules such as numpy's."""
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - whatever a module raises is its author's to see
        return f"{name}: {type(error).__name__}: {error}"
    return f"{name} imports numpy" if "numpy" in sys.modules else ""


json.dumps(prepare(names.split(",")))  # type: ignore[name-defined] # noqa: F821
