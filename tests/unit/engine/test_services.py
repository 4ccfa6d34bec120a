"""The methods of the protocol: what they take, what they refuse, what they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest

from cairn import protocol
from cairn.protocol import ENGINE_METHODS, MAX_QUESTION_CHARS
from tests.unit.engine.device import Device
from tests.unit.engine.fakes import settle, until

OnDevice = Callable[[Callable[[Device], Awaitable[None]]], None]
QUESTION = "How long must I boil river water?"


def required(shape: type) -> set[str]:
    """Names that every message of this shape has."""
    hints = get_type_hints(shape, include_extras=True)
    return {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("engine.ask", {"question": None}),
        ("engine.ask", {"question": 5}),
        ("engine.ask", {"question": ["How?"]}),
        ("engine.ask", {"question": "How?", "sources": "notes"}),
        ("engine.ask", {"question": "How?", "sources": [1]}),
        ("engine.ask", {"question": "How?", "write": "no"}),
        ("engine.ask", {"question": "How?", "thread": 5}),
        ("engine.ask", {"question": "How?", "thread": "../x"}),
        ("engine.ask", {"question": "How?", "thread": "t", "turn": "a b"}),
        ("engine.ask", {"question": "How?", "style": "long"}),
        ("engine.ask", {"question": "How?", "query": None}),
        ("threads.list", {"offset": -1}),
        ("threads.list", {"query": 3}),
        ("threads.get", {"thread": ""}),
        ("threads.get", {"thread": "t", "before": "1"}),
        ("threads.debug", {"turn": "x" * 65}),
        ("threads.rename", {"thread": "t", "title": "  "}),
        ("threads.delete", {"thread": None}),
        ("threads.keep", {"keep": "no"}),
        ("engine.search", {"query": {}}),
        ("engine.search", {"query": "water", "sources": {"notes": True}}),
        ("engine.search", {"query": "water", "semantic": 0}),
        ("engine.search", {"query": "water", "limit": 0}),
        ("engine.search", {"query": "water", "limit": -1}),
        ("engine.search", {"query": "water", "limit": 41}),
        ("engine.search", {"query": "water", "limit": 1.5}),
        ("engine.search", {"query": "water", "limit": "8"}),
        ("engine.search", {"query": "water", "limit": True}),
        ("engine.restart_part", {"part": "library"}),
        ("engine.restart_part", {"part": None}),
        ("reader.document", {"source": 1, "document": "doc"}),
        ("reader.document", {"source": "notes", "document": None}),
        ("reader.document", {"source": "notes", "document": "doc", "passage": 3}),
    ],
)
def test_bad_parameters_are_refused_at_once(on_device: OnDevice, method: str, params: dict[str, Any]) -> None:
    """Intent: a fault in a page shows as such, even before the engine is up, and does no work."""

    async def scenario(d: Device) -> None:
        early = d.page()
        assert (await early.fault(method, **params))["code"] == "invalid_request"
        await d.started()
        page = d.page()
        assert (await page.fault(method, **params))["code"] == "invalid_request"
        assert not page.notifications("ask.event")

    on_device(scenario)


def test_every_method_of_the_protocol_is_served(on_device: OnDevice) -> None:
    """Intent: the table and the engine cannot drift apart."""
    params: dict[str, dict[str, Any]] = {
        "engine.ask": {"question": QUESTION},
        "engine.search": {"query": "water"},
        "engine.search_counts": {"query": "water"},
        "engine.restart_part": {"part": "meaning"},
        "reader.document": {"source": "notes", "document": "doc"},
    }

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        for method in ENGINE_METHODS:
            if not method.startswith(("archives.", "documents.", "packs.", "threads.")):  # in their own files
                await page.call(method, **params.get(method, {}))

    on_device(scenario)


@pytest.mark.parametrize(
    "question",
    [
        "",
        " \n\t",
        "x" * 10_000,
        "boil water " * 1_000,
        "😀🏳️‍🌈👩‍👩‍👧",
        '"a" OR NEAR(',
        "-",
        "*",
        "NOT AND OR",
        "water^2 title:water {a b}",
        "'; DROP TABLE sources; --",
        "\x00water\x07",
        "\ud83d water",  # half of an emoji: a page cut the text between two code units
        "ma\u0301s agua",
        "كيف أغلي الماء؟",
        "如何净化河水？",
    ],
    ids=lambda text: ascii(text)[:24],
)
def test_no_question_raises(on_device: OnDevice, question: str) -> None:
    """Intent: whatever is typed or pasted gets a result."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        result = await page.call("engine.ask", question=question)
        assert result["outcome"] in ("matched", "weak", "no_match")
        found = await page.call("engine.search", query=question)
        assert len(found["query"]) <= MAX_QUESTION_CHARS

    on_device(scenario)


