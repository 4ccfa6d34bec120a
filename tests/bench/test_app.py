"""`python -m tests.bench` as part of `./cairn bench`."""

from __future__ import annotations

import pytest

from tests.bench.__main__ import main


def test_the_app_beside_its_parts(request: pytest.FixtureRequest) -> None:
    """Intent: the figures of one run are printed; nothing is asserted of them."""
    arguments = ["--rounds", str(request.config.getoption("--rounds"))]
    file = request.config.getoption("--json")
    assert main([*arguments, *(["--json", str(file)] if file else [])]) == 0
