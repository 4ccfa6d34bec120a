"""`cairn build`: assemble dist/site."""

from __future__ import annotations

from cairn.cli import checkout


def main(arguments: list[str]) -> int:
    """Run the build of the checkout."""
    checkout.require()
    from build import site

    return site.main(arguments)
