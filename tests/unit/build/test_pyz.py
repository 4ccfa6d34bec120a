"""cairn.pyz: one file, the standard library alone, the same answers as the folder it was made from."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.cli import pyz

PACKAGE = Path(__file__).resolve().parents[3] / "pysrc" / "cairn"
MODEL = bytes(range(256)) * 4_000


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "reader").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Cairn</h1>", "utf-8")
    (folder / "reader" / "text.html").write_text("reader", "utf-8")
    (folder / "model.onnx").write_bytes(MODEL)
    return folder


@pytest.fixture
def origin(site: Path, tmp_path: Path) -> Iterator[str]:
    """Where the file serves, started as a person would, without anything installed."""
    target = tmp_path / "cairn.pyz"
    pyz.write(site, PACKAGE, target)
    command = [sys.executable, "-I", "-S", str(target), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        yield line.split(" ")[3].rstrip("/")
        running.terminate()


def test_it_serves_the_site_from_inside_itself(origin: str) -> None:
    """Intent: whole files, parts of files and the headers that isolate, with no unpacking."""
    with urllib.request.urlopen(f"{origin}/") as reply:
        assert reply.read() == b"<h1>Cairn</h1>"
        assert reply.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    with urllib.request.urlopen(f"{origin}/reader/text.html") as reply:
        assert "'unsafe-eval'" not in reply.headers["Content-Security-Policy"]
    part = urllib.request.Request(f"{origin}/model.onnx", headers={"Range": "bytes=1000-1999"})
    with urllib.request.urlopen(part) as reply:
        assert (reply.status, reply.read()) == (206, MODEL[1000:2000])
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{origin}/../__main__.py")


def test_the_same_site_gives_the_same_file(site: Path, tmp_path: Path) -> None:
    """Intent: who gets the file can check it against another's."""
    first, second = tmp_path / "1.pyz", tmp_path / "2.pyz"
    pyz.write(site, PACKAGE, first)
    pyz.write(site, PACKAGE, second)
    assert first.read_bytes() == second.read_bytes()
