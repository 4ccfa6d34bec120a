"""Packs in the engine, over the real format: shown, installed, updated, switched, verified, removed."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.sources.packs import copying
from cairn.sources.packs.archive import PackArchive
from cairn.storage.state import State
from tests.unit.engine.device import Device
from tests.unit.engine.fakes import until
from tests.unit.engine.packs_device import (
    Scenario,
    answers,
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
from tests.unit.storage.range_site import RangeSite

__all__ = ["made", "on_device", "told_always"]  # fixtures


def test_a_pack_is_shown_before_it_is_installed(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    """Intent: name, version, languages, documents, licence, sizes and room, and nothing written."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        assert page.cell("library")["state"] == "empty"
        job = await show(d, page, made["one"])
        size = made["one"].stat().st_size
        assert (job["state"], job["origin"], job["name"]) == ("asking", "file", "one.zip")
        assert (job["bytes"], job["installed_bytes"]) == (size, size)
        assert job["room"] > 0
        assert job["pack"] == {
            "id": "test-notes", "title": "Test notes", "version": "1.0", "languages": ["eng", "zho"],
            "documents": 3, "passages": job["pack"]["passages"], "licence": "CC0-1.0",
            "notice": "Only a test.", "replaces": "", "same": False,
        }  # fmt: skip
        assert await stored(d) == 0
        await installed(page, job)
        assert page.cell("library") == {"state": "ready", "label": "3 documents", "action": ""}
        assert await answers(page) == ["test-notes"]
        assert await jobs(page) == []
        facts = (await listed(page))["test-notes"]["pack"]
        assert facts == {
            "state": "on", "origin": "file", "address": "one.zip", "installed_bytes": size, "problem": "",
        }  # fmt: skip
        again = await show(d, page, made["one"], "k2")
        assert (again["pack"]["replaces"], again["pack"]["same"]) == ("1.0", True)
        await page.call("packs.stop", job=again["id"])
        assert await jobs(page) == [] and d.picked.names("k2") == []

    on_device(scenario)


def test_files_that_are_no_packs_change_nothing(
    on_device: Callable[[Scenario], None], made: dict[str, Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.zip"
    broken.write_bytes(made["one"].read_bytes()[:-50])

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["one"]))
        d.picked.pick("k2", [broken])
        assert (await page.fault("packs.add", key="k2"))["code"] == "pack_invalid"
        assert await answers(page) == ["test-notes"]
        assert await stored(d) == 1 and await jobs(page) == []

    on_device(scenario)


def test_several_packs_side_by_side(on_device: Callable[[Scenario], None], made: dict[str, Path]) -> None:
    """Intent: each is asked or not, at once and after a restart, and removed without a trace."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        one, other = await show(d, page, made["one"]), await show(d, page, made["other"], "k2")
        await asyncio.gather(installed(page, one), installed(page, other))
        assert await answers(page) == ["other-notes", "test-notes"]
        await page.call("packs.switch", source="other-notes", on=False)
        assert await answers(page) == ["test-notes"]
        assert page.cell("library")["label"] == "3 documents"
        page = await restart(d)
        assert await answers(page) == ["test-notes"]
        off = (await listed(page))["other-notes"]
        assert (off["pack"]["state"], off["title"], off["documents"]) == ("off", "Other notes", 3)
        await page.call("packs.switch", source="test-notes", on=False)
        assert page.cell("library")["action"] == "Switch a pack on"
        await page.call("packs.switch", source="other-notes", on=True)
        assert await answers(page) == ["other-notes"]
        await page.call("packs.remove", source="other-notes")
        await page.call("packs.remove", source="test-notes")
        assert await listed(page) == {} and await stored(d) == 0
        assert (await page.fault("packs.remove", source="test-notes"))["code"] == "document_not_found"

    on_device(scenario)


def test_an_update_is_one_step(on_device: Callable[[Scenario], None], made: dict[str, Path]) -> None:
    """Intent: the old version answers until the new one is recorded; then only that is there."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["one"]))
        job = await show(d, page, made["two"], "k2")
        assert (job["pack"]["replaces"], job["pack"]["same"]) == ("1.0", False)
        versions = []

        def watch(info: object) -> None:
            assert d.engine.library is not None
            versions.append(d.engine.library.sources["test-notes"].manifest.version)

        assert d.engine.library is not None
        d.engine.library.jobs.told = watch  # type: ignore[assignment]
        await installed(page, job)
        assert set(versions) == {"1.0"}
        assert (await listed(page))["test-notes"]["version"] == "2.0"
        assert await stored(d) == 1

    on_device(scenario)


