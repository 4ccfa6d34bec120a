"""`cairn run`: build what changed, serve it, open the browser."""

from __future__ import annotations

import argparse

from cairn.cli import checkout, serve


def main(arguments: list[str]) -> int:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(prog="cairn run", description=__doc__)
    serve.add_arguments(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    options = parser.parse_args(arguments)
    checkout.build_site()
    return serve.serve_until_interrupted(checkout.SITE, options, open_browser=not options.no_open)
