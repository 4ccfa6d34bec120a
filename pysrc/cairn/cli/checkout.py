"""The checkout that the developer commands work on, and how they start tools in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "dist" / "site"


def require() -> None:
    """Make the checkout's `build` package importable; stop when this is an installed package."""
    if not (ROOT / "build" / "site.py").is_file():
        raise SystemExit("cairn: this command works in a checkout of Cairn only.")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def build_site(strict: bool = False) -> None:
    """Bring dist/site up to date, or end with the reason."""
    require()
    from build import site
    from build.errors import BuildError

    try:
        site.build(SITE, strict)
    except BuildError as error:
        raise SystemExit(f"cairn: {error}") from None


def call(*command: str | Path, environment: dict[str, str] | None = None) -> int:
    """Run a tool in the checkout with its output on the terminal; return its exit status."""
    sys.stdout.flush()
    run = subprocess.run(
        [str(part) for part in command], cwd=ROOT, env={**os.environ, **(environment or {})}, check=False
    )
    return run.returncode


def pytest(arguments: Sequence[str], environment: dict[str, str] | None = None) -> int:
    """Run pytest in the checkout."""
    return call(sys.executable, "-m", "pytest", *arguments, environment=environment)
