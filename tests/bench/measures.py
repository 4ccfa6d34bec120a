"""What a bench run measures; every function returns plain figures."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page

from cairn.answering.prompt import SAMPLING
from tests.bench.chromium import Chromium, request, seen, wait_for, wait_ready

EARLY = "How do I make river water safe to drink?"
QUESTIONS = (
    EARLY,
    "how long to boil water at altitude",
    "How do I stop heavy bleeding?",
    "signs of shock",
    "tourniquet",
    "What do I do when somebody is choking?",
    "CPR for an infant",
    "treating burns",
    "How do I build a shelter in the snow?",
    "start a fire in the rain",
    "find north without a compass",
    "phonetic alphabet",
    "oral rehydration salts recipe",
    "earthquake what to do indoors",
    "¿Cómo purifico el agua?",
    "solar panel and battery size",
    "bowline knot",
    "heat stroke",
    "storing food without a fridge",
    "How much drinking water does a person need each day?",
)
WRITTEN = (EARLY, "How do I stop heavy bleeding?")

GROUPS = (
    ("Pyodide", ("/vendor/pyodide/",)),
    ("snapshot, wheels, numpy", ("/python/",)),
    ("PyScript and MicroPython", ("/vendor/pyscript/", "/vendor/micropython/")),
    ("transformers.js and ONNX Runtime", ("/vendor/transformers/", "/vendor/ort/")),
)


def first_visit(chromium: Chromium) -> dict[str, float]:
    """Nothing on the device: until the page is usable, and until everything is installed and ready."""
    with chromium.app() as page:
        page.wait_for_selector("#question:focus")
        page.keyboard.type("w")
        wait_for(page, "bench.seen.typed && bench.seen.engine")
        wait_ready(page)
        ready = page.evaluate("performance.now()")
        wait_for(page, "navigator.serviceWorker.controller !== null")
        found = seen(page)
    return {"usable": found["typed"], "engine": found["engine"], "everything": ready}


def installed_start(chromium: Chromium) -> dict[str, float]:
    """An installed app, opened: a question typed at once, until its quotes are on the page."""
    with chromium.app() as page:
        page.wait_for_selector("#question:focus")
        page.keyboard.type("w")
        page.fill("#question", EARLY)
        page.keyboard.press("Enter")
        wait_for(page, "bench.seen.quotes")
        found = seen(page)
    return {name: found[name] for name in ("focused", "typed", "interface", "engine", "quotes")}


def bare_start(chromium: Chromium) -> dict[str, float]:
    """loadPyodide, sqlite3 and numpy in a worker of an empty page."""
    with chromium.other("bare.html") as page:
        found: dict[str, float] = page.evaluate("done")
    return found


def queries(page: Page, rounds: int) -> dict[str, float]:
    """Median milliseconds of each stage inside the engine, and of the whole as the page sees it."""
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for question in QUESTIONS:
            for kind, semantic in (("words", False), ("fused", True)):
                reply = request(page, "engine.search", query=question, semantic=semantic)
                times[f"{kind} (page to page)"].append(reply["ended"] - reply["began"])
                for stage, ms in reply["result"]["timings"].items():
                    if semantic or stage == "lexical":
                        times[stage if semantic else "lexical alone"].append(ms)
    return {stage: median(values) for stage, values in times.items()}


def written_answer(page: Page, question: str) -> dict[str, Any]:
    """One answer by our path: what the model was given, and how fast it wrote."""
    reply = request(page, "engine.ask", question=question)
    result = reply["result"]
    at = {event["type"]: event["at"] for event in reversed(reply["events"])}  # the first of each
    prompt = next(e["debug"]["prompt"] for e in reply["events"] if e["type"] == "debug")
    return {
        "messages": messages(prompt),
        "tokens": result["tokens"],
        "first": result["first_token_ms"],
        "per_token": 1000 / result["tokens_per_second"],  # a division by zero: nothing was written
        "quotes": at["draft"] - reply["began"],
        "first_words": at["text_delta"] - reply["began"],
        "text": result["text"],
    }


def messages(prompt: str) -> list[dict[str, str]]:
    """The chat messages of a prompt as the debug event shows it."""
    found = []
    for part in prompt.split("\n\n<user>\n"):
        role = "user" if found else "system"
        found.append({"role": role, "content": part.removeprefix("<system>\n")})
    return found


def raw_answer(page: Page, given: list[dict[str, str]], tokens: int) -> dict[str, Any]:
    """The same prompt by transformers.js alone, which writes as many tokens as we did."""
    settings = {**SAMPLING, "min_new_tokens": tokens, "max_new_tokens": tokens}
    found = page.evaluate("([messages, settings]) => ask(messages, settings)", [given, settings])
    return {
        "tokens": found["tokens"],
        "prompt": found["prompt"],
        "first": found["first"],
        "per_token": found["after"] / max(1, found["tokens"] - 1),
        "text": found["text"],
    }


def heap(page: Page) -> dict[str, float]:
    """Bytes that the page and each of its workers hold."""
    script = "async () => (await performance.measureUserAgentSpecificMemory()).breakdown"
    held: dict[str, float] = defaultdict(float)
    for entry in page.evaluate(script):
        for owner in entry["attribution"]:
            name = owner["url"].split("?")[0].rsplit("/", 1)[-1] or "page"
            held[name] += entry["bytes"]
    return dict(held)


def weight(site: Path) -> dict[str, dict[str, int]]:
    """Bytes by part of the site, plain and gzipped (models and packs are not compressed again)."""
    listed = json.loads((site / "precache.json").read_text(encoding="utf-8"))
    parts: dict[str, dict[str, int]] = defaultdict(lambda: {"bytes": 0, "gzip": 0})
    for entry in listed["shell"]:
        name = next((n for n, starts in GROUPS if entry["url"].startswith(starts)), "the app's own pages")
        content = (site / (entry["url"].lstrip("/") or "index.html")).read_bytes()
        parts[name]["bytes"] += len(content)
        parts[name]["gzip"] += len(gzip.compress(content, 6))
    for kind in ("models", "packs"):
        for entry in listed[kind]:
            name = f"{entry.get('model', 'pack')} ({entry.get('device') or entry.get('id')})"
            parts[name]["bytes"] += entry["bytes"]
    return {name: dict(sizes) for name, sizes in parts.items()}
