"""Find the Chromium that the browser tests drive, or install one where that is ours to do."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
_HINT = (
    "no Chromium was found; install chromium (or google-chrome), or name one in CAIRN_CHROMIUM, "
    "or run ./cairn test --tier unit."
)


def find() -> str | None:
    """Return the path of a Chromium or Chrome, or None."""
    named = os.environ.get("CAIRN_CHROMIUM")
    if named:
        return shutil.which(named)
    for name in _NAMES:
        path = shutil.which(name)
        if path:
            return path
    return str(_MAC) if _MAC.exists() else None


def ensure() -> str:
    """Return the path of a Chromium, installing Debian's or Ubuntu's when we are root; or end."""
    path = find()
    if path is None and _may_install():
        print("Installing Chromium (apt-get) …", flush=True)
        for command in (
            ["apt-get", "-q", "update"],
            ["apt-get", "-qy", "install", "--no-install-recommends", "chromium"],
        ):
            environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if run.returncode:
                reason = (run.stderr.strip() or run.stdout.strip()).splitlines()[-1:]
                raise SystemExit(f"cairn: {' '.join(command)} failed: {' '.join(reason)}")
        path = find()
    if path is None:
        raise SystemExit(f"cairn: {_HINT}")
    return path


def _may_install() -> bool:
    """Say whether this is Debian or a relative, and we are root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return is_root and shutil.which("apt-get") is not None and not os.environ.get("CAIRN_CHROMIUM")
