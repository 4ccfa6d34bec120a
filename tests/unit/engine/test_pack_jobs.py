"""Jobs that bring packs: from addresses and files, held, stopped, interrupted, gone on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.sources.packs import ready
from tests.unit.engine.device import Device
from tests.unit.engine.fakes import until
from tests.unit.engine.packs_device import (
    URL,
    Scenario,
    answers,
    ended,
    halfway,
    installed,
    jobs,
    listed,
    made,
    on_device,
    restart,
    show,
    stored,
    told_always,
)
from tests.unit.storage.range_site import RangeSite, drop, html

__all__ = ["made", "on_device", "told_always"]  # fixtures


def test_a_pack_from_an_address_is_shown_by_ranges(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        job = await page.call("packs.add", url=URL)
        assert job["pack"]["title"] == "Other notes"
        assert (job["origin"], job["name"], job["bytes"]) == ("url", URL, len(site.body))
        assert all("range" in request for request in site.requests)
        await installed(page, job)
        assert (await listed(page))["other-notes"]["pack"]["address"] == URL

    on_device(scenario)


def test_a_server_without_ranges_shows_the_size_and_installs(on_device: Callable[[Scenario], None]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        site.ranges = False
        job = await page.call("packs.add", url=URL)
        assert (job["pack"], job["bytes"]) == (None, len(site.body))
        await installed(page, job)
        assert await answers(page) == ["other-notes"]

    on_device(scenario)


def test_addresses_of_other_things_are_refused(on_device: Callable[[Scenario], None]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        site.faults = [html]
        assert "web page" in (await page.fault("packs.add", url=URL))["message"]
        assert "404" in (await page.fault("packs.add", url="packs/none.zip"))["message"]
        site.body = b"PK" + bytes(5_000)
        assert (await page.fault("packs.add", url=URL))["code"] == "pack_invalid"
        for params in ({}, {"key": "k", "url": "u"}, {"url": "x" * 3_000}):
            assert (await page.fault("packs.add", **params))["code"] == "invalid_request"
        assert await jobs(page) == []

    on_device(scenario)


@pytest.mark.usefixtures("told_always")
def test_pause_resume_and_stop(on_device: Callable[[Scenario], None], made: dict[str, Path]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        job = await show(d, page, made["one"])
        await halfway(page, job, "copy")
        held = await page.call("packs.pause", job=job["id"])
        assert held["state"] == "paused" and 0 < held["done"] < held["total"]
        assert (await jobs(page))[0]["state"] == "paused"
        running = [j for j in page.notifications("packs.job") if j["state"] == "running"]
        assert running[-1]["rate"] > 0 and running[-1]["seconds_left"] >= 0
        await page.call("packs.resume", job=job["id"])
        await until(lambda: ended(page, job))
        first = next(j for j in page.notifications("packs.job")[len(running) :] if j["phase"] == "copy")
        assert first["done"] > 0  # it went on, it did not begin anew
        assert await answers(page) == ["test-notes"]

        other = await show(d, page, made["other"], "k2")
        await halfway(page, other, "copy")
        await page.call("packs.stop", job=other["id"])
        assert page.notifications("packs.ended")[-1]["outcome"] == "stopped"
        assert await jobs(page) == [] and await stored(d) == 1
        for method in ("packs.pause", "packs.resume", "packs.start", "packs.stop"):
            assert (await page.fault(method, job=other["id"]))["code"] == "document_not_found"

    on_device(scenario)


@pytest.mark.usefixtures("told_always")
@pytest.mark.parametrize("phase", ["copy", "hash"])
def test_after_a_restart_a_file_is_asked_for_and_goes_on(
    on_device: Callable[[Scenario], None], made: dict[str, Path], phase: str
) -> None:
    """Intent: the tab was closed in the middle; what was copied is not copied again."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        job = await show(d, page, made["one"])
        await halfway(page, job, phase)
        await d.engine.close()
        d.picked.forget("k1")
        page = await restart(d)
        (waiting,) = await jobs(page)
        assert (waiting["state"], waiting["key"], waiting["name"]) == ("waiting", "k1", "one.zip")
        assert waiting["problem"] and waiting["done"] > 0
        assert (await page.fault("packs.resume", job=job["id"]))["code"] == "archive_absent"
        d.picked.pick("k2", [made["other"]])
        assert (await page.fault("packs.resume", job=job["id"], key="k2"))["code"] == "pack_mismatch"
        d.picked.pick("k3", [made["one"]])
        await page.call("packs.resume", job=job["id"], key="k3")
        await until(lambda: ended(page, job))
        assert await answers(page) == ["test-notes"] and await stored(d) == 1

    on_device(scenario)


