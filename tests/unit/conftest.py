"""Property tests look at the same examples wherever nobody is there to look at a new failure."""

from __future__ import annotations

import os

try:
    from hypothesis import settings
except ImportError:  # inside Pyodide without the wheel: those tests skip themselves
    pass
else:
    settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
    if os.environ.get("CI"):
        settings.load_profile("ci")
