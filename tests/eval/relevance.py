"""Make pysrc/cairn/retrieval/data/relevance.json: what the relevance floor weighs, and how much.

    python tests/eval/relevance.py MODEL SHARED/data/eval

Each collection is asked its own questions (its unanswerable ones too), the off-topic ones of
``off_topic.jsonl`` and some of another collection. A logistic model of
:func:`cairn.retrieval.judge.features` is fitted by penalised maximum likelihood (Newton); every kind
of question weighs the same, the product's own domain twice. Each fifth is judged by the other four
for the AUROC that is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cairn.cli.eval import Question, clock, load_embedder, questions, rows
from cairn.cli.eval_source import EvalSource, build_source
from cairn.models.ports import Embedder
from cairn.passages.chunker import chunk
from cairn.retrieval.analysis import analyse
from cairn.retrieval.judge import FEATURES, features
from cairn.retrieval.search import search
from cairn.retrieval.spelling import respell
from cairn.sources.packs.recipe import load_recipe

ROOT = Path(__file__).resolve().parents[2]
STARTER = Path(__file__).with_name("starter.jsonl")
OFF_TOPIC = Path(__file__).with_name("off_topic.jsonl")
OUT = ROOT / "pysrc/cairn/retrieval/data/relevance.json"
PENALTY = 0.5
WEIGHT = {"field-qa answerable": 1.5, "field-qa unanswerable": 2.0, "starter answerable": 1.5}
ANSWERS_KEPT, ANSWERS_QUOTED = 0.90, 0.96
"""Share of the answerable questions to field-qa and starter that shall be matched, and at least weak."""


@dataclass
class Asked:
    """One search."""

    kind: str
    answerable: bool
    values: list[float]
    question: str


COLLECTIONS = (  # name, folder, language of the passages, judgements, questions of them, of the others
    ("starter", "", "", "", 1_000, 0),
    ("field-qa", "field-qa", "", "qrels.tsv", 1_000, 40),
    ("xquad", "xquad", "", "qrels.tsv", 100, 46),
    ("xquad → en", "xquad", "en", "qrels.to-en.tsv", 80, 0),
    ("mtrag", "mtrag-conv", "", "qrels.tsv", 48, 0),
)


async def ask(source: EvalSource, embedder: Embedder, kind: str, answerable: bool, text: str) -> Asked:
    result = await search(text, sources=[source], embedder=embedder, clock=clock)
    analysis = respell(analyse(text), [source])
    return Asked(kind, answerable, features(analysis, result.considered), text)


def starter() -> list[dict[str, str]]:
    """The passages of packs/starter, as its pack has them."""
    found = []
    for document in load_recipe(ROOT / "packs/starter").documents:
        entry = document.entry
        for number, span in enumerate(chunk(document.text, entry.title, language=entry.language)):
            found.append(
                {
                    "_id": f"{entry.id}#{number}",
                    "doc": entry.id,
                    "title": entry.title,
                    "locator": span.locator,
                    "lang": entry.language,
                    "text": document.text[span.start : span.end],
                }
            )
    return found


def some(items: list[Any], count: int) -> list[Any]:
    return items[:: max(1, len(items) // count)][:count] if count else []


async def collect(model: Path, data: Path) -> list[Asked]:
    embedder = await load_embedder(model)
    off_topic = [row["text"] for row in rows(OFF_TOPIC)]
    found: list[Asked] = []
    for name, folder, language, qrels, own, foreign in COLLECTIONS:
        if folder:
            passages = [r for r in rows(data / folder / "corpus.jsonl") if language in ("", r.get("lang"))]
            asked: list[Question] = questions(data / folder, qrels)
        else:
            passages = starter()
            asked = [Question(r["_id"], r["text"], r["lang"], {"": 1}) for r in rows(STARTER)]
        if language:
            asked = [q for q in asked if q.language != language]
        with tempfile.TemporaryDirectory() as work:
            source = await build_source(passages, Path(work), embedder)
            for q in some([q for q in asked if q.relevant], own) + [q for q in asked if not q.relevant]:
                kind = f"{name} {'answerable' if q.relevant else 'unanswerable'}"
                found.append(await ask(source, embedder, kind, bool(q.relevant), q.text))
            for text in some(
                off_topic, len(off_topic) if name in ("field-qa", "starter") else 50 if not language else 0
            ):
                found.append(await ask(source, embedder, f"{name} off-topic", False, text))
            other = "xquad" if name == "field-qa" else "field-qa"
            for q in some(questions(data / other, "qrels.tsv"), foreign):
                found.append(await ask(source, embedder, f"{name} of {other}", False, q.text))
            source.close()
        print(f"{name}: {len(found)} searches so far", flush=True)
    return found


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Coefficients, the constant first; columns of ``x`` are standardised but for the first."""
    b = np.zeros(x.shape[1])
    penalty = PENALTY * np.r_[0.0, np.ones(x.shape[1] - 1)]
    for _ in range(60):
        p = 1 / (1 + np.exp(-x @ b))
        slope = x.T @ (weight * (p - y)) + penalty * b
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(penalty + 1e-9)
        b -= np.linalg.solve(curve, slope)
    return b


