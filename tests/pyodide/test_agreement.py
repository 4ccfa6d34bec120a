"""What CPython finds, Pyodide finds: the same rows in the same order, by words and by vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cairn.index.kernel_file import FileKernel
from tests.pyodide.chromium import InPyodide
from tests.unit.index import agreement


@pytest.fixture(scope="module")
def inside(pyodide: InPyodide) -> dict[str, str]:
    found: dict[str, str] = json.loads(pyodide.call("runAgreement"))
    return found


def test_the_kernel_agrees_with_numpy_on_500_queries(inside: dict[str, str], tmp_path: Path) -> None:
    """Intent: ids, order and scores of the WebAssembly kernel are those of the reference, here and there."""
    pytest.importorskip("numpy")
    expected = agreement.by_vectors(FileKernel("numpy"), tmp_path)
    assert inside["kind"] == "simd"
    assert inside["kernel"] == inside["numpy"] == expected


def test_words_agree_on_500_queries(inside: dict[str, str], tmp_path: Path) -> None:
    """Intent: two versions of SQLite, two builds of Python, one ranking."""
    assert inside["words"] == agreement.by_words(tmp_path)
