"""The person's own documents in the engine: every method, and that questions are answered from them."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.device import Client, Device
from tests.unit.engine.fakes import until

OnDevice = Callable[[Callable[[Device], Awaitable[None]]], None]
RULES = "# Ward rules\n\nThe well is covered with a lid.\n\n## Visits\n\nVisitors leave at eight.\n"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk").mkdir()
    return tmp_path / "desk"


async def add(d: Device, page: Client, path: Path, content: str) -> dict[str, Any]:
    path.write_text(content)
    d.picked.pick("k", [path])
    added: dict[str, Any] = await page.call("documents.add", key="k")
    own = d.engine.require_library().documents
    assert own is not None
    await own.settled()
    return added


def test_every_documents_method_is_served(on_device: OnDevice, desk: Path) -> None:
    """Intent: what the page needs, from making a collection to deleting it."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        assert (await page.call("documents.collections"))["collections"] == []
        added = await add(d, page, desk / "rules.md", RULES)
        assert (added["accepted"], added["failed"]) == (1, 0)
        collection = added["collection"]
        info = await page.call("documents.change", collection=collection, name="Ward", description="Ours.")
        assert (info["name"], info["description"], info["completed"]) == ("Ward", "Ours.", 1)
        [document] = (await page.call("documents.list", collection=collection))["documents"]
        assert (document["title"], document["kind"], document["status"]) == ("Ward rules", "md", "completed")
        name, number = document["id"], document["number"]
        listed = await page.call("documents.passages", collection=collection, document=name)
        assert listed["total"] == 1 and listed["passages"][0]["text"] == RULES
        read = await page.call("reader.document", source=collection, document=name)
        assert (read["text"], read["title"]) == (RULES, "Ward rules")
        part = await page.call("documents.original", source=collection, document=name, offset=2, length=4)
        assert (b64decode(part["data"]), part["bytes"]) == (b"Ward", len(RULES.encode()))
        await page.call("documents.rename", collection=collection, document=number, title="House rules")
        await page.call("documents.paste", collection=collection, text="Fire drill on Monday.", title="Drill")
        await page.call("documents.pause")
        await page.call("documents.resume")
        await page.call("documents.retry", collection=collection, document=number)
        await page.call("documents.cancel", collection=collection)
        other = (await page.call("documents.create", name="Other"))["id"]
        await page.call("documents.move", collection=collection, documents=[number], target=other)
        await until(lambda: d.engine.require_library().get(other).passage_count == 1)
        [moved] = (await page.call("documents.list", collection=other))["documents"]
        await page.call("documents.remove", collection=other, documents=[moved["number"]])
        await page.call("documents.remove_collection", collection=other)
        await page.call("documents.remove_collection", collection=collection)
        assert (await page.call("documents.collections"))["collections"] == []
        assert page.notifications("documents.changed")[-1] == {"id": collection, "gone": True}

    on_device(scenario)


def test_a_question_is_answered_from_them_and_cited(on_device: OnDevice, desk: Path) -> None:
    """Intent: Ask and Search include collections at once, by words and then by meaning."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        collection = (await add(d, page, desk / "rules.md", RULES))["collection"]
        found = await page.call("engine.search", query="When do visitors leave?")
        [hit] = [h for h in found["hits"] if h["source"] == collection]
        assert hit["token"].startswith("[CN-D-") and hit["mode"] == "hybrid-full-vector"
        assert hit["reader_url"].startswith(f"/reader/text.html?source={collection}&document=")
        result = await page.call("engine.ask", question="When do visitors leave?", sources=[collection])
        assert result["outcome"] == "matched"
        assert [c["title"] for c in result["citations"]] == ["Ward rules"]
        status = await page.call("engine.status")
        [source] = [s for s in status["sources"] if s["kind"] == "documents"]
        assert (source["documents"], source["passages"]) == (1, 1)

    on_device(scenario)


def test_documents_are_there_after_a_restart(on_device: OnDevice, desk: Path) -> None:
    """Intent: another engine over the same storage answers from them."""

    async def scenario(d: Device) -> None:
        await d.started()
        collection = (await add(d, d.page(), desk / "rules.md", RULES))["collection"]
        await d.engine.close()
        d.engine = d.new_engine()
        await d.started()
        found = await d.page().call("engine.search", query="visitors leave", sources=[collection])
        assert [h["title"] for h in found["hits"]] == ["Ward rules"]

    on_device(scenario)


def test_wrong_parameters_and_unknown_things_are_refused(on_device: OnDevice) -> None:
    """Intent: a page's fault is an error of its own, never a crash."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        collection = (await page.call("documents.create", name="  A   b "))["id"]
        assert (await page.call("documents.collections"))["collections"][0]["name"] == "A b"
        for method, params, code in (
            ("documents.create", {"name": " "}, "invalid_request"),
            ("documents.list", {"collection": "no"}, "document_not_found"),
            ("documents.list", {"collection": collection, "limit": -1}, "invalid_request"),
            ("documents.remove", {"collection": collection, "documents": "x"}, "invalid_request"),
            ("documents.remove", {"collection": collection, "documents": [77]}, "document_not_found"),
            ("documents.paste", {"collection": collection, "text": " "}, "invalid_request"),
            ("documents.add", {"key": "unknown"}, "archive_absent"),
            ("documents.passages", {"collection": collection, "document": "x"}, "document_not_found"),
            ("documents.original", {"source": collection, "document": "x"}, "document_not_found"),
        ):
            assert (await page.fault(method, **params))["code"] == code, (method, params)

    on_device(scenario)
