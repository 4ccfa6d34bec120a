"""Renews what a memory snapshot froze when the build made it.

Without this every start on every device would draw the same "random" numbers, and the clock's time
zone would be the build machine's. ``os.urandom`` and ``secrets`` are fresh by themselves.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import tempfile
import time


def renew() -> None:
    """Seed again, read the zone again, forget cached directory listings."""
    random.seed(os.urandom(32))
    tempfile._name_sequence = None  # type: ignore[attr-defined]  # its own generator was seeded too
    if hasattr(time, "tzset"):
        time.tzset()
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
