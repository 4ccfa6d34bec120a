"""Which device runs a model: E5's first layer on a graphics card that is a program (SwiftShader)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from build import lock as locks
from build.files import HashMemo
from build.models import convert
from build.paths import BUILD_CACHE
from cairn.browser.selftest import cosine, encode
from cairn.cli.serve import serving
from tests.browser.app import App
from tests.browser.conftest import HARNESS, ROOT, SITE
from tests.browser.models import Models
from tests.browser.waiting import wait_until

SOFTWARE = "--enable-unsafe-webgpu"
TEXTS = ["query: river water", "passage: boil it for one minute"]
Check = list[tuple[str, str]]


@pytest.fixture(scope="module")
def tiny() -> Path:
    """A folder with the model, converted once per machine."""
    return convert.ensure("e5-tiny", locks.load(), HashMemo(BUILD_CACHE / "hashes.json"))


def catalogue(folder: Path, check: Check | None = None) -> str:
    """A catalogue whose only model is the one in this folder."""

    def files(weights: str) -> list[dict[str, Any]]:
        names = ["config.json", "tokenizer.json", "tokenizer_config.json", weights]
        contents = {name: (folder / name).read_bytes() for name in names}
        return [
            {"path": name, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
            for name, raw in contents.items()
        ]

    entry: dict[str, Any] = {
        "id": "e5-tiny",
        "role": "embedder",
        "name": "tiny",
        "default": True,
        "dimensions": 384,
        "context": 512,
        "revision": "t",
        "files": {
            "wasm": {"dtype": "q8", "files": files("onnx/model_quantized.onnx")},
            "webgpu": {"dtype": "q4", "files": files("onnx/model_q4.onnx")},
        },
    }
    if check is not None:
        entry["check"] = check
    return json.dumps({"version": 1, "models": [entry]})


@pytest.fixture(scope="module")
def workers(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for model-page.html with the tiny model."""
    folder = tmp_path_factory.mktemp("catalogue")
    (folder / "models.json").write_text(catalogue(tiny))
    folders = {"/models/e5-tiny": tiny, "/tiny": folder, "/harness": HARNESS, "/workers": ROOT / "workers"}
    with serving(SITE, folders) as server:
        yield server.url.rstrip("/")


def test_webgpu_and_wasm_agree(on_disk: Callable[..., BrowserContext], workers: str) -> None:
    """Intent: the same model on either device gives the same meaning."""
    models = Models(on_disk(SOFTWARE).new_page(), workers)
    probe = models.page.evaluate("() => probe(true)")
    assert probe["gpu"] and probe["software"] and not probe["f16"]
    assert models.page.evaluate("() => probe(false)")["gpu"] is False
    models.load("embed", "embedder", "wasm", "/tiny/models.json")
    on_cpu = models.embed(TEXTS)
    models.page.evaluate("() => end()")
    models.load("embed", "embedder", "webgpu", "/tiny/models.json")
    on_gpu = models.embed(TEXTS)
    assert min(cosine(a, b) for a, b in zip(on_cpu, on_gpu, strict=True)) >= 0.98


def test_without_an_adapter_nothing_is_promised(page: Page, harness: str) -> None:
    """Intent: navigator.gpu without an adapter is the common case; probing it is cheap and final."""
    page.goto(f"{harness}/harness/model-page.html")
    page.wait_for_function("() => Boolean(globalThis.load)")
    probe = page.evaluate("() => probe(true)")
    assert probe["gpu"] is False
    assert probe["threads"] >= 1
    assert probe["isolated"] is True


@pytest.fixture(scope="module")
def known(tiny: Path) -> Check:
    """Vectors of the tiny model on CPython."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from cairn.native.embedder import OnnxEmbedder

    async def embed() -> Check:
        embedder = OnnxEmbedder(tiny, cache=False)
        await embedder.load(lambda phase, done, total: None)
        query = await embedder.embed_query(TEXTS[0].removeprefix("query: "))
        [passage] = await embedder.embed_passages([TEXTS[1].removeprefix("passage: ")])
        return [(TEXTS[0], encode(query)), (TEXTS[1], encode(passage))]

    with ThreadPoolExecutor(1) as thread:  # Playwright's own loop runs in this one
        return thread.submit(lambda: asyncio.run(embed())).result()


@pytest.mark.parametrize(
    ("case", "path", "expected"),
    [
        ("proven", "/?softgpu=1", "e5-tiny (webgpu, q4)"),
        ("proven", "/", "e5-tiny (wasm, q8)"),  # a software adapter counts as none
        ("unproven", "/?softgpu=1", "e5-tiny (wasm, q8)"),  # no known vectors: not on a GPU
        ("broken", "/?softgpu=1", "e5-tiny (wasm, q8)"),  # will not load there
        ("wrong", "/?softgpu=1", ""),  # proves itself nowhere: words only
    ],
)
def test_the_engine_chooses_the_device_that_proves_itself(
    on_disk: Callable[..., BrowserContext],
    tmp_path: Path,
    tiny: Path,
    known: Check,
    case: str,
    path: str,
    expected: str,
) -> None:
    """Intent: a fast device with wrong numbers is worse than a slow one with right ones."""
    site, model = tmp_path / "site", tmp_path / "site" / "models" / "e5-tiny"
    shutil.copytree(SITE, site, copy_function=lambda a, b: Path(b).hardlink_to(a))
    shutil.copytree(tiny, model)
    if case == "broken":
        (model / "onnx" / "model_q4.onnx").write_bytes(b"not a model")
    wrong = [(text, encode(list(range(1, 385)))) for text, _ in known]
    check = {"unproven": None, "wrong": wrong}.get(case, known)
    (site / "models.json").unlink()
    (site / "models.json").write_text(catalogue(model, check))
    with serving(site) as server:
        app = App(on_disk(SOFTWARE).new_page(), server.url.rstrip("/"), path)
        settled = ("ready", "failed")

        def state() -> Any:
            status = app.request("engine.status")
            return status if status["readiness"]["meaning"]["state"] in settled else None

        status = wait_until(state, seconds=120)
        assert status["models"].get("embedder", "") == expected, status["readiness"]["meaning"]
        assert (status["readiness"]["meaning"]["state"] == "ready") is bool(expected)
        assert app.search("water")
