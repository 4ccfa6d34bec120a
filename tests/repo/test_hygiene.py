"""What must never be in the repository, and what must agree everywhere."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import cairn

ROOT = Path(__file__).resolve().parents[2]
TEXT = {".py", ".mjs", ".js", ".html", ".css", ".json", ".toml", ".md", ".txt", ".webmanifest"}
MAX_BYTES = 700_000
# Namespaces and identifiers that look like addresses and are never fetched.
NOT_FETCHED = (
    *("http://www.w3.org/", "http://127.0.0.1", "http://localhost", "https://example."),
    *("http://purl.org/dc/", "http://www.idpf.org/2007/opf"),
)


def tracked() -> list[Path]:
    """Files in git."""
    run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in run.stdout.decode().split("\0") if name]


def test_version_is_the_same_everywhere() -> None:
    """Intent: the person, the package and the change log name one version."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    declared = pyproject["project"].get("version", cairn.__version__)
    assert declared == cairn.__version__ == package["version"]
    assert f"## {cairn.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_pyodide_is_pinned_to_one_version() -> None:
    """Intent: a snapshot made by one Pyodide never meets another."""
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "vendor/lock.json").read_text(encoding="utf-8"))
    pinned = {f["version"] for f in lock["files"] if f["package"] == "pyodide"}
    pins = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    assert pinned == {pins["pyodide"]}


def test_shipped_code_fetches_nothing_from_elsewhere() -> None:
    """Intent: nothing leaves the device; no address of another host stands in code we serve."""
    faults = []
    for folder in ("web", "workers", "pysrc"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in {".py", ".mjs", ".html", ".css"}:
                continue
            for url in re.findall(r"https?://[^\s\"'`)>]+", path.read_text(encoding="utf-8")):
                if not url.startswith(NOT_FETCHED):
                    faults.append(f"{path.relative_to(ROOT)}: {url}")
    assert not faults


def test_no_registry_host_and_no_machine_path_is_committed() -> None:
    """Intent: ordinary clients fetch by package name; a checkout works anywhere."""
    hosts = ("registry." + "npmjs", "files.python" + "hosted", "pypi." + "org", "deb." + "debian")
    machine = ("/work/" + "main", "/work/" + "shared", "/root/" + ".")
    faults = []
    for path in tracked():
        if path.suffix not in TEXT | {""} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        faults += [f"{path.relative_to(ROOT)}: {x}" for x in hosts + machine if x in text]
    assert not faults


def test_no_large_or_generated_file_is_committed() -> None:
    """Intent: what can be built or fetched is built or fetched."""
    generated = {".wasm", ".onnx", ".whl", ".zip", ".sqlite3", ".gguf", ".bin", ".snapshot"}
    for path in tracked():
        if path.is_file():
            assert path.suffix not in generated, path
            assert path.stat().st_size <= MAX_BYTES, path


def test_every_served_part_has_a_hash_and_a_licence() -> None:
    """Intent: a served file without provenance cannot slip in."""
    lock = json.loads((ROOT / "vendor/lock.json").read_text(encoding="utf-8"))
    licences = {p.stem for p in (ROOT / "vendor/licences").iterdir()}
    assert lock["files"]
    for entry in lock["files"]:
        assert re.fullmatch(r"[0-9a-f]{64}", entry["sha256"]), entry
        assert entry["licence"], entry
        stem = entry["package"].lstrip("@").replace("/", "-")
        assert stem in licences, f"no licence text for {entry['package']} ({stem})"


def test_no_word_of_the_page_is_defined_twice() -> None:
    """Intent: two rooms that name a sentence alike would silently share the later one."""

    def unique(pairs: list[tuple[str, str]]) -> dict[str, str]:
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), sorted({n for n in names if names.count(n) > 1})
        return dict(pairs)

    for path in (ROOT / "web" / "locales").glob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
