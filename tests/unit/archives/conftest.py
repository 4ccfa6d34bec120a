"""The real archives that are handed to developers; tests that need them skip without."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def zim_folder() -> Path:
    """The folder of real archives: ``$CAIRN_DATA/zim``, or ``shared/data/zim`` beside the checkout."""
    named = os.environ.get("CAIRN_DATA")
    folder = Path(named) / "zim" if named else ROOT.parent / "shared" / "data" / "zim"
    if not folder.is_dir():
        pytest.skip("no archives: set CAIRN_DATA to a folder that has zim/")
    return folder


@pytest.fixture
def stemmers() -> None:
    """Skip where snowballstemmer is not installed; importing it here would load every language."""
    if find_spec("snowballstemmer") is None:
        pytest.skip("snowballstemmer is not installed")
