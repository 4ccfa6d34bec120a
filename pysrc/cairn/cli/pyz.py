"""`cairn pyz`: the built site and its server in one file that any Python 3.11 runs."""

from __future__ import annotations

import argparse
import stat
import zipfile
from pathlib import Path

from cairn.cli import checkout

SERVER = ("__init__.py", "cli/__init__.py", "cli/checkout.py", "cli/serve.py")
"""The modules of ``cairn`` that serve; none needs anything but the standard library."""

STARTER = """import sys

if sys.version_info < (3, 11):
    sys.exit(f"cairn: this is Python {sys.version.split()[0]}; Cairn needs Python 3.11 or newer.")

import argparse
from pathlib import Path

from cairn.cli.serve import add_arguments, serve_until_interrupted

parser = argparse.ArgumentParser(prog="cairn.pyz", description="Serve Cairn on this machine.")
add_arguments(parser)
parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
options = parser.parse_args()
sys.exit(serve_until_interrupted(Path(__file__).parent, options, not options.no_browser))
"""
_STAMP = (1980, 1, 1, 0, 0, 0)


def write(site: Path, package: Path, target: Path) -> None:
    """Write the file: a ZIP after a line that names Python; same input, same bytes."""
    with target.open("wb") as stream:
        stream.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(stream, "a", zipfile.ZIP_STORED) as archive:
            _add(archive, "__main__.py", STARTER.encode())
            for name in SERVER:
                _add(archive, f"cairn/{name}", (package / name).read_bytes())
            for path in sorted(p for p in site.rglob("*") if p.is_file()):
                _add(archive, f"site/{path.relative_to(site).as_posix()}", path.read_bytes())
    target.chmod(target.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _STAMP)
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


def main(arguments: list[str]) -> int:
    """Build the site, then put it and its server into one file."""
    parser = argparse.ArgumentParser(prog="cairn pyz", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=checkout.ROOT / "dist" / "cairn.pyz")
    options = parser.parse_args(arguments)
    checkout.build_site()
    write(checkout.SITE, checkout.ROOT / "pysrc" / "cairn", options.output)
    print(
        f"{options.output}: {options.output.stat().st_size / 1e6:.0f} MB. Start it: python3 {options.output}"
    )
    return 0
