"""Chromium with Pyodide in a worker, started once for each module of this tier."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pyodide.chromium import InPyodide, in_pyodide


@pytest.fixture(scope="module")
def pyodide() -> Iterator[InPyodide]:
    with in_pyodide() as running:
        yield running
