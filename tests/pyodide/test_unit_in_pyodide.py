"""tests/unit on the SQLite, zlib, numpy and Python that people get."""

from __future__ import annotations

import json

import pytest

from tests.pyodide.chromium import InPyodide
from tests.pyodide.tree import unit_modules

MODULES = unit_modules()
FLOOR = 500
"""Far fewer tests than there are would mean that they were not found."""

ran_modules: set[str] = set()
passed: list[str] = []


@pytest.mark.parametrize("module", MODULES)
def test_module(module: str, pyodide: InPyodide) -> None:
    """Intent: what holds on CPython holds in the browser; the inner tracebacks are shown here."""
    ran = json.loads(pyodide.call("runModule", module))
    ran_modules.add(module)
    passed.extend(ran["passed"])
    for test, reason in ran["skipped"].items():
        print(f"skipped inside: {test} {reason}")
    failed = "\n\n".join(f"{test}\n{report}" for test, report in ran["failed"].items())
    assert not ran["failed"], f"{len(ran['failed'])} of {module} failed inside Pyodide:\n\n{failed}"
    assert ran["status"] == 0, f"pytest ended with {ran['status']} inside Pyodide"
    assert ran["passed"] or ran["skipped"]


def test_enough_tests_ran() -> None:
    """Intent: an archive without tests must not look like success."""
    if ran_modules == set(MODULES):
        assert len(passed) >= FLOOR
    print(f"{len(passed)} tests passed inside Pyodide")


def test_nothing_else_was_asked(pyodide: InPyodide) -> None:
    """Intent: no network beyond the local server."""
    assert len(pyodide.requested) == 1
