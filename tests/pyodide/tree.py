"""The archive that is unpacked into Pyodide's site-packages: our package, the tests, and pytest."""

from __future__ import annotations

import io
import re
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
ELSEWHERE = Path(__file__).with_name("elsewhere.txt")
TOOLS = ("pytest", "hypothesis", "snowballstemmer")
SKIPPED = {"__pycache__", "data-large"}


def unit_modules() -> list[str]:
    """Test modules that run inside Pyodide, relative to tests/unit."""
    lines = ELSEWHERE.read_text(encoding="utf-8").splitlines()
    elsewhere = tuple(line.split("#")[0].strip() for line in lines if line.split("#")[0].strip())
    names = [path.relative_to(UNIT).as_posix() for path in sorted(UNIT.rglob("test_*.py"))]
    return [name for name in names if not name.startswith(elsewhere)]


def archive() -> bytes:
    """A ZIP with `cairn/`, `tests/`, `pyproject.toml` and the installed test tools side by side."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as tree:
        _add_folder(tree, ROOT / "pysrc" / "cairn", "cairn")
        _add_folder(tree, UNIT, "tests/unit")
        for name in ("inside.py", "kernel_inside.py"):
            tree.write(Path(__file__).with_name(name), f"tests/pyodide/{name}")
        tree.write(ROOT / "pyproject.toml", "pyproject.toml")
        for name in _closure(TOOLS):
            _add_distribution(tree, name)
    return buffer.getvalue()


def _add_folder(tree: zipfile.ZipFile, folder: Path, prefix: str) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not SKIPPED & set(path.parts):
            tree.write(path, f"{prefix}/{path.relative_to(folder).as_posix()}")


def _add_distribution(tree: zipfile.ZipFile, name: str) -> None:
    for entry in distribution(name).files or ():
        path = Path(str(entry.locate()))
        if ".." in entry.parts or "__pycache__" in entry.parts or not path.is_file():
            continue
        if path.suffix in (".so", ".pyd", ".dylib"):
            raise RuntimeError(f"{name} has native code ({entry}) and cannot run inside Pyodide.")
        tree.write(path, entry.as_posix())


def _closure(names: tuple[str, ...]) -> list[str]:
    """The installed packages of these names and what they need, without extras and other platforms."""
    found: list[str] = []
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            if name in names:
                continue  # a tool that this environment tests without
            raise
        found.append(name)
        for requirement in requirements:
            needed, _, marker = requirement.partition(";")
            if not re.search(r"extra|win32|python_(full_)?version\s*<", marker):
                waiting.append(re.split(r"[\s<>=!~\[(]", needed.strip())[0].lower())
    return found
