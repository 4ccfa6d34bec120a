"""Archives in the engine: added where they lie, listed, searched, read, copied, removed, lost."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.device import Client, Device
from tests.unit.engine.fakes import settle
from tests.unit.engine.small_archives import PNG, small_archive, write_archive

OnDevice = Callable[[Callable[[Device], Awaitable[None]]], None]


async def add(d: Device, page: Client, path: Path, key: str = "k1") -> dict[str, Any]:
    d.picked.pick(key, [path])
    return await page.call("archives.add", key=key)


def listed(status: dict[str, Any]) -> list[dict[str, Any]]:
    return [source for source in status["sources"] if source["kind"] == "archive"]


def test_an_archive_is_added_where_it_lies_and_listed_with_its_facts(
    on_device: OnDevice, tmp_path: Path
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        assert page.cell("archives") == {"state": "off", "label": "No archives yet", "action": ""}
        info = await add(d, page, write_archive(tmp_path))
        assert info["title"] == "Coast book"
        assert (info["languages"], info["documents"], info["licence"]) == (["eng"], 2, "CC0-1.0")
        assert info["bytes"] == len(small_archive())
        facts = info["archive"]
        assert (facts["state"], facts["place"], facts["mode"]) == ("open", "picked", "title-only")
        assert (facts["date"], facts["publisher"], facts["name"]) == (
            "2026-05-01",
            "Cairn tests",
            "coast.zim",
        )
        assert page.cell("archives") == {"state": "ready", "label": "1 archive", "action": ""}
        assert listed(await page.call("engine.status")) == [info]

    on_device(scenario)


def test_questions_and_searches_find_its_passages_beside_the_packs(
    on_device: OnDevice, tmp_path: Path
) -> None:
    """Intent: a citation of an archive says how it was found and leads to the archive reader."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        info = await add(d, page, write_archive(tmp_path))
        found = await page.call("engine.search", query="lighthouse Pharos Alexandria", semantic=False)
        hit = next(hit for hit in found["hits"] if hit["source"] == info["id"])
        assert hit["mode"] == "title-only"
        assert hit["token"].startswith("[CN-A-")
        assert hit["reader_url"].startswith(
            f"/reader/wiki.html?source={info['id']}&path=C%2FLighthouse&passage="
        )
        answer = await page.call("engine.ask", question="How high was the Pharos lighthouse?")
        assert any("one hundred metres" in quote["text"] for quote in answer["quotes"])

    on_device(scenario)


