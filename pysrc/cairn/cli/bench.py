"""`cairn bench`: side-by-side ratios in one browser run, printed."""

from __future__ import annotations

from cairn.cli import checkout, chromium


def main(arguments: list[str]) -> int:
    """Run the benchmarks; return pytest's exit status."""
    environment = {"CAIRN_CHROMIUM": chromium.ensure()}
    checkout.build_site()
    return checkout.pytest(["tests/bench", "-s", *arguments], environment)
