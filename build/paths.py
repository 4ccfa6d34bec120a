"""Where things lie: the checkout, the ignored folders inside it, and the cache outside it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_MODULES = ROOT / "node_modules"
LOCK = ROOT / "vendor" / "lock.json"
LICENCES = ROOT / "vendor" / "licences"
BUILD_CACHE = ROOT / "build-cache"
SITE = ROOT / "dist" / "site"


def cache_root() -> Path:
    """Return the folder for what is downloaded or derived and outlives a checkout."""
    return Path(os.environ.get("CAIRN_CACHE") or Path.home() / ".cache" / "cairn")
