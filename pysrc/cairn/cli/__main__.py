"""Dispatch `python -m cairn.cli COMMAND`: each command is a module that is imported when asked for."""

from __future__ import annotations

import importlib
import sys

import cairn

COMMANDS = {
    "run": "build what changed, serve Cairn on this machine and open the browser",
    "test": "run the tests; --tier unit, pyodide or browser runs one tier",
    "check": "check style, types and the repository's own rules",
    "bench": "measure against raw engines in one browser run",
    "build": "assemble dist/site",
    "serve": "serve dist/site as it is",
    "pyz": "put the app and its server into one file, cairn.pyz",
    "pack": "build and inspect packs",
    "eval": "measure how well search finds what it should",
}


def main(arguments: list[str]) -> int:
    """Run one command; return its exit status."""
    if not arguments or arguments[0] in ("help", "--help", "-h"):
        print(usage())
        return 0
    if arguments[0] in ("--version", "version"):
        print(f"cairn {cairn.__version__}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        print(f"cairn: there is no command {name}.\n\n{usage()}", file=sys.stderr)
        return 2
    module = importlib.import_module(f"cairn.cli.{name}")
    return int(module.main(rest) or 0)


def usage() -> str:
    """Describe the commands."""
    lines = [f"  {name:<7}{text}" for name, text in COMMANDS.items()]
    return "\n".join(["usage: ./cairn COMMAND [options]", "", *lines])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