def saved(path: Path, options: argparse.Namespace) -> list[Asked]:
    """The searches, kept beside for another fit when --keep names a file."""
    if path.is_file():
        return [Asked(**item) for item in json.loads(path.read_text(encoding="utf-8"))]
    found = asyncio.run(collect(options.model, options.data))
    path.write_text(json.dumps([vars(a) for a in found]), encoding="utf-8")
    return found


def auroc(values: np.ndarray, y: np.ndarray) -> float:
    """Chance that an answerable question gets more than an unanswerable one."""
    yes, no = values[y > 0.5][:, None], values[y < 0.5][None]
    return float((yes > no).mean() + (yes == no).mean() / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, help="file to keep the searches in, read when it is there")
    options = parser.parse_args()
    asked = (
        saved(options.keep, options) if options.keep else asyncio.run(collect(options.model, options.data))
    )
    y = np.array([float(a.answerable) for a in asked])
    kinds = np.array([a.kind for a in asked])
    raw = np.array([a.values for a in asked])
    mean, spread = raw.mean(0), raw.std(0) + 1e-9
    x = np.c_[np.ones(len(raw)), (raw - mean) / spread]
    weight = np.array([60 * WEIGHT.get(kind, 0.7) / (kinds == kind).sum() for kind in kinds])
    folds = np.random.default_rng(0).integers(0, 5, len(y))
    judged = np.zeros(len(y))
    for fold in range(5):
        judged[folds == fold] = x[folds == fold] @ fit(
            x[folds != fold], y[folds != fold], weight[folds != fold]
        )
    own = np.array([kind.startswith("field-qa") and " of " not in kind for kind in kinds])
    final = fit(x, y, weight)
    coefficients = final[1:] / spread
    scores = raw @ coefficients
    answers = np.sort(scores[np.isin(kinds, ["field-qa answerable", "starter answerable"])])
    matched = answers[int((1 - ANSWERS_KEPT) * len(answers))]
    weak = answers[int((1 - ANSWERS_QUOTED) * len(answers))]
    shares = {
        str(kind): {
            "questions": int((kinds == kind).sum()),
            "matched": round(float((scores[kinds == kind] >= matched).mean()), 2),
            "weak": round(float(((scores >= weak) & (scores < matched))[kinds == kind].mean()), 2),
        }
        for kind in dict.fromkeys(kinds)
    }
    starters = np.array([kind.startswith("starter") for kind in kinds])
    measured = {
        "all": round(auroc(judged, y), 3),
        "field-qa": round(auroc(judged[own], y[own]), 3),
        "starter": round(auroc(judged[starters], y[starters]), 3),
    }
    data = {
        "about": "Logistic model of cairn.retrieval.judge: matched from probability 0.5 on",
        "made_by": "tests/eval/relevance.py",
        "constant": round(float(-matched), 4),
        "coefficients": {n: round(float(c), 4) for n, c in zip(FEATURES, coefficients, strict=True)},
        "weak": round(float(1 / (1 + np.exp(matched - weak))), 3),
        "auroc": measured,
        "shares": shares,
    }
    OUT.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(data, indent=1, ensure_ascii=False))
    surest = sorted((-s, a.kind, a.question) for s, a in zip(scores, asked, strict=True) if not a.answerable)
    print("\n".join(f"{-s - matched:6.2f} {kind}: {text}" for s, kind, text in surest[:12]))


if __name__ == "__main__":
    main()
