"""The house rules of DESIGN.md that a careless import or a grown file would break."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pysrc" / "cairn"
PYTHON = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 500
MAX_MEDIAN = 150

# A layer may import itself, the layers named here, and the shared modules at the package's root.
LAYERS = {
    "passages": set(),
    "index": {"passages"},
    "models": set(),
    "storage": set(),
    "sources": {"passages", "index", "storage", "models"},
    "retrieval": {"passages", "index", "sources", "models"},
    "answering": {"passages", "index", "sources", "models", "retrieval"},
}
SHARED = {"errors", "protocol"}


def imports(path: Path) -> set[str]:
    """Every module a file imports, at any level of nesting."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def top_level_imports(path: Path) -> set[str]:
    """Modules imported when the file itself is imported."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def source_files() -> list[Path]:
    """Every file of ours that is code, in any language."""
    found = list(PYTHON)
    for folder in ("web", "workers", "build", "tests"):
        for pattern in ("*.py", "*.mjs"):
            found += sorted((ROOT / folder).rglob(pattern))
    return [path for path in found if "node_modules" not in path.parts]


@pytest.mark.parametrize("path", PYTHON, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_browser_package_touches_the_browser(path: Path) -> None:
    """Intent: the core runs on CPython; only pysrc/cairn/browser imports js or pyodide."""
    if path.relative_to(PACKAGE).parts[0] == "browser":
        return
    touched = {name.split(".")[0] for name in imports(path)} & {"js", "pyodide", "pyodide_js"}
    assert not touched, f"{path.relative_to(ROOT)} imports {sorted(touched)}"


@pytest.mark.parametrize("path", PYTHON, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    """Intent: sources know formats, index ranks, retrieval asks, answering uses retrieval."""
    parts = path.relative_to(PACKAGE).parts
    layer = parts[0]
    if layer not in LAYERS or len(parts) == 1:
        return
    allowed = LAYERS[layer] | SHARED | {layer}
    used = {name.split(".")[1] for name in imports(path) if name.startswith("cairn.")}
    assert used <= allowed, f"{path.relative_to(ROOT)} reaches up to {sorted(used - allowed)}"


def test_numpy_is_never_loaded_by_the_core_at_import() -> None:
    """Intent: numpy costs over a second in the browser, so keyword search must not wait for it."""
    lazy = {"vectors_numpy.py"}
    for path in PYTHON:
        parts = path.relative_to(PACKAGE).parts
        if parts[0] in {"native", "cli"} or path.name in lazy:
            continue
        roots = {name.split(".")[0] for name in top_level_imports(path)}
        assert "numpy" not in roots, f"{path.relative_to(ROOT)} imports numpy at its top"


def test_no_module_is_too_long() -> None:
    """Intent: STYLE.md principle 7, small modules named by nouns."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in source_files()}
    too_long = {str(p.relative_to(ROOT)): n for p, n in lengths.items() if n > MAX_LINES}
    assert not too_long
    ours = [n for p, n in lengths.items() if n > 3]
    assert median(ours) <= MAX_MEDIAN
