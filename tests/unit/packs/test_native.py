"""The CPython twins: fetching from a folder or server, the vector cache, the embedder."""

from __future__ import annotations

import asyncio
import http.server
import math
import threading
from array import array
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from cairn.errors import DownloadFailed, ModelUnavailable
from cairn.native.embedder import OnnxEmbedder
from cairn.native.fetch import LocalFetch
from cairn.native.vector_cache import VectorCache, cache_root
from tests.unit.packs.helpers import drive, silent


def test_fetch_from_a_folder(tmp_path: Path) -> None:
    """Intent: build and evaluation read files by the names the app uses."""
    (tmp_path / "a.bin").write_bytes(b"x" * 700_000)
    fetch = LocalFetch(tmp_path)
    assert drive(fetch.read("/a.bin")) == b"x" * 700_000
    with pytest.raises(DownloadFailed, match="none"):
        drive(fetch.read("none"))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    handler = partial(QuietHandler, directory=str(tmp_path))
    try:
        served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
    except (OSError, RuntimeError):
        pytest.skip("no server or thread can start here")
    yield f"http://127.0.0.1:{served.server_address[1]}/"
    served.shutdown()
    served.server_close()


def test_fetch_from_a_server(tmp_path: Path, server: str) -> None:
    """Intent: the same port over HTTP; what is missing is a typed error."""
    (tmp_path / "a.bin").write_bytes(b"y" * 300_000)
    fetch = LocalFetch(server)
    assert drive(fetch.read("a.bin")) == b"y" * 300_000
    for bad in ("none", "file:///etc/passwd"):
        with pytest.raises(DownloadFailed):
            drive(fetch.read(bad))


def test_vector_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: a vector comes back as it was; a cut file counts as none."""
    cache = VectorCache("model", 3, tmp_path)
    assert cache.get("text") is None
    cache.put("text", array("f", [0.5, -1.0, 2.0]))
    assert cache.get("text") == array("f", [0.5, -1.0, 2.0])
    assert VectorCache("other", 3, tmp_path).get("text") is None
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    kept.write_bytes(b"cut")
    assert cache.get("text") is None
    monkeypatch.setenv("CAIRN_CACHE", str(tmp_path / "c"))
    assert cache_root() == tmp_path / "c"


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    """Intent: the command line says which file is missing and what makes it."""
    pytest.importorskip("onnxruntime")
    embedder = OnnxEmbedder(tmp_path)
    with pytest.raises(ModelUnavailable, match="not loaded"):
        embedder.embed(["x"])
    with pytest.raises(ModelUnavailable, match=r"config\.json"):
        asyncio.run(embedder.load(silent))


def model(kind: str) -> Path:
    """A converted model from the cache of the build; skips the test when there is none."""
    pytest.importorskip("onnxruntime")
    found = sorted((cache_root() / "models").glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip(f"{kind} is not converted on this machine (./cairn build does)")
    return found[-1]


def test_embedder_on_the_small_graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Intent: unit vectors that depend on their own text only, and come from the cache again."""
    folder = model("e5-tiny")
    monkeypatch.setenv("CAIRN_CACHE", str(tmp_path))
    embedder = OnnxEmbedder(folder)
    info = asyncio.run(embedder.load(silent))
    assert (info.id, info.dtype, info.device, info.context) == ("multilingual-e5-small", "q8", "cpu", 512)
    assert len(info.revision) == 12 and embedder.vector_model.revision == info.revision
    texts = ["Boil water.", "x" * 9000 + " water" * 3000, ""]
    vectors = asyncio.run(embedder.embed_passages(texts))
    assert all(math.isclose(math.fsum(v * v for v in vector), 1, abs_tol=1e-5) for vector in vectors)
    assert asyncio.run(embedder.embed_passages(texts[:1])) == vectors[:1]
    fresh = OnnxEmbedder(folder, cache=False)
    asyncio.run(fresh.load(silent))
    assert asyncio.run(fresh.embed_passages(texts[:1])) == vectors[:1]
    assert asyncio.run(fresh.embed_query(texts[0])) != vectors[0]


def test_embedder_knows_languages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Intent: the converted E5 does what it is for: a question finds its answer across languages."""
    folder = model("multilingual-e5-small")
    monkeypatch.setenv("CAIRN_CACHE", str(tmp_path))
    embedder = OnnxEmbedder(folder)
    asyncio.run(embedder.load(silent))
    passages = [
        "Boil the water for one minute to make it safe to drink.",
        "Press firmly on the wound until the bleeding stops.",
        "The Eiffel Tower is in Paris.",
    ]
    vectors = asyncio.run(embedder.embed_passages(passages))
    for question, expected in (
        ("¿Cómo hago potable el agua del río?", 0),
        ("怎样止血", 1),
        ("where is the Eiffel tower", 2),
    ):
        query = asyncio.run(embedder.embed_query(question))
        scores = [math.fsum(a * b for a, b in zip(query, vector, strict=True)) for vector in vectors]
        assert max(range(3), key=scores.__getitem__) == expected, question
