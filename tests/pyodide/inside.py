"""Runs inside Pyodide: one test module by pytest, or one check of the files suite on OPFS."""

from __future__ import annotations

import json
import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).resolve().parents[2]
OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
CONFIG = [f"--rootdir={SITE}", "-c", str(SITE / "pyproject.toml")]


class Reports:
    """A pytest plugin that keeps what happened, and says which test begins."""

    def __init__(self, begins: Callable[[str], None]) -> None:
        self._begins = begins
        self.passed: list[str] = []
        self.skipped: dict[str, str] = {}
        self.failed: dict[str, str] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._begins(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            sections = "\n".join(f"--- {title} ---\n{text}" for title, text in report.sections)
            self.failed[report.nodeid] = f"{report.longreprtext}\n{sections}"
        elif report.skipped:
            self.skipped[report.nodeid] = str(report.longrepr)
        elif report.when == "call":
            self.passed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed[report.nodeid] = report.longreprtext
        elif report.skipped:
            self.skipped[report.nodeid] = str(report.longrepr)


def run_module(name: str, begins: Callable[[str], None]) -> str:
    """Run one module of tests/unit; JSON of what happened and of pytest's exit status."""
    reports = Reports(begins)
    scratch = tempfile.mkdtemp()
    try:
        status = pytest.main(
            [*OPTIONS, *CONFIG, f"--basetemp={scratch}/t", str(SITE / "tests" / "unit" / name)],
            plugins=[reports],
        )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)  # MEMFS is memory
    return json.dumps(
        {
            "status": int(status),
            "passed": reports.passed,
            "skipped": reports.skipped,
            "failed": reports.failed,
        }
    )


async def run_check(name: str, restart: Any) -> str:
    """Run one check of the files suite over OPFS; the traceback when it fails, else nothing.

    ``restart()`` closes the store over this check's directory and opens it again; it resolves to
    the JavaScript host that :class:`cairn.browser.files.OpfsFiles` wraps.
    """
    from cairn.browser.files import OpfsFiles
    from tests.unit.storage.files_suite import CHECKS

    async def opened() -> OpfsFiles:
        return OpfsFiles(await restart())

    try:
        await CHECKS[name](opened)
    except BaseException:  # noqa: BLE001  the outer test shows it
        return traceback.format_exc()
    return ""


def run_agreement(host: Any) -> str:
    """JSON of the hashes of tests/unit/index/agreement.py, with the WebAssembly kernel and with numpy."""
    from cairn.browser.kernel import WasmKernel
    from cairn.index.kernel_file import FileKernel
    from tests.unit.index import agreement

    folder = Path(tempfile.mkdtemp())
    found = {
        "kind": host.kind,
        "kernel": agreement.by_vectors(WasmKernel(host), folder),
        "numpy": agreement.by_vectors(FileKernel("numpy"), folder),
        "words": agreement.by_words(folder),
    }
    shutil.rmtree(folder)
    return json.dumps(found)


def measure_search(path: str) -> str:
    """JSON of tests/unit/index/search_measures.py over an index in a file."""
    import sqlite3

    from tests.unit.index import search_measures

    db = sqlite3.connect(f"file:{path}?immutable=1&mode=ro", uri=True, isolation_level=None)
    try:
        return json.dumps(search_measures.measure(db))
    finally:
        db.close()
