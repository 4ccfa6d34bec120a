"""Runs inside Pyodide: the WebAssembly kernel behind its port against the reference in Python."""

from __future__ import annotations

import json
import tempfile
from array import array
from pathlib import Path
from typing import Any

from cairn.browser.kernel import WasmKernel
from cairn.errors import PackInvalid
from cairn.index.kernel import VectorLayout
from cairn.index.kernel_file import FileKernel
from tests.unit.index import vector_cases


def check(host: Any) -> str:
    """JSON of the cases that agree, those that do not, and what mistakes lead to."""
    folder = Path(tempfile.mkdtemp())
    kernel, reference = WasmKernel(host), FileKernel("python")
    agree: list[str] = []
    differ: list[str] = []
    for name, case in vector_cases.cases().items():
        path = folder / name
        layout = case.write(path)
        for each in (kernel, reference):
            each.load("case", str(path), layout)
        for number, (query, limit, allowed) in enumerate(case.searches):
            asked = ("case", array("f", query), limit, allowed)
            same = kernel.search(*asked) == reference.search(*asked)
            (agree if same else differ).append(f"{name} {number}")
    kernel.load("codes", str(path), layout, "codes")
    query, limit, allowed = case.searches[0]
    by_code = kernel.search("codes", array("f", query), limit, allowed)
    wrong = mistakes(kernel, str(path), layout)
    return json.dumps({"agree": agree, "differ": differ, "by_code": len(by_code), "mistakes": wrong})


def mistakes(kernel: WasmKernel, path: str, layout: VectorLayout) -> dict[str, str]:
    """The error of each mistake."""
    query = array("f", [1.0] * layout.dimensions)
    vast = VectorLayout(2**28, 384, 0, 0)
    wrong = {
        "unknown key": lambda: kernel.search("none", query, 5),
        "dimensions": lambda: kernel.search("case", query[1:], 5),
        "filter": lambda: kernel.search("case", query, 5, b""),
        "no file": lambda: kernel.load("x", "/nowhere", layout),
        "ends early": lambda: kernel.load("x", path, VectorLayout(10**5, 16, 0, 0)),
        "no room": lambda: kernel.load("x", path, vast),
    }
    found: dict[str, str] = {}
    for name, call in wrong.items():
        try:
            call()
        except (KeyError, ValueError, PackInvalid, MemoryError) as error:
            found[name] = type(error).__name__
    return found
