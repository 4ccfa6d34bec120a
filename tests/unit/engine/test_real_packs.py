"""The engine over real packs: what the stand-in of the other tests promises, the format keeps."""

from __future__ import annotations

import asyncio
import hashlib
import json
import zipfile
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path

import pytest

from tests.unit.engine.device import Device
from tests.unit.engine.fake_packs import FakePacks
from tests.unit.engine.fakes import FakeFetch, until
from tests.unit.packs.helpers import build, write_recipe

QUESTION = "Does dry tinder burn?"


def publish(fetch: FakeFetch, content: bytes) -> None:
    """Make a pack the one that comes with the app."""
    manifest = json.loads(zipfile.ZipFile(BytesIO(content)).read("manifest.json"))
    fetch.files["packs/starter.zip"] = content
    fetch.publish_packs(
        {
            "id": manifest["corpusId"],
            "version": manifest["version"],
            "url": "/packs/starter.zip",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    )


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Two versions of one pack."""
    folder = tmp_path_factory.mktemp("packs")
    recipe = write_recipe(folder / "recipe")
    build(recipe, folder / "1.zip")
    toml = recipe / "pack.toml"
    toml.write_text(toml.read_text("utf-8").replace('"1.0"', '"2.0"'), encoding="utf-8")
    build(recipe, folder / "2.zip")
    return (folder / "1.zip").read_bytes(), (folder / "2.zip").read_bytes()


@pytest.fixture
def on_device(tmp_path: Path, versions: tuple[bytes, bytes]) -> Callable[..., None]:
    """Run a scenario on a device to whose app the first version belongs."""

    async def guarded(scenario: Callable[[Device], Awaitable[None]]) -> None:
        device = Device(tmp_path, FakePacks())
        publish(device.fetch, versions[0])
        try:
            async with asyncio.timeout(60):
                await scenario(device)
        finally:
            await device.engine.close()

    return lambda scenario: asyncio.run(guarded(scenario))


async def pack_files(d: Device) -> list[str]:
    return [info.name for info in await d.files.list("packs/")]


def test_install_ask_and_read(on_device: Callable[..., None]) -> None:
    """Intent: from the first start to the marked passage, with nothing in between made up."""

    async def scenario(d: Device) -> None:
        page = d.page()
        asked = page.begin("engine.ask", question=QUESTION)
        await d.engine.start()
        result = (await page.answer(asked))["result"]
        assert result["outcome"] == "matched"
        citation = result["citations"][0]
        assert citation["document"] == "fire"
        document = await page.call(
            "reader.document",
            source=citation["source"],
            document=citation["document"],
            passage=citation["passage"],
        )
        (marked,) = [p for p in document["passages"] if p["id"] == document["marked"]]
        assert document["text"][marked["start"] : marked["end"]] == citation["text"]
        assert hashlib.sha256(document["text"].encode()).hexdigest() == document["sha256"]

    on_device(scenario)


def test_an_update_replaces_the_pack_and_its_file(
    on_device: Callable[..., None], versions: tuple[bytes, bytes]
) -> None:
    """Intent: two versions of one pack never share a file, and the old one leaves nothing behind."""

    async def scenario(d: Device) -> None:
        await d.started()
        old = await pack_files(d)
        await d.engine.close()
        publish(d.fetch, versions[1])
        d.engine = d.new_engine()
        await d.engine.start()
        assert d.engine.status()["sources"][0]["version"] == "1.0"
        await until(lambda: d.engine.status()["sources"][0]["version"] == "2.0", 20)
        await until(lambda: not d.engine.library.problems)  # type: ignore[union-attr]
        new = await pack_files(d)
        assert len(old) == len(new) == 1
        assert old != new
        assert (await d.page().call("engine.ask", question=QUESTION))["outcome"] == "matched"

    on_device(scenario)


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b[:-22] + bytes(22)])
def test_a_damaged_pack_is_reported_and_repaired_from_the_app(
    on_device: Callable[..., None], damage: Callable[[bytes], bytes]
) -> None:
    """Intent: whatever happened to the file, the start does not fail and the app heals itself."""

    async def scenario(d: Device) -> None:
        await d.started()
        (name,) = await pack_files(d)
        await d.engine.close()
        file = Path(await d.files.ensure(name))
        file.write_bytes(damage(file.read_bytes()))
        d.engine = d.new_engine()
        await d.engine.start()
        assert (await d.page().call("engine.ask", question=QUESTION))["outcome"] == "matched"
        assert len(await pack_files(d)) == 1

    on_device(scenario)


def test_what_an_interrupted_install_left_is_removed(
    on_device: Callable[..., None], versions: tuple[bytes, bytes]
) -> None:
    """Intent: a tab closed in the middle of an install costs no room for good."""

    async def scenario(d: Device) -> None:
        half = Path(await d.files.ensure("packs/half.zip"))
        half.write_bytes(versions[0][:1000])
        await d.started()
        await until(lambda: d.engine.library.packs.recovered["files"])  # type: ignore[union-attr]
        assert d.engine.status()["packs"]["recovered"] == {"files": 1, "bytes": 1000}
        assert "packs/half.zip" not in await pack_files(d)
        assert len(await pack_files(d)) == 1

    on_device(scenario)