@pytest.mark.parametrize("when", ["damaged", "full", "unrecorded"])
def test_a_failed_update_changes_nothing_and_says_why(
    on_device: Callable[[Scenario], None],
    made: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    when: str,
) -> None:
    bad = tmp_path / "bad.zip"
    data = bytearray(made["two"].read_bytes())
    if when == "damaged":
        data[data.index(b"SQLite format 3") + 5_000] ^= 1
    bad.write_bytes(data)

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["one"]))
        job = await show(d, page, bad, "k2")
        if when == "full":
            monkeypatch.setattr(copying.os, "fsync", _raise(OSError(errno.EDQUOT, "quota")))
        elif when == "unrecorded":
            monkeypatch.setattr(State, "put_source", _raise(OSError(errno.ENOSPC, "full")))
        await page.call("packs.start", job=job["id"])
        await until(lambda: any(j["state"] == "failed" for j in page.notifications("packs.job")))
        (failed,) = await jobs(page)
        assert failed["problem"] and failed["hint"]
        assert (await listed(page))["test-notes"]["version"] == "1.0"
        assert await answers(page) == ["test-notes"]
        monkeypatch.undo()
        page = await restart(d)
        assert (await jobs(page))[0]["problem"] == failed["problem"]
        await page.call("packs.stop", job=job["id"])
        assert (await listed(page))["test-notes"]["version"] == "1.0"
        assert await stored(d) == 1

    on_device(scenario)


def _raise(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_verify_now_finds_damage_and_offers_what_helps(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["one"]))
        await page.call("packs.verify", source="test-notes")
        assert page.notifications("packs.verifying")
        (info,) = await d.files.list("packs/")
        file = Path(await d.files.ensure(info.name))
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        fault = await page.fault("packs.verify", source="test-notes")
        assert fault["code"] in ("pack_invalid", "pack_mismatch")
        facts = (await listed(page))["test-notes"]["pack"]
        assert facts["state"] == "damaged" and facts["problem"].startswith(fault["message"])
        assert "file" in (await page.fault("packs.repair", source="test-notes"))["message"]
        await installed(page, await show(d, page, made["one"], "k2"))
        assert (await listed(page))["test-notes"]["pack"]["state"] == "on"
        assert await stored(d) == 1

    on_device(scenario)


def test_a_damaged_document_marks_its_pack(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    """Intent: what the reader finds, the Library offers to mend; the rest of the pack still answers."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["published"]))
        (info,) = await d.files.list("packs/")
        file = Path(await d.files.ensure(info.name))
        archive = PackArchive(file)
        member = archive.member("documents/fire.txt")
        archive.close()
        data = bytearray(file.read_bytes())
        data[member.offset + member.packed_bytes // 2] ^= 0xFF
        file.write_bytes(data)
        page = await restart(d)
        fault = await page.fault("reader.document", source="test-notes", document="fire")
        assert fault["code"] == "document_corrupt" and "Library" in fault["data"]["hint"]
        facts = (await listed(page))["test-notes"]["pack"]
        assert facts["state"] == "damaged" and fault["message"] in facts["problem"]
        assert await answers(page) == ["test-notes"]

    on_device(scenario)


def test_a_shipped_pack_stays_removed_until_it_is_brought_back(
    on_device: Callable[[Scenario], None], made: dict[str, Path]
) -> None:
    """Intent: the person decides, not the next start; and nothing is lost for good."""
    content = made["one"].read_bytes()
    entry = {
        "id": "test-notes", "version": "1.0", "url": "/packs/one.zip",
        "sha256": hashlib.sha256(content).hexdigest(),
    }  # fmt: skip

    async def scenario(d: Device) -> None:
        sites = d.fetch.sites  # type: ignore[attr-defined]
        sites["precache.json"] = RangeSite(json.dumps({"packs": [entry]}).encode())
        sites["packs/one.zip"] = RangeSite(content)
        await d.engine.start()
        page = d.page()
        assert (await listed(page))["test-notes"]["pack"]["origin"] == "shipped"
        await page.call("packs.remove", source="test-notes")
        page = await restart(d)
        assert await listed(page) == {}
        removed = (await page.call("engine.status"))["packs"]["removed"]
        assert removed == [{"id": "test-notes", "title": "Test notes"}]
        await page.call("packs.repair", source="test-notes")
        assert await answers(page) == ["test-notes"]
        assert (await page.call("engine.status"))["packs"]["removed"] == []
        # The person's own version is not replaced by the app's.
        await installed(page, await show(d, page, made["two"], "k2"))
        page = await restart(d)
        await until(lambda: d.engine.answers.ready)
        assert (await listed(page))["test-notes"]["version"] == "2.0"

    on_device(scenario)


def test_orphans_are_cleared_and_told(on_device: Callable[[Scenario], None], made: dict[str, Path]) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        await installed(page, await show(d, page, made["one"]))
        await d.engine.close()
        for name in ("packs/half.zip", "packs/half.fts5", "packs/incoming.part"):
            Path(await d.files.ensure(name)).write_bytes(b"x" * 1000)
        page = await restart(d)
        await until(lambda: d.engine.status()["packs"]["recovered"]["files"] == 3)
        assert d.engine.status()["packs"]["recovered"]["bytes"] == 3000
        assert await stored(d) == 1 and await answers(page) == ["test-notes"]

    on_device(scenario)