def test_a_search_of_archives_alone_reports_their_mode(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        info = await add(d, page, write_archive(tmp_path))
        found = await page.call("engine.search", query="lighthouse", semantic=False, sources=[info["id"]])
        assert found["mode"] == "title-only"
        assert "title-only" in (await page.call("engine.status"))["modes"]

    on_device(scenario)


def test_a_page_is_read_with_the_passage_to_mark(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        hit = (await page.call("engine.search", query="Pharos Alexandria lighthouse", sources=[source]))[
            "hits"
        ][0]
        article = await page.call("archives.article", source=source, path="C/Pharos", passage=hit["passage"])
        assert (article["path"], article["base"], article["title"]) == (
            "C/Lighthouse",
            "Lighthouse",
            "Lighthouse",
        )
        assert (article["kind"], article["marked"]) == ("html", hit["passage"])
        assert "<h2>History</h2>" in article["html"]
        assert "Built about 280 before our era" in article["marks"]
        assert article["licence"] == "CC0-1.0"
        by_words = await page.call("archives.article", source=source, path="Lighthouse", query="earthquakes")
        assert by_words["marked"]
        missing = await page.fault("archives.article", source=source, path="C/Nowhere")
        assert missing["code"] == "document_not_found"

    on_device(scenario)


def test_pictures_titles_main_and_random_pages(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        picture = await page.call("archives.resource", source=source, path="lamp.png")
        assert (picture["mime"], base64.b64decode(picture["data"])) == ("image/png", PNG)
        titles = (await page.call("archives.suggest", source=source, prefix="fog"))["titles"]
        assert titles == [{"path": "C/Fog_signal", "title": "Fog signal"}]
        assert (await page.call("archives.suggest", source=source, prefix=" "))["titles"] == []
        assert (await page.call("archives.main", source=source))["path"] == "C/Lighthouse"
        assert (await page.call("archives.random", source=source))["path"].startswith("C/")

    on_device(scenario)


def test_after_a_restart_a_chosen_file_must_be_handed_over_again(on_device: OnDevice, tmp_path: Path) -> None:
    """Intent: it stays listed, the strip says what to do, other sources answer, picking repairs it."""

    async def scenario(d: Device) -> None:
        await d.engine.start()
        source = (await add(d, d.page(), write_archive(tmp_path)))["id"]
        await d.engine.close()
        d.picked.forget("k1")
        d.engine = d.new_engine()
        await d.engine.start()
        page = d.page()
        cell = page.cell("archives")
        assert (cell["state"], cell["action"]) == ("degraded", "Open again")
        assert "Coast book" in cell["label"]
        (info,) = listed(await page.call("engine.status"))
        assert (info["archive"]["state"], info["archive"]["key"]) == ("absent", "k1")
        assert (await page.fault("archives.article", source=source, path="x"))["code"] == "archive_absent"
        assert (await page.call("engine.search", query="boil water"))["hits"]
        await add(d, page, tmp_path / "coast.zim", key="k2")
        (info,) = listed(await page.call("engine.status"))
        assert (info["id"], info["archive"]["state"], info["archive"]["key"]) == (source, "open", "k2")
        assert page.cell("archives")["state"] == "ready"

    on_device(scenario)


def test_a_copy_is_kept_and_opened_by_itself_after_a_restart(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        info = await page.call("archives.copy", source=source)
        assert (info["archive"]["place"], info["archive"]["key"]) == ("stored", "")
        progress = page.notifications("archives.progress")
        assert progress[-1]["done"] == progress[-1]["total"] == info["bytes"]
        (tmp_path / "coast.zim").unlink()
        await d.engine.close()
        d.engine = d.new_engine()
        await d.engine.start()
        page = d.page()
        assert (await page.call("archives.main", source=source))["path"] == "C/Lighthouse"
        assert page.cell("archives")["state"] == "ready"
        assert await page.call("archives.remove", source=source) == {}
        assert await d.files.list("archives/") == []
        assert page.cell("archives")["state"] == "off"

    on_device(scenario)


def test_a_stopped_copy_goes_on_where_it_ended(
    on_device: OnDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.sources.archives.copying.PIECE", 256)

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        copying = page.begin("archives.copy", source=source)
        await settle(4)
        page.cancel(copying)
        assert (await page.answer(copying))["error"]["code"] == "cancelled"
        (part,) = await d.files.list("archives/")
        assert 0 < part.bytes < len(small_archive())
        archive = listed(await page.call("engine.status"))[0]["archive"]
        assert (archive["place"], archive["copied"]) == ("picked", part.bytes)
        await page.call("archives.copy", source=source)
        assert listed(await page.call("engine.status"))[0]["archive"]["copied"] == 0
        assert page.notifications("archives.progress")[-1]["done"] == len(small_archive())
        (whole,) = await d.files.list("archives/")
        assert Path(await d.files.ensure(whole.name)).read_bytes() == small_archive()

    on_device(scenario)


def test_damaged_files_cost_one_sentence_and_nothing_else(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        cut = tmp_path / "cut.zim"
        cut.write_bytes(small_archive()[:-500])
        other = tmp_path / "notes.zim"
        other.write_text("not an archive at all, but long enough to have a header of eighty bytes " * 3)
        for path in (cut, other):
            d.picked.pick("bad", [path])
            error = await page.fault("archives.add", key="bad")
            assert error["code"] == "archive_invalid"
            assert error["message"] and error["data"]["hint"]
        assert (await page.fault("archives.add", key="never"))["code"] == "archive_absent"
        assert listed(await page.call("engine.status")) == []
        assert (await page.call("engine.search", query="boil water"))["hits"]

    on_device(scenario)


def test_parts_of_a_split_archive_are_one_and_a_missing_part_is_named(
    on_device: OnDevice, tmp_path: Path
) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        whole = small_archive()
        names = ("coast.zimaa", "coast.zimab", "coast.zimac")
        third = len(whole) // 3
        for number, name in enumerate(names):
            (tmp_path / name).write_bytes(
                whole[number * third : None if number == 2 else (number + 1) * third]
            )
        d.picked.pick("split", [tmp_path / name for name in (names[2], names[0], names[1])])
        info = await page.call("archives.add", key="split")
        assert (info["bytes"], info["archive"]["name"]) == (len(whole), "coast.zim")
        d.picked.pick("gap", [tmp_path / names[0], tmp_path / names[2]])
        assert "coast.zimab is missing" in (await page.fault("archives.add", key="gap"))["message"]

    on_device(scenario)


def test_a_file_that_goes_away_while_open_is_said_and_does_not_stop_others(
    on_device: OnDevice, tmp_path: Path
) -> None:
    from cairn.sources.archives.picked import absent

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        archive = d.engine.require_library().shelf.get(source)

        def gone(*args: object) -> Any:
            raise absent("coast.zim")

        archive.archive.entry = gone  # type: ignore[method-assign]
        found = await page.call("engine.search", query="lighthouse water")
        assert found["hits"] and any("Coast book" in note for note in found["notes"])
        assert listed(await page.call("engine.status"))[0]["archive"]["state"] == "absent"

    on_device(scenario)


def test_a_removed_archive_leaves_no_trace_and_the_file_stays(on_device: OnDevice, tmp_path: Path) -> None:
    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        source = (await add(d, page, write_archive(tmp_path)))["id"]
        await page.call("archives.remove", source=source)
        assert listed(await page.call("engine.status")) == []
        assert d.picked.names("k1") == []
        assert (tmp_path / "coast.zim").is_file()
        assert (await page.fault("archives.remove", source=source))["code"] == "document_not_found"
        assert (await page.fault("archives.remove", source="notes"))["code"] == "document_not_found"
        await asyncio.sleep(0)

    on_device(scenario)


def test_a_catalogue_is_browsed_and_its_file_let_go_of(on_device: OnDevice, tmp_path: Path) -> None:
    """Intent: a saved file, searched a page at a time; nothing is fetched, nothing is recorded."""
    books = "".join(
        f'<book title="Book {number}" language="eng,fra" size="10" url="https://example.org/{number}.zim"/>'
        for number in range(60)
    )
    path = tmp_path / "library.xml"
    path.write_text(f"<library>{books}</library>")

    async def scenario(d: Device) -> None:
        await d.engine.start()
        page = d.page()
        assert (await page.fault("archives.browse"))["code"] == "not_ready"
        d.picked.pick("c1", [path])
        info = await page.call("archives.catalogue", key="c1")
        assert info == {"title": "library.xml", "date": "", "archives": 60, "languages": ["eng", "fra"]}
        first = await page.call("archives.browse", query="book", language="fra")
        rest = await page.call("archives.browse", query="book", language="fra", offset=len(first["entries"]))
        assert first["total"] == 60
        titles = [entry["title"] for entry in first["entries"] + rest["entries"]]
        assert titles == [f"Book {number}" for number in range(len(titles))]
        assert (await page.call("archives.browse", query="book 41"))["entries"][0]["bytes"] == 10_240
        assert d.picked.names("c1") == []
        path.write_text("<html/>")
        d.picked.pick("c2", [path])
        assert (await page.fault("archives.catalogue", key="c2"))["code"] == "catalogue_invalid"
        assert (await page.call("archives.browse"))["total"] == 60
        assert listed(await page.call("engine.status")) == []

    on_device(scenario)