def test_an_answer_streams_events_and_ends_with_the_same_result(on_device: OnDevice) -> None:
    """Intent: the page draws as events come; whoever reads only the reply misses nothing."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        request = page.begin("engine.ask", question=QUESTION)
        result = (await page.answer(request))["result"]
        events = page.events(request)
        kinds = [event["type"] for event in events]
        assert set(kinds) <= protocol.ASK_EVENTS
        assert kinds[:3] == ["retrieval_query", "citations", "draft"]
        assert kinds[-1] == "done"
        assert kinds.count("done") == 1
        assert {k: v for k, v in events[-1].items() if k not in ("type", "request")} == result
        assert set(result) >= required(protocol.AskResult)
        assert result["finish"] == "complete"
        assert result["text"].startswith("Boil the water")
        written = "".join(event["text"] for event in events if event["type"] == "text_delta")
        assert written.strip() == result["text"]
        assert all(set(c) >= required(protocol.CitationInfo) for c in result["citations"])

    on_device(scenario)


def test_write_false_gives_quotes_and_wakes_no_generator(on_device: OnDevice) -> None:
    """Intent: a person on a weak device may have quotes alone."""

    async def scenario(d: Device) -> None:
        await d.started()
        d.generator.sentences = []
        result = await d.page().call("engine.ask", question=QUESTION, write=False)
        assert result["finish"] == "no_model"
        assert result["quotes"]
        assert d.generator.closed == 0

    on_device(scenario)


def test_stop_ends_the_answer_and_keeps_what_was_written(on_device: OnDevice) -> None:
    """Intent: the stop button works at once and the model stops with it."""

    async def scenario(d: Device) -> None:
        await d.started()
        d.generator.gate_generation = asyncio.Event()
        page = d.page()
        request = page.begin("engine.ask", question=QUESTION)
        await until(lambda: any(e["type"] == "draft" for e in page.events(request)))
        await settle()
        page.cancel(request)
        reply = await page.answer(request)
        assert reply["result"]["finish"] == "stopped"
        assert reply["result"]["quotes"]
        await until(lambda: d.generator.closed == 1)

    on_device(scenario)


def test_sources_are_asked_as_selected(on_device: OnDevice) -> None:
    """Intent: only what the person chose is searched; a source that is gone is no fault."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        for sources, found in ((None, True), (["notes"], True), (["notes", "gone"], True), (["gone"], False)):
            params = {} if sources is None else {"sources": sources}
            hits = (await page.call("engine.search", query="boil water", **params))["hits"]
            assert bool(hits) == found
            assert {hit["source"] for hit in hits} <= {"notes"}

    on_device(scenario)


def test_search_gives_numbered_hits_up_to_the_limit(on_device: OnDevice) -> None:
    """Intent: the first hit is the best one and says where to read it."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        found = await page.call("engine.search", query="boil river water", limit=2, semantic=False)
        assert set(found) >= required(protocol.SearchResponse)
        assert found["mode"] == "lexical-fallback"
        assert [hit["n"] for hit in found["hits"]] == [1, 2]
        assert found["hits"][0]["text"].startswith("Boil river water")
        assert found["hits"][0]["reader_url"].startswith("/reader/")
        assert found["hits"][0]["source_title"] == "Field notes 1"
        assert len((await page.call("engine.search", query="boil water", limit=1))["hits"]) == 1

    on_device(scenario)


def test_the_reader_gets_the_document_with_its_passage_marked(on_device: OnDevice) -> None:
    """Intent: a citation opens the very passage; offsets are code points of the text."""

    async def scenario(d: Device) -> None:
        await d.started()
        page = d.page()
        document = await page.call("reader.document", source="notes", document="doc", passage="doc:1")
        assert set(document) == required(protocol.ReadResult)
        assert document["marked"] == "doc:1"
        marked = next(p for p in document["passages"] if p["id"] == "doc:1")
        assert document["text"][marked["start"] : marked["end"]].startswith("Above two thousand")
        assert document["references"] == [{"title": "A book", "url": "https://example.org/book"}]
        assert document["source_title"] == "Field notes 1"
        assert document["notice"]

    on_device(scenario)


@pytest.mark.parametrize("passage", ["doc:99", "", "other"])
def test_an_unknown_passage_opens_the_document_unmarked(on_device: OnDevice, passage: str) -> None:
    """Intent: a newer version of a pack may have cut the text elsewhere; the document is still there."""

    async def scenario(d: Device) -> None:
        await d.started()
        document = await d.page().call("reader.document", source="notes", document="doc", passage=passage)
        assert document["marked"] == ""
        assert document["text"]

    on_device(scenario)


@pytest.mark.parametrize(("source", "document"), [("notes", "gone"), ("gone", "doc"), ("", "")])
def test_a_citation_of_nothing_is_told_so(on_device: OnDevice, source: str, document: str) -> None:
    """Intent: an old link to a removed pack gets a sentence, not a blank page."""

    async def scenario(d: Device) -> None:
        await d.started()
        error = await d.page().fault("reader.document", source=source, document=document)
        assert error["code"] == "document_not_found"

    on_device(scenario)
