"""Fit the routing model: ``python -m tests.eval.routing.fit``, then ``… fit --check`` on the held list.

Multinomial logistic regression with an L2 penalty, by Adam on all examples of
``train.txt``; every class has the same total weight. Features that tell little are left out of the
file. ``chat`` in the file lists the words of small talk (see :mod:`cairn.retrieval.routing`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from cairn.passages.scripts import has_cjk
from cairn.passages.words import fold, words
from cairn.retrieval import routing

HERE = Path(__file__).parent
MODEL = Path(routing.__file__).parent / "data" / "routing.json"
PENALTY = 1e-5
STEPS = 250
RATE = 0.05
LEAST_WEIGHT = 0.5


def examples(name: str) -> list[tuple[str, str, str]]:
    """Language, route and text of each line; ``# en chat`` opens a block."""
    found = []
    language = route = ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language, route = line[2:].split()
        elif line.strip():
            found.append((language, route, line.strip()))
    return found


def folded(text: str) -> list[str]:
    """Words as the model sees them."""
    return [fold(word) for word in words(text)]


def fit() -> None:
    """Write the model."""
    rows = examples("train.txt")
    made = [routing.features(folded(text)) for _, _, text in rows]
    names = sorted({name for found in made for name in found})
    index = {name: i for i, name in enumerate(names)}
    x = np.zeros((len(rows), len(names)), dtype=np.float32)
    for row, found in enumerate(made):
        x[row, [index[name] for name in found]] = 1 / np.sqrt(len(found))
    wanted = np.array([routing.ROUTES.index(route) for _, route, _ in rows])
    counts = Counter(wanted.tolist())
    y = np.eye(len(routing.ROUTES), dtype=np.float32)[wanted]
    share = np.array([1 / (len(counts) * counts[w]) for w in wanted.tolist()], dtype=np.float32)[:, None]
    table = np.zeros((len(names) + 1, len(routing.ROUTES)), dtype=np.float32)
    x = np.hstack([x, np.full((len(rows), 1), 0.1, dtype=np.float32)])
    mean, square = np.zeros_like(table), np.zeros_like(table)
    for step in range(1, STEPS + 1):  # Adam (Kingma and Ba 2015)
        scores = x @ table
        scores -= scores.max(axis=1, keepdims=True)
        powers = np.exp(scores)
        error = (powers / powers.sum(axis=1, keepdims=True) - y) * share
        slope = x.T @ error + PENALTY * table
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        table -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    weights, bias = table[:-1], table[-1] * 0.1
    chat = {w for _, route, text in rows if route == "chat" for w in folded(text)}
    chat |= {char for word in chat if has_cjk(word) for char in word}
    kept = {
        name: [round(float(v), 1) for v in row]
        for name, row in zip(names, weights, strict=True)
        if float(np.abs(row).max()) >= LEAST_WEIGHT
    }
    model = {"bias": [round(float(v), 3) for v in bias], "chat": sorted(chat), "weights": kept}
    MODEL.write_text(json.dumps(model, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(rows)} examples, {len(kept)} features, {MODEL.stat().st_size:,} bytes")


def check() -> None:
    """Print how the held list is routed."""
    rows = examples("held.txt")
    for route in routing.ROUTES:
        found = [(text, routing.route(text)) for _, wanted, text in rows if wanted == route]
        given = Counter(routed.route for _, routed in found)
        print(f"{route:10}{len(found):4}  " + ", ".join(f"{n} {name}" for name, n in given.most_common()))
        for text, routed in found:
            if (routed.route == "chat") != (route == "chat"):
                print(f"    {text}: {routed}")


if __name__ == "__main__":
    if "--check" not in sys.argv:
        fit()
    check()
