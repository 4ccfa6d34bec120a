"""A device for the tests of packs: packs that are really built, a site, and what a page does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.sources.packs import copying
from tests.unit.engine.device import Client, Device
from tests.unit.engine.fake_packs import FakePacks
from tests.unit.engine.fakes import until
from tests.unit.packs.helpers import build, write_recipe
from tests.unit.packs.published import deflated, schema_one
from tests.unit.storage.range_site import RangeSite, Web

Scenario = Callable[[Device], Awaitable[None]]
URL = "packs/other.zip"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two versions of one pack, another pack, and published forms of the first."""
    folder = tmp_path_factory.mktemp("made")
    recipe = write_recipe(folder / "recipe")
    toml = recipe / "pack.toml"
    first = toml.read_text("utf-8")
    build(recipe, folder / "one.zip")
    toml.write_text(first.replace('"1.0"', '"2.0"'), encoding="utf-8")
    build(recipe, folder / "two.zip")
    other = first.replace("test-notes", "other-notes").replace("Test notes", "Other notes")
    toml.write_text(other, encoding="utf-8")
    build(recipe, folder / "other.zip")
    toml.write_text(first, encoding="utf-8")
    build(recipe, folder / "published.zip", compatible=True)
    deflated(folder / "published.zip", folder / "deflated.zip")
    schema_one(folder / "published.zip", folder / "schema-one.zip")
    return {path.stem: path for path in folder.glob("*.zip")}


@pytest.fixture
def on_device(
    tmp_path: Path, made: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Scenario], None]:
    """Run a scenario on a device whose app comes without packs and whose site has one more."""
    monkeypatch.setattr("cairn.engine.QUIET_SECONDS", 0.005)
    monkeypatch.setattr(copying, "PIECE", 4_096)
    monkeypatch.setattr(copying, "FLUSH", 8_192)

    async def guarded(scenario: Scenario) -> None:
        device = Device(tmp_path / "device", FakePacks())
        device.fetch = Web(**{  # type: ignore[assignment]
            "precache.json": RangeSite(b'{"packs": []}'),
            URL: RangeSite(made["other"].read_bytes()),
        })  # fmt: skip
        device.engine = device.new_engine()
        try:
            async with asyncio.timeout(60):
                await scenario(device)
        finally:
            await device.engine.close()

    return lambda scenario: asyncio.run(guarded(scenario))


async def show(d: Device, page: Client, path: Path, key: str = "k1") -> dict[str, Any]:
    """What the page shows of a chosen file."""
    d.picked.pick(key, [path])
    shown: dict[str, Any] = await page.call("packs.add", key=key)
    return shown


async def installed(page: Client, job: dict[str, Any]) -> None:
    """Start what is shown and wait until it is in the library."""
    await page.call("packs.start", job=job["id"])
    await until(lambda: ended(page, job))


def ended(page: Client, job: dict[str, Any]) -> bool:
    return any(end["id"] == job["id"] for end in page.notifications("packs.ended"))


async def jobs(page: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await page.call("engine.status"))["packs"]["jobs"]
    return found


async def listed(page: Client) -> dict[str, dict[str, Any]]:
    return {source["id"]: source for source in (await page.call("engine.status"))["sources"]}


async def stored(d: Device) -> int:
    return len(await d.files.list("packs/"))


async def answers(page: Client) -> list[str]:
    """Ids of the packs that answer."""
    found = await page.call("engine.search", query="tinder", semantic=False)
    return sorted({hit["source"] for hit in found["hits"]})


async def restart(d: Device) -> Client:
    await d.engine.close()
    d.engine = d.new_engine()
    await d.engine.start()
    return d.page()


async def halfway(page: Client, job: dict[str, Any], phase: str) -> None:
    await page.call("packs.start", job=job["id"])
    await until(
        lambda: any(
            j["phase"] == phase and 0 < j["done"] < j["total"] for j in page.notifications("packs.job")
        )
    )


@pytest.fixture
def told_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step of a job is told, whatever the clock of the tests says."""
    monkeypatch.setattr("cairn.sources.packs.jobs.TOLD_MS", 0.0)
