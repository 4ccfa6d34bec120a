"""The files port on OPFS and on IndexedDB, in a worker: the suite that also runs on a directory."""

from __future__ import annotations

import pytest

from tests.pyodide.chromium import InPyodide
from tests.unit.storage.files_suite import CHECKS


@pytest.mark.parametrize("place", ["opfs", "indexeddb"])
@pytest.mark.parametrize("name", CHECKS)
def test_files_in_the_browser(name: str, place: str, pyodide: InPyodide) -> None:
    """Intent: what the core was tested with and what it meets on a device behave alike."""
    failure = pyodide.call("runCheck", name, place, limit=60)
    assert not failure, failure