@pytest.mark.usefixtures("told_always")
def test_choosing_the_same_file_goes_on_by_itself(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        job = await show(d, page, made["one"])
        await halfway(page, job, "copy")
        await d.engine.close()
        d.picked.forget("k1")
        page = await restart(d)
        again = await show(d, page, made["one"], "k9")
        assert (again["id"], again["state"]) == (job["id"], "running")
        await until(lambda: ended(page, job))

    on_device(scenario)


@pytest.mark.usefixtures("told_always")
def test_a_download_goes_on_by_itself_after_a_restart(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        job = await page.call("packs.add", url=URL)
        await halfway(page, job, "download")
        await d.engine.close()
        site.requests.clear()
        page = await restart(d)
        await until(lambda: ended(page, job))
        (request,) = site.requests
        assert int(request["range"].removeprefix("bytes=").removesuffix("-")) > 0
        assert await answers(page) == ["other-notes"]

    on_device(scenario)


def test_a_download_that_changed_since_it_was_shown_is_refused(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    """Intent: what the person said yes to is what is installed."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        job = await page.call("packs.add", url=URL)
        site.body, site.etag = made["two"].read_bytes(), '"two"'
        await page.call("packs.start", job=job["id"])
        await until(lambda: any(j["state"] == "failed" for j in page.notifications("packs.job")))
        assert "changed at its source" in (await jobs(page))[0]["problem"]
        assert await stored(d) == 0 and await listed(page) == {}

    on_device(scenario)


def test_a_download_over_a_bad_line_arrives(on_device: Callable[[Scenario], None]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        job = await page.call("packs.add", url=URL)
        site.faults = [drop(5_000)]
        await page.call("packs.start", job=job["id"])
        await until(lambda: ended(page, job), 10)
        assert await answers(page) == ["other-notes"]

    on_device(scenario)


def test_a_download_that_lost_its_connection_goes_on_at_the_next_start(
    on_device: Callable[[Scenario], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.storage.download.PAUSES", (0.0,))

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        site: RangeSite = d.fetch.sites[URL]  # type: ignore[attr-defined]
        job = await page.call("packs.add", url=URL)
        site.faults = [drop(5_000), *[drop(0)] * 5]
        await page.call("packs.start", job=job["id"])
        await until(lambda: any(j["state"] == "failed" for j in page.notifications("packs.job")))
        assert "connection broke" in (await jobs(page))[0]["problem"]
        site.requests.clear()
        page = await restart(d)
        await until(lambda: ended(page, job))
        assert site.requests[0]["range"] == "bytes=5000-"

    on_device(scenario)


@pytest.mark.usefixtures("told_always")
@pytest.mark.parametrize("form", ["deflated", "schema-one"])
def test_published_packs_survive_an_interruption(
    on_device: Callable[[Scenario], None], made: dict[str, Path], form: str
) -> None:
    """Intent: half of an unpacked or built index is never used, and leaves no bytes behind."""
    phase = {"deflated": "unpack", "schema-one": "build"}[form]

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        job = await show(d, page, made[form])
        assert job["installed_bytes"] > job["bytes"]
        await page.call("packs.start", job=job["id"])
        await until(lambda: any(j["phase"] == phase for j in page.notifications("packs.job")))
        await d.engine.close()
        page = await restart(d)
        await until(lambda: ended(page, job))
        assert await answers(page) == ["test-notes"]
        await page.call("packs.verify", source="test-notes")
        await page.call("packs.remove", source="test-notes")
        assert await stored(d) == 0

    on_device(scenario)


def test_a_pack_from_an_address_repairs_itself(on_device: Callable[[Scenario], None]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await page.call("packs.add", url=URL))
        (info,) = await d.files.list("packs/")
        Path(await d.files.ensure(info.name)).write_bytes(b"")
        page = await restart(d)
        assert (await listed(page))["other-notes"]["pack"]["state"] == "damaged"
        job = await page.call("packs.repair", source="other-notes")
        await until(lambda: ended(page, job))
        assert await answers(page) == ["other-notes"] and await stored(d) == 1

    on_device(scenario)


def test_an_index_in_the_making_is_not_an_orphan(
    on_device: Callable[[Scenario], None], made: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: clearing up at the start never takes what a job is writing."""
    gate = asyncio.Event()
    real = ready.check

    async def held(*args: Any) -> None:
        await gate.wait()
        await real(*args)

    monkeypatch.setattr(ready, "check", held)

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        job = await show(d, page, made["deflated"])
        await page.call("packs.start", job=job["id"])
        for _ in range(200):
            await asyncio.sleep(0.001)
        assert d.engine.library is not None
        assert await d.engine.library.remove_orphans() == []
        gate.set()
        await until(lambda: ended(page, job))
        assert await answers(page) == ["test-notes"]

    on_device(scenario)
