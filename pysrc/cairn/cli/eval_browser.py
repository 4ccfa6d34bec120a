"""`cairn eval FOLDER --browser`: the same pack and questions on CPython and in Chromium, compared.

The collection becomes a pack. CPython installs it in a folder; in Chromium the built site installs it
through the protocol, from its own origin, and answers ``engine.search`` with the E5 that it loads
itself. Both runs are read from what that method lists (:data:`LISTED` hits), so that the figures of
the two can be compared; "meaning" sees of its own ranking what is among those.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cairn.answering.debug import describe_candidate
from cairn.cli import checkout, chromium
from cairn.cli.eval import DEPTH, Figures, Question, clock, collection
from cairn.cli.eval_agreement import Agreement, Ranked, ranked
from cairn.cli.eval_pack import PACK, write_pack
from cairn.cli.serve import serving
from cairn.errors import CairnError, NotReady
from cairn.native.embedder import PASSAGE, OnnxEmbedder
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.retrieval.overlap import Weights
from cairn.retrieval.search import search
from cairn.retrieval.types import SearchResult
from cairn.sources.packs.build import Embedding
from cairn.sources.packs.install import install, open_installed
from cairn.sources.packs.source import PackSource

if TYPE_CHECKING:
    from playwright.async_api import Page

LISTED = 40
"""Hits asked for: the most that ``engine.search`` gives."""
MODEL = Path("models") / "multilingual-e5-small"
START_SECONDS = 300
_EVERY_SECONDS = 0.5
_CONNECT = """
globalThis.listening = import("/connection.mjs").then(({ connect }) => { globalThis.engine = connect(); });
"""
_ASK = "([method, params]) => engine.request(method, params, { timeoutMs: 120000 })"


@dataclass(frozen=True, slots=True)
class Found:
    """What one run found for a question: by words alone, and by words and meaning."""

    words: Sequence[Ranked]
    both: Sequence[Ranked]
    outcome: str
    relevance: float


async def evaluate(options: argparse.Namespace) -> int:
    """Print both runs and how far they agree; 0, 1 when ids differ beyond ties, 2 when it cannot run."""
    fault = _fault(options)
    if fault:
        print(f"cairn eval: {fault}", file=sys.stderr)
        return 2
    embedder = OnnxEmbedder((options.model or checkout.SITE / MODEL).resolve())
    differ = False
    try:
        await embedder.load(lambda phase, done, total: None)
        for folder in options.folder:
            differ |= await _evaluate(folder, options, embedder)
    except CairnError as error:
        print(f"cairn eval: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return 2
    return int(differ)


def _fault(options: argparse.Namespace) -> str:
    """Why it cannot run; "" when it can."""
    try:
        import playwright.async_api  # noqa: F401
    except ImportError:
        return "--browser drives Chromium by Playwright: pip install -r requirements/test.txt first."
    if not (checkout.SITE / "precache.json").is_file():
        return f"there is no site in {checkout.SITE}; build it with ./cairn build."
    if options.answers or options.conversational or options.fusion != "calibrated":
        return (
            "--browser measures search as the app does it; leave out --answers, --conversational, --fusion."
        )
    for folder in options.folder:
        if not (folder / "corpus.jsonl").is_file():
            return f"{folder} has no corpus.jsonl: it is not a collection in the BEIR layout."
    return ""


async def _evaluate(folder: Path, options: argparse.Namespace, embedder: OnnxEmbedder) -> bool:
    """One collection; whether the runs differ beyond near ties."""
    passages, asked = collection(folder, options)
    with tempfile.TemporaryDirectory(prefix="cairn-eval-") as work:
        pack = Path(work, "served", f"{PACK}.zip")
        pack.parent.mkdir()
        embedding = Embedding(
            lambda texts: embedder.embed([PASSAGE + text for text in texts]), embedder.vector_model
        )
        names = await asyncio.to_thread(write_pack, passages, pack, embedding)
        print(f"\n{folder.name} as a pack: {len(passages)} passages, {len(asked)} questions", flush=True)
        here = await on_cpython(pack, Path(work, "installed"), asked, embedder, names)
        _show("CPython", asked, here)
        there = await in_chromium(pack.parent, asked, names)
        _show("Chromium", asked, there)
    words, both = Agreement(), Agreement()
    for question, ours, theirs in zip(asked, here, there, strict=True):
        words.add(question.text, ours.words, theirs.words)
        both.add(question.text, ours.both, theirs.both)
    print()
    words.show("by words")
    both.show("by words and meaning")
    return bool(words.counted["different"] or both.counted["different"])


def _show(where: str, asked: Sequence[Question], found: Sequence[Found]) -> None:
    print(f"\n{where}")
    figures = Figures()
    for question, one in zip(asked, found, strict=True):
        meaning = sorted((hit for hit in one.both if hit.semantic_rank), key=lambda hit: hit.semantic_rank)
        stages = {
            "keywords": sorted(one.words, key=lambda hit: hit.lexical_rank),
            "meaning": meaning,
            "both": sorted(one.both, key=lambda hit: -hit.score),  # as before diversity
        }
        ids = {stage: [hit.name for hit in hits[:DEPTH]] for stage, hits in stages.items()}
        figures.add(question, ids, one.outcome, one.relevance)
    figures.show(("keywords", "meaning", "both"))


async def on_cpython(
    pack: Path, folder: Path, asked: Sequence[Question], embedder: OnnxEmbedder, names: Mapping[str, str]
) -> list[Found]:
    """Install the pack in a folder and ask it."""
    files = DirectoryFiles(folder)
    fetch = LocalFetch(pack.parent)
    record = (await install(files, fetch, pack.name, lambda phase, done, total: None)).record
    source = await open_installed(files, record)
    try:
        return [await _search(source, question, embedder, names) for question in asked]
    finally:
        source.close()


async def _search(
    source: PackSource, question: Question, embedder: OnnxEmbedder, names: Mapping[str, str]
) -> Found:
    words = await search(question.text, sources=[source], embedder=None, clock=clock)
    both = await search(question.text, sources=[source], embedder=embedder, clock=clock)
    return Found(_listed(words, names), _listed(both, names), both.outcome, both.relevance)


def _listed(result: SearchResult, names: Mapping[str, str]) -> list[Ranked]:
    """The hits in the order of ``engine.search``: kept ones, then those that were dropped."""
    kept = {id(candidate) for candidate in result.kept}
    listed = [*result.kept, *(c for c in result.considered if id(c) not in kept)]
    return [ranked(describe_candidate(c, Weights({})), names) for c in listed[:LISTED]]


async def in_chromium(folder: Path, asked: Sequence[Question], names: Mapping[str, str]) -> list[Found]:
    """Let the built site install the pack and ask it; raises NotReady when it does not come up."""
    from playwright.async_api import Error, async_playwright

    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    prefix = f"/{PACK}"
    with serving(checkout.SITE, {prefix: folder}) as server:
        async with async_playwright() as running:
            browser = await running.chromium.launch(
                executable_path=chromium.ensure(), args=["--no-sandbox"] if as_root else []
            )
            try:
                page = await browser.new_page()
                await page.add_init_script(_CONNECT)
                await page.goto(server.url, wait_until="domcontentloaded")
                await page.evaluate("() => globalThis.listening.then(() => 0)")
                await _install(page, f"{server.url.rstrip('/')}{prefix}/{PACK}.zip")
                found = []
                for question in asked:
                    words = await _hits(page, question.text, semantic=False)
                    both = await _hits(page, question.text, semantic=True)
                    if both["mode"] != "hybrid-full-vector" and both["hits"]:
                        raise NotReady(f"The app searched by words only: {' '.join(both['notes'])}")
                    lists = [[ranked(hit["why"], names) for hit in one["hits"]] for one in (words, both)]
                    found.append(Found(lists[0], lists[1], both["outcome"], both["relevance"]))
                return found
            except Error as error:
                raise NotReady(
                    f"Chromium or the app in it failed: {error.message.splitlines()[0]}"
                ) from error
            finally:
                await browser.close()


async def _hits(page: Page, query: str, *, semantic: bool) -> dict[str, Any]:
    params = {"query": query, "limit": LISTED, "sources": [PACK], "semantic": semantic}
    found: dict[str, Any] = await page.evaluate(_ASK, ["engine.search", params])
    return found


async def _install(page: Page, url: str) -> None:
    """Install the pack and wait until it and E5 answer; raises NotReady."""
    await _until(page, lambda status: status["readiness"]["library"]["state"] in ("ready", "empty"))
    job = await page.evaluate(_ASK, ["packs.add", {"url": url}])
    await page.evaluate(_ASK, ["packs.start", {"job": job["id"]}])
    await _until(
        page,
        lambda status: (
            any(source["id"] == PACK for source in status["sources"])
            and status["readiness"]["meaning"]["state"] == "ready"
        ),
    )


async def _until(page: Page, reached: Callable[[dict[str, Any]], bool]) -> None:
    for _ in range(int(START_SECONDS / _EVERY_SECONDS)):
        status = await page.evaluate(_ASK, ["engine.status", {}])
        failed = [job for job in status["packs"]["jobs"] if job["state"] == "failed"]
        if failed:
            raise NotReady(f"The app did not install the pack: {failed[0]['problem']}")
        if reached(status):
            return
        await asyncio.sleep(_EVERY_SECONDS)
    cells = {name: cell["label"] for name, cell in status["readiness"].items()}
    raise NotReady(f"The app was not ready to search within {START_SECONDS} s: {cells}.")
