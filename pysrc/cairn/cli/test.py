"""`cairn test`: the tiers, all through pytest; other arguments go to pytest as they are."""

from __future__ import annotations

import argparse

from cairn.cli import checkout, chromium

TIERS = ("unit", "corpus", "pyodide", "browser")
# These run against the built site in a browser.
_NEED_BROWSER = ("pyodide", "browser")


def main(arguments: list[str]) -> int:
    """Run the tests; return pytest's exit status."""
    parser = argparse.ArgumentParser(prog="cairn test", description=__doc__)
    parser.add_argument("--tier", action="append", choices=TIERS, help="only this tier (may be repeated)")
    options, rest = parser.parse_known_args(arguments)
    named = [argument for argument in rest if argument.startswith("tests")]
    tiers = options.tier or ([] if named else list(TIERS))
    folders = [f"tests/{tier}" for tier in tiers if (checkout.ROOT / "tests" / tier).is_dir()]
    in_browser = [path for path in folders + named if path.split("/")[1].startswith(_NEED_BROWSER)]
    environment = {}
    if in_browser:
        environment["CAIRN_CHROMIUM"] = chromium.ensure()
        checkout.build_site()
    if not folders and not named:
        print("cairn: there are no tests of that tier yet.")
        return 1
    return checkout.pytest([*folders, *rest], environment)
