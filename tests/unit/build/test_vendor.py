"""Third-party files: what the lock says is what is served, or the build stops and says which."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from build import fetch, lock, vendor
from build.errors import BuildError
from build.files import HashMemo
from build.lock import Lock, LockedFile
from build.models.recipes import RECIPES
from build.parts import NPM_PARTS, WHEEL_PARTS
from build.paths import LICENCES, ROOT

CONTENT = b"export const x = 1;\n"


def locked(content: bytes = CONTENT, package: str = "thing", source: str = "npm") -> LockedFile:
    return LockedFile(
        path="vendor/thing/thing.mjs",
        source=source,
        package=package,
        version="1.2.3",
        member="dist/thing.mjs",
        sha256=hashlib.sha256(content).hexdigest(),
        bytes=len(content),
        licence="MIT",
        licence_file="marked.txt",
    )


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with one file."""
    folder = tmp_path / "node_modules"
    (folder / "thing/dist").mkdir(parents=True)
    (folder / "thing/dist/thing.mjs").write_bytes(CONTENT)
    monkeypatch.setattr(vendor, "NODE_MODULES", folder)
    return folder


def materialise(entry: LockedFile, tmp_path: Path) -> list[Path]:
    return vendor.materialise(Lock([entry]), HashMemo(tmp_path / "memo.json"), tmp_path / "out")


def test_a_file_that_matches_is_copied(packages: Path, tmp_path: Path) -> None:
    """Intent: the ordinary case, twice: the second time nothing is read from the package."""
    (path,) = materialise(locked(), tmp_path)
    assert path.read_bytes() == CONTENT
    (packages / "thing/dist/thing.mjs").unlink()
    assert materialise(locked(), tmp_path) == [path]


def test_a_changed_file_stops_the_build_by_name(packages: Path, tmp_path: Path) -> None:
    """Intent: a package that was tampered with, or upgraded by accident, is not served."""
    with pytest.raises(BuildError, match=r"vendor/thing/thing\.mjs: .* of thing has sha256"):
        materialise(locked(b"something else"), tmp_path)
    assert not (tmp_path / "out/vendor/thing/thing.mjs").exists()


def test_a_missing_file_stops_the_build_by_name(packages: Path, tmp_path: Path) -> None:
    """Intent: the message says which file, which package, which version, and what brings it."""
    with pytest.raises(BuildError, match=r"vendor/thing/thing\.mjs: .* absent; version 1\.2\.3 .*npm ci"):
        materialise(locked(package="absent"), tmp_path)


def test_a_copy_that_was_changed_later_is_replaced(packages: Path, tmp_path: Path) -> None:
    """Intent: editing a copy in build-cache never reaches the site."""
    (path,) = materialise(locked(), tmp_path)
    path.write_bytes(b"edited")
    materialise(locked(), tmp_path)
    assert path.read_bytes() == CONTENT


def test_a_wheel_member_is_found_by_its_hash_without_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: what was fetched once is never asked for again, and only the exact content counts."""
    monkeypatch.setenv("CAIRN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "_download", lambda *_: pytest.fail("asked the network"))
    entry = locked(source="pypi")
    blob = tmp_path / "cache/blobs" / entry.sha256 / "file"
    blob.parent.mkdir(parents=True)
    blob.write_bytes(CONTENT)
    (path,) = materialise(entry, tmp_path)
    assert path.read_bytes() == CONTENT


def test_a_fetched_file_with_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: a wheel that changed behind its version is named, not used and not kept."""
    import zipfile

    def download(wanted: fetch.WheelFile, folder: Path) -> Path:
        path = folder / "thing-1.2.3-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(wanted.member, b"changed")
        return path

    monkeypatch.setenv("CAIRN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "_download", download)
    with pytest.raises(BuildError, match=r"dist/thing\.mjs in thing 1\.2\.3 has sha256"):
        materialise(locked(source="pypi"), tmp_path)
    assert not list((tmp_path / "cache").glob("blobs/*/file"))


# The lock in the repository


def test_the_lock_is_written_in_its_canonical_form(tmp_path: Path) -> None:
    """Intent: an update changes only what changed, so that a review sees it."""
    lock.load().save(tmp_path / "lock.json")
    assert (tmp_path / "lock.json").read_text() == lock.LOCK.read_text()


def test_the_lock_names_the_installed_versions() -> None:
    """Intent: package.json, its lock and ours never disagree about a version."""
    installed = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for entry in lock.load().files:
        if entry.source == "npm":
            assert installed[f"node_modules/{entry.package}"]["version"] == entry.version, entry.path


def test_every_wished_part_is_locked_and_nothing_else() -> None:
    """Intent: build/parts.py and the lock were updated together."""
    packages = {part.package for part in NPM_PARTS} | {part.wheel.package for part in WHEEL_PARTS}
    entries = lock.load().files
    assert {entry.package for entry in entries} == packages
    assert len({entry.path for entry in entries}) == len(entries)
    for entry in entries:
        assert (LICENCES / entry.licence_file).stat().st_size > 200, entry.path


def test_every_model_is_locked_with_a_licence() -> None:
    """Intent: a model cannot be shipped without its hashes and its licence text."""
    locked_models = lock.load()
    for recipe in RECIPES.values():
        model = locked_models.model(recipe.id)
        assert model is not None
        assert set(model.inputs) == set(recipe.inputs)
        paths = {entry.path for entry in model.files}
        assert {variant.weights for variant in recipe.variants.values()} <= paths
        assert not recipe.shipped or (LICENCES / f"{recipe.id}.txt").is_file()


def test_every_vendored_path_that_our_pages_name_exists() -> None:
    """Intent: a renamed chunk or a forgotten icon fails here, not in the browser."""
    served = {f"/{entry.path}" for entry in lock.load().files}
    missing = set()
    for folder in ("web", "workers"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".html", ".css", ".mjs", ".json", ".py"}:
                named = re.findall(r"/vendor/[\w./-]+\.(?:m?js|wasm|svg|css|zip)", path.read_text("utf-8"))
                missing |= {f"{path.name}: {name}" for name in set(named) - served}
    assert not missing


def test_an_unreadable_lock_says_so(tmp_path: Path) -> None:
    """Intent: a broken merge is a sentence, not a traceback."""
    path = tmp_path / "lock.json"
    for text in ("<<<<<<<", "{}", '{"format": 99, "files": [], "models": []}'):
        path.write_text(text)
        with pytest.raises(BuildError, match=r"lock\.json"):
            lock.load(path)
