"""Options of `./cairn bench` (pytest on this folder)."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--json", type=Path, metavar="FILE", help="write the app's figures there too")
    parser.addoption("--rounds", type=int, default=5, help="runs of each of the app's figures")
    parser.addoption(
        "--index", metavar="FILE", help="a keyword index made before, for tests/bench/test_search.py"
    )
