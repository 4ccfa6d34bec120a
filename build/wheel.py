"""Our own wheel for Pyodide: the package without its CPython-only rooms, the same bytes every time."""

from __future__ import annotations

import base64
import hashlib
import io
import tomllib
import zipfile
from pathlib import Path

from build.paths import ROOT

# What only runs on CPython stays out of the browser.
_LEFT_OUT = ("cli", "native")
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)  # the earliest a ZIP can say


def build(root: Path = ROOT) -> tuple[str, bytes]:
    """Return the wheel's file name and content."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = project["name"], project["version"]
    members = _sources(root / "pysrc")
    info = f"{name}-{version}.dist-info"
    members[f"{info}/METADATA"] = _metadata(project)
    members[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: cairn\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    members[f"{info}/licenses/LICENSE"] = (root / "LICENSE").read_bytes()
    members[f"{info}/RECORD"] = _record(members, f"{info}/RECORD")
    return f"{name}-{version}-py3-none-any.whl", _zip(members)


def _sources(pysrc: Path) -> dict[str, bytes]:
    members = {}
    for path in sorted((pysrc / "cairn").rglob("*")):
        inside = path.relative_to(pysrc)
        if path.is_file() and "__pycache__" not in inside.parts and inside.parts[1] not in _LEFT_OUT:
            members[inside.as_posix()] = path.read_bytes()
    return members


def _metadata(project: dict[str, str]) -> bytes:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
    ]
    return ("\n".join(lines) + "\n").encode()


def _record(members: dict[str, bytes], itself: str) -> bytes:
    lines = []
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{itself},,"]) + "\n").encode()


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, _TIMESTAMP)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, data)
    return buffer.getvalue()
