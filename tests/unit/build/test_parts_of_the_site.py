"""The pieces that the site is assembled from: files, wheel, icons, catalogue, build id."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from build import catalogue, icons, lock, precache, site, wheel
from build.errors import BuildError
from build.files import HashMemo, folder_at_once, link_or_copy, write_bytes
from build.paths import ROOT

# Files


def test_the_memo_sees_a_change_of_content(tmp_path: Path) -> None:
    """Intent: a warm build must never trust a hash of yesterday's file."""
    path, memo = tmp_path / "a", HashMemo(tmp_path / "memo.json")
    path.write_bytes(b"one")
    first = memo.sha256(path)
    memo.save()
    path.write_bytes(b"two!")
    again = HashMemo(tmp_path / "memo.json")
    assert again.sha256(path) != first
    assert again.matches(path, hashlib.sha256(b"two!").hexdigest())
    assert not again.matches(tmp_path / "absent", first)


def test_a_broken_memo_is_an_empty_one(tmp_path: Path) -> None:
    """Intent: a kill while it was written costs time, not the build."""
    (tmp_path / "memo.json").write_text('{"half')
    path = tmp_path / "a"
    path.write_bytes(b"x")
    assert HashMemo(tmp_path / "memo.json").sha256(path) == hashlib.sha256(b"x").hexdigest()


def test_an_unchanged_write_keeps_the_time(tmp_path: Path) -> None:
    """Intent: browsers and later steps see only real changes."""
    path = tmp_path / "a"
    write_bytes(path, b"x")
    os.utime(path, (1, 1))
    write_bytes(path, b"x")
    assert path.stat().st_mtime == 1
    write_bytes(path, b"y")
    assert path.stat().st_mtime != 1


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """Intent: a conversion that was interrupted is not mistaken for a finished one."""
    target = tmp_path / "model"
    with pytest.raises(RuntimeError), folder_at_once(target) as beside:
        (beside / "half").write_text("x")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with folder_at_once(target) as beside:
        (beside / "whole").write_text("x")
    assert (target / "whole").read_text() == "x"


def test_a_link_replaces_what_was_there(tmp_path: Path) -> None:
    """Intent: a rebuilt site takes the new content where the old one lay."""
    source, target = tmp_path / "source", tmp_path / "deep/target"
    source.write_text("new")
    target.parent.mkdir()
    target.write_text("old")
    link_or_copy(source, target)
    assert target.read_text() == "new"


# Wheel


def test_the_wheel_is_the_same_every_time_and_holds_no_cpython_rooms() -> None:
    """Intent: its hash is part of the build id, and the browser has no use for the command line."""
    name, content = wheel.build()
    assert wheel.build() == (name, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        members = archive.namelist()
        record = archive.read(members[-1]).decode().splitlines()
    assert "cairn/__init__.py" in members
    assert "cairn/py.typed" in members
    assert not [member for member in members if member.startswith(("cairn/cli/", "cairn/native/"))]
    assert not [member for member in members if "__pycache__" in member]
    assert len(record) == len(members)


# Icons


def test_icons_are_drawn_at_their_size() -> None:
    """Intent: PNG signature, size, and a transparent corner around the stones."""
    data = icons.render(ROOT / "web/icons/cairn.svg", 48)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20]) == int.from_bytes(data[20:24]) == 48


def test_an_icon_beyond_our_drawing_stops_the_build(tmp_path: Path) -> None:
    """Intent: a drawing with a path in it must not come out as a blank icon."""
    source = tmp_path / "a.svg"
    source.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0"/></svg>')
    with pytest.raises(BuildError, match="<path>"):
        icons.render(source, 8)


# Catalogue and precache list


