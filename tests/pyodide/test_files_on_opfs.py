"""The files port on OPFS, in a worker of Chromium: the suite that also runs on a directory."""

from __future__ import annotations

import pytest

from tests.pyodide.chromium import InPyodide
from tests.unit.storage.files_suite import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_files_on_opfs(name: str, pyodide: InPyodide) -> None:
    """Intent: what the core was tested with and what it meets on a device behave alike."""
    failure = pyodide.call("runCheck", name, limit=60)
    assert not failure, failure
