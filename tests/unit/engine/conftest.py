"""A device for every test, with the engine on it closed at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.unit.engine.device import Device
from tests.unit.engine.fake_packs import FakePacks

Scenario = Callable[[Device], Awaitable[None]]


@pytest.fixture
def on_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Scenario], None]:
    """Run a scenario in an event loop of its own."""
    packs = FakePacks()
    monkeypatch.setattr("cairn.sources.packs.shelf.packs", packs)
    monkeypatch.setattr("cairn.engine.QUIET_SECONDS", 0.005)

    async def guarded(scenario: Scenario) -> None:
        device = Device(tmp_path, packs)
        try:
            async with asyncio.timeout(20):
                await scenario(device)
        finally:
            await device.engine.close()

    return lambda scenario: asyncio.run(guarded(scenario))
