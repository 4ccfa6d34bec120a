"""Fit the support check: ``python -m tests.eval.support.fit [--model FOLDER]``.

Logistic regression (L2, Newton's method) on two thirds of the pairs of :mod:`tests.eval.support.pairs`,
split by passage; prints the weights for :mod:`cairn.answering.support`, and on the held third the AUROC
of supported against the others, and what is flagged of each kind.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cairn.answering.support import CITED, CONFIRMED, Signs, Supporter, probability
from cairn.passages.sentences import sentences
from cairn.passages.types import Passage
from cairn.retrieval.neutral import language_neutral
from tests.eval.support.pairs import Pair, pairs

PENALTY = 0.5


def passage(pair: Pair) -> Passage:
    """The pair's passage."""
    return Passage("p", "d", "s", pair.title, pair.language, "", "", pair.title, pair.passage, "", 0, 0, 0)


def signs_of(pair: Pair, beside: Sequence[Pair] = ()) -> Signs:
    """Signs for the pair's own passage among others, as in an answer."""
    evidence = [(1, passage(pair)), *((n, passage(other)) for n, other in enumerate(beside, start=2))]
    supporter = Supporter(evidence)
    return supporter.signs(pair.sentence, 1)


def held(pair: Pair) -> bool:
    """Whether the pair is kept for measuring."""
    return sum(pair.passage.encode()) % 3 == 0


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Area under the ROC curve: the share of (true, false) pairs in order."""
    true = np.array([s for s, label in zip(scores, labels, strict=True) if label])
    false = np.array([s for s, label in zip(scores, labels, strict=True) if not label])
    wins = (true[:, None] > false[None]).mean() + 0.5 * (true[:, None] == false[None]).mean()
    return float(wins)


def fit(rows: Sequence[Sequence[float]], labels: Sequence[bool]) -> list[float]:
    """Constant and weights."""
    x = np.hstack([np.ones((len(rows), 1)), np.array(rows)])
    y = np.array(labels, dtype=float)
    w = np.zeros(x.shape[1])
    ridge = PENALTY * np.eye(len(w))
    ridge[0, 0] = 0
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - y) + ridge @ w
        w -= np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + ridge, slope)
    return [round(float(v), 2) for v in w]


async def cosines(found: Sequence[Pair], folder: Path) -> list[float]:
    """Cosine of each sentence and the nearest sentence of its passage."""
    from cairn.native.embedder import OnnxEmbedder

    embedder = OnnxEmbedder(folder)
    info = await embedder.load(lambda phase, done, total: None)
    made = []
    for pair in found:
        texts = [pair.passage[a:b] for a, b in sentences(pair.passage, pair.language)]
        [asked] = await embedder.embed_passages([pair.sentence])
        others = await embedder.embed_passages(texts)
        asked = language_neutral(asked, info)
        made.append(max(sum(a * b for a, b in zip(asked, o, strict=True)) for o in others))
    return made


def report(found: Sequence[Pair], rows: Sequence[Signs]) -> None:
    """Figures of the held third with the weights as they stand in the module."""
    kept = [(pair, row) for pair, row in zip(found, rows, strict=True) if held(pair)]
    scores = [probability(row) * (row.share >= CITED) for _, row in kept]
    print(f"held: {len(kept)} pairs, AUROC {auroc(scores, [p.label == 'supported' for p, _ in kept]):.3f}")
    flagged: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for (pair, row), score in zip(kept, scores, strict=True):
        flagged[pair.label, pair.how].append(score < CONFIRMED or bool(row.figures))
    for (label, how), each in sorted(flagged.items()):
        print(f"  {label:13}{how:16}{len(each):4}  flagged {sum(each) / len(each):.2f}")


def main() -> None:
    """Fit and print; with an embedder also whether the cosine would add anything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, help="folder of the embedder")
    parser.add_argument("--starter", action="store_true", help="pairs of the starter pack only")
    parser.add_argument("--every", type=int, default=1, help="take every n-th pair")
    options = parser.parse_args()
    found = pairs(shared=not options.starter)[:: options.every]
    signs = [signs_of(pair) for pair in found]
    used = [i for i, pair in enumerate(found) if not held(pair)]
    labels = [found[i].label == "supported" for i in used]
    print(len(found), "pairs; weights", fit([signs[i] for i in used], labels))
    report(found, signs)
    if options.model:
        near = asyncio.run(cosines(found, options.model))
        rows = [(*row, (c - 0.8) * 10) for row, c in zip(signs, near, strict=True)]
        weights = fit([rows[i] for i in used], labels)
        kept = [i for i, pair in enumerate(found) if held(pair)]
        scores = [weights[0] + sum(w * s for w, s in zip(weights[1:], rows[i], strict=True)) for i in kept]
        area = auroc(scores, [found[i].label == "supported" for i in kept])
        print(f"with the cosine: weights {weights}, AUROC {area:.3f}")


if __name__ == "__main__":
    main()
