"""Run one of the build's Node scripts, and make its failure a sentence."""

from __future__ import annotations

import subprocess
from pathlib import Path

from build.errors import BuildError
from build.paths import ROOT

_SECONDS = 300


def run(script: str, *arguments: Path | str) -> str:
    """Run `build/<script>` and return what it printed."""
    command = ["node", str(ROOT / "build" / script), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except FileNotFoundError:
        raise BuildError("Node is not on the path; start the build with ./cairn build.") from None
    except subprocess.TimeoutExpired:
        raise BuildError(f"build/{script} took over {_SECONDS} s and was stopped.") from None
    if done.returncode:
        raise BuildError(f"build/{script} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout
