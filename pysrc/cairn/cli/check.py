"""`cairn check`: style, types of both languages, and the repository's own rules."""

from __future__ import annotations

import argparse
import sys
import time

from cairn.cli import checkout

_TSC = checkout.ROOT / "node_modules" / "typescript" / "bin" / "tsc"

CHECKS: dict[str, tuple[str, ...]] = {
    "ruff": (sys.executable, "-m", "ruff", "check", "."),
    "mypy": (sys.executable, "-m", "mypy"),
    "tsc": ("node", str(_TSC), "--project", "tsconfig.json"),
    "tsc (build)": ("node", str(_TSC), "--project", "tsconfig.node.json"),
    "repository": (sys.executable, "-m", "pytest", "-q", "tests/repo"),
}


def main(arguments: list[str]) -> int:
    """Run every check, also after one failed; return 1 when any did."""
    parser = argparse.ArgumentParser(prog="cairn check", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CHECK", help=f"only some of: {', '.join(CHECKS)}")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in CHECKS]
    if unknown:
        parser.error(f"there is no check {unknown[0]}")
    failed = []
    for name in options.names or CHECKS:
        started = time.monotonic()
        status = checkout.call(*CHECKS[name])
        print(
            f"{'ok  ' if status == 0 else 'FAIL'} {name} ({time.monotonic() - started:.1f} s)\n", flush=True
        )
        if status:
            failed.append(name)
    if failed:
        print(f"cairn: {', '.join(failed)} failed.", file=sys.stderr)
    return 1 if failed else 0
