"""engine.search as the search page uses it: stages, filters, counts, completion, reasons, cancelling."""

from __future__ import annotations

import asyncio
import hashlib
import json
import zipfile
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from cairn.models.ports import ModelInfo
from cairn.sources.packs import install as packs
from tests.unit.engine.device import Device
from tests.unit.engine.fake_packs import FakePacks
from tests.unit.engine.fakes import until
from tests.unit.packs.helpers import MODEL, build, fake_embed, write_recipe


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("packs")
    build(write_recipe(folder / "recipe"), folder / "1.zip")
    return (folder / "1.zip").read_bytes()


@pytest.fixture
def with_pack(
    tmp_path: Path, pack: bytes, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Device], Awaitable[None]]], None]:
    """Run a scenario on a device with one real pack and an embedder of its model."""
    monkeypatch.setattr("cairn.sources.packs.shelf.packs", packs)

    async def guarded(scenario: Callable[[Device], Awaitable[None]]) -> None:
        device = Device(tmp_path, FakePacks())
        manifest = json.loads(zipfile.ZipFile(BytesIO(pack)).read("manifest.json"))
        device.fetch.files["packs/starter.zip"] = pack
        device.fetch.publish_packs(
            {
                "id": manifest["corpusId"],
                "version": manifest["version"],
                "url": "/packs/starter.zip",
                "sha256": hashlib.sha256(pack).hexdigest(),
            }
        )
        embed_with_hashes(device)
        try:
            async with asyncio.timeout(60):
                await device.started()
                await scenario(device)
        finally:
            await device.engine.close()

    return lambda scenario: asyncio.run(guarded(scenario))


def embed_with_hashes(device: Device) -> None:
    async def embed_query(text: str) -> Any:
        return fake_embed([text])[0]

    device.embedder.embed_query = embed_query  # type: ignore[method-assign]
    loaded = device.embedder.load

    async def load(progress: Any) -> ModelInfo:
        info = await loaded(progress)
        device.embedder.info = ModelInfo(
            **{
                **{name: getattr(info, name) for name in info.__dataclass_fields__},
                "id": MODEL.id,
                "revision": MODEL.revision,
                "dimensions": MODEL.dimensions,
            }
        )
        return device.embedder.info

    device.embedder.load = load  # type: ignore[method-assign]


def test_words_come_first_and_meaning_joins(with_pack: Any) -> None:
    """Intent: hits are on screen before E5 has answered, and say which stage they are from."""

    async def scenario(d: Device) -> None:
        page = d.page()
        request = page.begin("engine.search", query="boil water minutes")
        found = (await page.answer(request))["result"]
        (early,) = page.notifications("search.event")
        assert early["request"] == request
        assert early["mode"] == "lexical-fallback" and found["mode"] == "hybrid-full-vector"
        assert early["hits"] and found["hits"] and found["complete"]
        by_words = await page.call("engine.search", query="boil water minutes", semantic=False)
        assert by_words["hits"] == early["hits"]
        assert len(page.notifications("search.event")) == 1

    with_pack(scenario)


def test_a_hit_says_why_it_is_there(with_pack: Any) -> None:
    """Intent: matched words, ranks and scores of both retrievers, and marks in the excerpt."""

    async def scenario(d: Device) -> None:
        found = await d.page().call("engine.search", query="boiling water", limit=40)
        hit = found["hits"][0]
        assert {word.lower() for word in hit["why"]["words"]} >= {"water"}
        assert hit["why"]["lexical_rank"] and hit["why"]["coverage"] == 1
        assert any(h["why"]["semantic_rank"] for h in found["hits"])
        (hit, *_) = [hit for hit in found["hits"] if hit["document"] == "boiling-water"]
        marked = {hit["excerpt"][start:end].lower() for start, end in hit["marks"]}
        assert marked == {"water", "boil"}
        dropped = {h["why"]["dropped"] for h in found["hits"]}
        assert dropped - {""}, "what was left out of answers says why"

    with_pack(scenario)


