"""Packs in the engine, over the real format: added from chosen files, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.device import Client, Device
from tests.unit.engine.fake_packs import FakePacks
from tests.unit.engine.fakes import FakeFetch
from tests.unit.packs.helpers import small_pack


@pytest.fixture
def on_device(tmp_path: Path) -> Callable[..., None]:
    """Run a scenario on a device whose app comes without packs."""

    async def guarded(scenario: Callable[[Device], Awaitable[None]]) -> None:
        device = Device(tmp_path / "device", FakePacks())
        device.fetch = FakeFetch()
        device.fetch.publish_packs()
        device.engine = device.new_engine()
        try:
            async with asyncio.timeout(60):
                await scenario(device)
        finally:
            await device.engine.close()

    return lambda scenario: asyncio.run(guarded(scenario))


async def add(d: Device, page: Client, path: Path, key: str = "k1") -> Any:
    d.picked.pick(key, [path])
    return await page.call("packs.add", key=key)


def test_a_pack_from_a_file_is_searched(on_device: Callable[..., None], tmp_path: Path) -> None:
    """Intent: a USB stick is enough; no network has to be there."""
    pack = small_pack(tmp_path / "made")

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        assert page.cell("library")["state"] == "empty"
        info = await add(d, page, pack)
        assert (info["id"], info["version"]) == ("test-notes", "1.0")
        assert page.cell("library") == {"state": "ready", "label": "3 documents", "action": ""}
        result = await page.call("engine.ask", question="Does dry tinder burn?")
        assert result["citations"][0]["source"] == "test-notes"

    on_device(scenario)


def test_a_file_that_is_no_pack_changes_nothing(on_device: Callable[..., None], tmp_path: Path) -> None:
    pack = small_pack(tmp_path / "made")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(pack.read_bytes()[:-50])

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await add(d, page, pack)
        d.picked.pick("k2", [broken])
        assert (await page.fault("packs.add", key="k2"))["code"] == "pack_invalid"
        assert [s["id"] for s in (await page.call("engine.status"))["sources"]] == ["test-notes"]
        assert len(await d.files.list("packs/")) == 1

    on_device(scenario)
