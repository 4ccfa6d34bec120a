"""The files port on a directory: the shared suite, and what only a directory can get wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cairn.native.files import DirectoryFiles
from cairn.storage.ports import Files
from tests.unit.storage.files_suite import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_files_on_a_directory(name: str, tmp_path: Path) -> None:
    """Intent: the twin that tests and tools use behaves like the one on OPFS (tests/pyodide)."""

    async def restart() -> Files:
        return DirectoryFiles(tmp_path)

    asyncio.run(CHECKS[name](restart))