def test_filters_limit_both_retrievers(with_pack: Any) -> None:
    """Intent: what is chosen beside the list is applied inside the queries."""

    async def scenario(d: Device) -> None:
        page = d.page()
        for wanted in ("eng", "zho"):
            found = await page.call("engine.search", query="water 烧开", languages=[wanted], limit=40)
            assert {hit["language"] for hit in found["hits"]} == {wanted}
        found = await page.call("engine.search", query="water", documents=["fire"], limit=40)
        assert {hit["document"] for hit in found["hits"]} == {"fire"}, "found by meaning alone"
        found = await page.call("engine.search", query="water", collections=["Nothing"])
        assert found["hits"] == [] and found["outcome"] == "no_match"
        everything = await page.call("engine.search", query="water", limit=40)
        assert len({hit["document"] for hit in everything["hits"]}) > 1

    with_pack(scenario)


def test_counts_tell_what_a_filter_would_give(with_pack: Any) -> None:
    """Intent: a count is the number of passages that the filter leaves, under the other filters."""

    async def scenario(d: Device) -> None:
        page = d.page()
        counts = await page.call("engine.search_counts", query="water 烧开")
        languages = {facet["value"]: facet["count"] for facet in counts["languages"]}
        assert set(languages) == {"eng", "zho"}
        assert counts["total"] == sum(languages.values())
        (source,) = counts["sources"]
        assert (source["value"], source["label"], source["count"]) == (
            "test-notes",
            "Test notes",
            counts["total"],
        )
        some = await page.call("engine.search_counts", query="water 烧开", languages=["zho"])
        assert some["languages"] == counts["languages"], "its own filter does not limit a list"
        assert some["total"] == languages["zho"] == some["sources"][0]["count"]
        for language, count in languages.items():
            found = await page.call(
                "engine.search", query="water 烧开", languages=[language], semantic=False, limit=40
            )
            assert len(found["hits"]) == count
        none = await page.call("engine.search_counts", query="xylophone")
        assert none["total"] == 0 and none["languages"] == []

    with_pack(scenario)


def test_an_unfinished_word_finds_what_it_becomes(with_pack: Any) -> None:
    """Intent: results while typing: "tind" is on its way to "tinder"; a finished word stays itself."""

    async def scenario(d: Device) -> None:
        page = d.page()
        found = await page.call("engine.search", query="dry tind", typing=True)
        assert found["completed"] == "tinder" and found["query"].endswith("tinder")
        assert found["hits"][0]["document"] == "fire"
        assert (await page.call("engine.search", query="dry tind"))["completed"] == ""
        for query in ("water", "tind ", "qqq", "烧", '"tind', "-tind"):
            assert (await page.call("engine.search", query=query, typing=True))["completed"] == "", query

    with_pack(scenario)


def test_a_stale_query_is_cancelled(with_pack: Any) -> None:
    """Intent: the next key ends the search before: nothing of it is computed further or sent."""

    async def scenario(d: Device) -> None:
        page = d.page()
        asked: list[str] = []

        async def embed_query(text: str) -> Any:
            asked.append(text)
            return fake_embed([text])[0]

        d.embedder.embed_query = embed_query  # type: ignore[method-assign]
        stale = page.begin("engine.search", query="boil wat", typing=True)
        await until(lambda: bool(page.notifications("search.event")))
        page.cancel(stale)
        reply = await page.answer(stale)
        assert reply["error"]["code"] == "cancelled"
        assert asked == []
        assert (await page.call("engine.search", query="boil water", typing=True))["hits"]
        assert asked == ["boil water"]

    with_pack(scenario)


def test_wrong_filters_are_refused(with_pack: Any) -> None:
    """Intent: a page of another version is told what is wrong."""

    async def scenario(d: Device) -> None:
        fault = await d.page().fault("engine.search", query="water", languages="eng")
        assert "languages" in fault["message"]
        fault = await d.page().fault("engine.search", query="water", typing="yes")
        assert "typing" in fault["message"]

    with_pack(scenario)
