"""The WebAssembly kernel, run by Node: equal to its scalar twin and to the reference in Python."""

from __future__ import annotations

import base64
import json
import os
import shutil
import struct
import subprocess
from array import array
from pathlib import Path
from typing import Any

import pytest

from cairn.index.kernel_file import FileKernel
from tests.unit.index import vector_cases
from tests.unit.index.vector_cases import Case

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
WAT = ROOT / "workers" / "vector-kernel.wat"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not here"),
    pytest.mark.skipif(not (ROOT / "node_modules" / "wabt").is_dir(), reason="npm packages are missing"),
]
CASES = vector_cases.cases()


def assemble(target: Path) -> Path:
    from build import node

    node.run("wat.mjs", WAT, target)
    return target


@pytest.fixture(scope="module")
def wasm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assemble(tmp_path_factory.mktemp("kernel") / "vector-kernel.wasm")


def node_run(*arguments: str, stdin: str = "", **environment: str) -> str:
    command = [str(NODE), *arguments]
    run = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    return run.stdout


def test_it_is_built_the_same_each_time(wasm: Path, tmp_path: Path) -> None:
    """Intent: what ships can be made again from the text in the repository, byte for byte."""
    again = assemble(tmp_path / "again.wasm")
    assert again.read_bytes() == wasm.read_bytes()
    assert wasm.stat().st_size < 4096


def test_scalar_twin_and_life_of_a_set(wasm: Path) -> None:
    """Intent: both kernels write the same bytes; memory, files and areas are given back."""
    node_run("--test", str(HERE / "vector-kernel.test.mjs"), KERNEL_WASM=str(wasm))


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def found_by_node(wasm: Path, case: Case, path: Path) -> dict[str, list[Any]]:
    """What each kernel and each way of keeping rows finds."""
    layout = case.write(path)
    searches = [
        {
            "query": base64_of(array("f", query).tobytes()),
            "limit": limit,
            "allowed": None if allowed is None else base64_of(allowed),
        }
        for query, limit, allowed in case.searches
    ]
    shape = {
        "rows": layout.rows,
        "dimensions": layout.dimensions,
        "offset": layout.offset,
        "norms": layout.norms,
    }
    asked = json.dumps({"file": str(path), "shape": shape, "searches": searches})
    results: dict[str, list[Any]] = json.loads(node_run(str(HERE / "hits.mjs"), str(wasm), stdin=asked))
    return results


@pytest.mark.parametrize("name", list(CASES))
def test_ids_order_and_scores_are_those_of_python(name: str, wasm: Path, tmp_path: Path) -> None:
    """Intent: an answer never depends on where it was found, to the last bit of a score."""
    case = CASES[name]
    path = tmp_path / "vectors"
    results = found_by_node(wasm, case, path)
    kernel = FileKernel("python")
    kernel.load("case", str(path), case.write(path))
    for number, (query, limit, allowed) in enumerate(case.searches):
        hits = kernel.search("case", array("f", query), limit, allowed)
        rows = [hit.row for hit in hits]
        scores = struct.pack(f"<{len(hits)}d", *(hit.score + 0.0 for hit in hits)).hex()
        for way, found in results.items():
            if way.endswith("by code"):
                assert set(found[number]["rows"]) <= set(range(len(case.rows)))
                assert len(found[number]["rows"]) == len(rows), (way, number)
                continue
            assert found[number]["rows"] == rows, (way, number)
            assert found[number]["scores"] == scores, (way, number)
    kernel.unload("case")
