"""`python -m tests.bench`: the app beside what it is built from, in one Chromium run.

Prints ratios and asserts nothing: other work on the machine changes the figures, hardly their ratios.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench import measures
from tests.bench.chromium import Chromium, running, wait_ready

SITE = Path(__file__).resolve().parents[2] / "dist" / "site"
MB = 1_000_000


def told(*words: object) -> None:
    """Say what is going on: a run takes minutes."""
    print("…", *words, file=sys.stderr, flush=True)


def run(site: Path, rounds: int) -> dict[str, Any]:
    """Measure everything; the figures as JSON has them."""
    found: dict[str, Any] = {"build": json.loads((site / "precache.json").read_text("utf-8"))["build"]}
    with running(site) as chromium:
        told("first visit")
        found["first_visit"] = measures.first_visit(chromium)
        found["starts"] = starts(chromium, rounds)
        told("starting both models twice, for the app and raw")
        with chromium.app() as page, chromium.other("raw.html") as raw:
            wait_ready(page)
            told("queries")
            found["queries"] = measures.queries(page, rounds)
            found["heap"] = measures.heap(page)
            found["threads"] = raw.evaluate("ready")["threads"]
            found["answers"] = answers(page, raw, rounds)
    found["weight"] = measures.weight(site)
    return found


def starts(chromium: Chromium, rounds: int) -> dict[str, Any]:
    """App and bare Pyodide in turns; the first of each warms the browser's caches for both."""
    measures.bare_start(chromium), measures.installed_start(chromium)
    app, bare = [], []
    for n in range(rounds):
        told("start", n + 1, "of", rounds)
        bare.append(measures.bare_start(chromium))
        app.append(measures.installed_start(chromium))
    return {"app": medians(app), "bare": medians(bare)}


def answers(page: Any, raw: Any, rounds: int) -> dict[str, Any]:
    """Our path and raw transformers.js in turns on the same prompts."""
    ours, theirs = [], []
    for question in measures.WRITTEN:
        for _ in range(max(1, rounds // 2)):
            told("answer:", question)
            answer = measures.written_answer(page, question)
            given = answer.pop("messages")
            ours.append(answer)
            theirs.append(measures.raw_answer(raw, given, answer["tokens"]))
    return {"app": medians(ours), "raw": medians(theirs)}


def medians(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The median of every figure."""
    return {
        name: median(row[name] for row in rows)
        for name, value in rows[0].items()
        if not isinstance(value, str)
    }


def show(found: dict[str, Any]) -> None:
    """Print the report."""
    print(f"\nBuild {found['build']}; medians, in milliseconds unless said")
    show_starts(found["first_visit"], found["starts"]["app"], found["starts"]["bare"])
    print("\nQueries, one of 20 questions:")
    for stage, ms in found["queries"].items():
        print(f"  {stage:<24}{ms:8.1f}")
    show_answers(found["answers"], found["threads"])
    print("\nHeld in memory, MB:")
    for name, size in sorted(found["heap"].items(), key=lambda item: -item[1]):
        print(f"  {name:<24}{size / MB:8.1f}")
    print("\nWeight of the site, MB (gzipped):")
    for name, sizes in found["weight"].items():
        packed = f" ({sizes['gzip'] / MB:.1f})" if sizes["gzip"] else ""
        print(f"  {name:<44}{sizes['bytes'] / MB:8.1f}{packed}")


def show_starts(visit: dict[str, float], app: dict[str, float], bare: dict[str, float]) -> None:
    """Print how soon things can be used."""
    rows = (
        ("page usable (focused, a letter typed), first visit", visit["usable"]),
        ("  the same, installed", app["typed"]),
        ("engine up, first visit", visit["engine"]),
        ("everything fetched and ready, first visit", visit["everything"]),
        ("engine up, installed", app["engine"]),
        ("first keyword result on the page, installed", app["quotes"]),
        ("bare loadPyodide, sqlite3", bare["sqlite3"]),
        ("bare loadPyodide, sqlite3, numpy", bare["numpy"]),
    )
    print("\nStarts, from the navigation on:")
    for label, ms in rows:
        print(f"  {label:<52}{ms:8.0f}")
    print(f"  first result / bare: ratio {app['quotes'] / bare['numpy']:.2f} (target at most 0.35)")


def show_answers(found: dict[str, Any], threads: int) -> None:
    """Print how fast answers are written."""
    ours, raw = found["app"], found["raw"]
    print(f"\nWriting on {threads} threads, prompt of {raw['prompt']:.0f} tokens, app / raw transformers.js:")
    for name, label in (("first", "first token"), ("per_token", "each further token")):
        ratio = ours[name] / raw[name]
        print(f"  {label:<24}{ours[name]:8.0f} /{raw[name]:8.0f}  ratio {ratio:.2f} (target at most 1.10)")
    print(f"  tokens per second       {1000 / ours['per_token']:8.1f} /{1000 / raw['per_token']:8.1f}")
    print(f"  tokens                  {ours['tokens']:8.0f} /{raw['tokens']:8.0f}")
    print(f"  quotes after {ours['quotes']:.0f}, first written words after {ours['first_words']:.0f}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each figure (default 5)")
    parser.add_argument("--site", type=Path, default=SITE, help="a built site (default dist/site)")
    options = parser.parse_args(arguments)
    found = run(options.site, options.rounds)
    show(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
