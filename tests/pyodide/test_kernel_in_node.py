"""The vector kernel behind its Python port, in the Pyodide that people get, run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYODIDE = ROOT / "node_modules" / "pyodide"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
@pytest.mark.skipif(not PYODIDE.is_dir(), reason="npm packages are missing")
def test_the_kernel_answers_as_the_reference_does(tmp_path: Path) -> None:
    """Intent: ids, order, scores and errors cross between Python and WebAssembly unchanged."""
    from build import node

    wasm = tmp_path / "vector-kernel.wasm"
    node.run("wat.mjs", ROOT / "workers" / "vector-kernel.wat", wasm)
    command = ["node", str(HERE / "kernel_in_node.mjs"), str(PYODIDE), str(wasm)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    found = json.loads(run.stdout.strip().splitlines()[-1])
    assert not found["differ"]
    assert len(found["agree"]) > 35
    assert found["by_code"] == 50
    assert found["mistakes"] == {
        "unknown key": "KeyError",
        "dimensions": "ValueError",
        "filter": "ValueError",
        "no file": "PackInvalid",
        "ends early": "PackInvalid",
        "no room": "MemoryError",
    }
