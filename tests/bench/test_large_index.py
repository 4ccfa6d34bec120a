"""Two words, one of them very common, in an index of five million documents: CPU in Pyodide."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from statistics import median

import pytest

from cairn.cli.checkout import ROOT, SITE
from tests.bench.large_index import write

DOCUMENTS = 5_000_000
MOST_MS = 500.0
WHEELS = ("numpy", "snowballstemmer")
PYODIDE = ROOT / "node_modules" / "pyodide"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here")
def test_two_words_one_very_common(tmp_path: Path) -> None:
    archive = tmp_path / "five-million.zim"
    write(archive, DOCUMENTS)
    wheels = [str(path) for name in WHEELS for path in SITE.glob(f"python/{name}-*.whl")]
    command = ["node", str(Path(__file__).with_name("large_index.mjs")), str(PYODIDE), *wheels, str(archive)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    found = json.loads(run.stdout.strip().splitlines()[-1])
    print(f"\n{found['documents']} documents, {archive.stat().st_size / 1e6:.0f} MB, milliseconds of CPU:")
    for when in ("before", "after"):
        times = ", ".join(f"{question} {ms:.0f}" for question, ms in found[when].items())
        print(f"  {when} the lengths are loaded: {times}")
    print(
        f"  lengths: {found['idle']:.0f} in idle time, the longest piece {found['piece']:.0f},"
        f" {found['held'] / 1e6:.0f} MB; opening {found['opened']:.0f}"
    )
    assert median(found["after"].values()) <= MOST_MS
    assert max(found["after"].values()) <= 1.5 * MOST_MS