def test_the_catalogue_gives_each_device_its_weights() -> None:
    """Intent: WASM never loads MatMulNBits files and WebGPU never int8 ones; hashes come from the lock."""
    listed = catalogue.catalogue(lock.load())
    models = {model["id"]: model for model in listed["models"]}
    assert set(models) == {"multilingual-e5-small", "smollm2-135m-instruct"}
    e5 = models["multilingual-e5-small"]
    assert (e5["role"], e5["dimensions"], e5["context"]) == ("embedder", 384, 512)
    for model_id, device, dtype, weights in (
        ("multilingual-e5-small", "wasm", "q8", "onnx/model_quantized.onnx"),
        ("multilingual-e5-small", "webgpu", "q4", "onnx/model_q4.onnx"),
        ("smollm2-135m-instruct", "wasm", "q8", "onnx/model_quantized.onnx"),
        ("smollm2-135m-instruct", "webgpu", "uint8", "onnx/model_uint8.onnx"),
    ):
        variant = models[model_id]["files"][device]
        paths = {entry["path"] for entry in variant["files"]}
        assert variant["dtype"] == dtype
        assert {path for path in paths if path.endswith(".onnx")} == {weights}
        assert {"config.json", "tokenizer.json", "tokenizer_config.json"} <= paths


def test_the_build_id_follows_every_content() -> None:
    """Intent: an update is noticed whatever changed, and an unchanged site is not an update."""
    hashes = {"a": "1", "b": "2"}
    base = precache.build_id(hashes, ["worker"])
    assert precache.build_id(dict(reversed(hashes.items())), ["worker"]) == base
    assert precache.build_id({**hashes, "b": "3"}, ["worker"]) != base
    assert precache.build_id({**hashes, "c": "1"}, ["worker"]) != base
    assert precache.build_id(hashes, ["another worker"]) != base


def test_the_start_page_is_listed_as_the_folder() -> None:
    """Intent: the cache is asked for `/`, which is what a browser requests."""
    assert precache.entry("index.html", "0", 1)["url"] == "/"
    assert precache.entry("ui/main.py", "0", 1)["url"] == "/ui/main.py"


def test_webgpu_runtimes_wait_for_a_device_that_can_use_them() -> None:
    """Intent: 44 MB that most devices never load stay out of the shell."""
    assert precache.is_runtime_on_demand("vendor/ort/ort-wasm-simd-threaded.jspi.wasm")
    assert not precache.is_runtime_on_demand("vendor/ort/ort-wasm-simd-threaded.wasm")


# Assembly


def test_a_site_is_replaced_whole(tmp_path: Path) -> None:
    """Intent: no file of an earlier site survives, and one that is current is recognised."""
    memo = HashMemo(tmp_path / "memo.json")
    target, source = tmp_path / "dist/site", tmp_path / "a.html"
    source.write_text("one")
    site._assemble(target, {"index.html": source, "old.html": source})
    assert site._is_current(target, {"index.html": source, "old.html": source}, memo)
    site._assemble(target, {"index.html": source})
    assert [path.name for path in target.iterdir()] == ["index.html"]
    write_bytes(source, b"three")
    assert not site._is_current(target, {"index.html": source}, memo)
    assert [path.name for path in target.parent.iterdir()] == ["site"]


def test_a_built_site_agrees_with_its_precache_list() -> None:
    """Intent: every listed file exists with its size, and every file but three is listed."""
    built = ROOT / "dist/site"
    if not (built / "precache.json").is_file():
        pytest.skip("the site has not been built here")
    listed = json.loads((built / "precache.json").read_text())
    entries = [entry for group in ("shell", "models", "packs") for entry in listed[group]]
    urls = {entry["url"]: entry for entry in entries}
    assert len(urls) == len(entries)
    for url, entry in urls.items():
        path = built / ("index.html" if url == "/" else url[1:])
        assert path.stat().st_size == entry["bytes"], url
    unlisted = {
        path.relative_to(built).as_posix()
        for path in built.rglob("*")
        if path.is_file() and f"/{path.relative_to(built).as_posix()}" not in urls
    }
    assert unlisted <= {"index.html", "precache.json", "service-worker.mjs"}
    boot = json.loads((built / "python/boot.json").read_text())
    assert boot["build"] == listed["build"]
    assert boot["lock"] == json.loads((built / "python/pyodide-lock.json").read_text())
    for part in ("wheel", "snapshot", "numpy"):
        assert urls[boot[part]["url"]]["sha256"] == boot[part]["sha256"]
