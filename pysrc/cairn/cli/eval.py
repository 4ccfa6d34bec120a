"""`cairn eval FOLDER`: measure retrieval on a judged collection, through the pipeline that answers.

A folder has the BEIR layout: ``corpus.jsonl`` (``_id``, ``title``, ``text``, ``lang``, ``doc``),
``queries.jsonl`` (``_id``, ``text``, ``lang``), ``qrels.tsv``, and may have ``unanswerable.jsonl``.
The passages go into a pack's keyword index and vector file in a temporary folder; the embedder
keeps vectors by content, so that a second run embeds nothing.

Printed per stage (keywords, meaning, both) and language: nDCG@10 with linear gain (Järvelin and
Kekäläinen 2002: sum of gain / log2(rank + 1), over the ideal order), recall@5 and @10 of the judged
passages, MRR@10; then how the relevance floor judged answerable and unanswerable questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from cairn.cli.eval_source import EvalSource, build_source
from cairn.cli.eval_variants import VARIANTS
from cairn.models.ports import Embedder
from cairn.retrieval.search import search
from cairn.retrieval.types import Candidate, Fusion, SearchResult

DEPTH = 10
STAGES = ("keywords", "meaning", "both")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the collection; ``relevant`` maps passage id to gain, empty: unanswerable."""

    id: str
    text: str
    language: str
    relevant: Mapping[str, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("folder", type=Path, nargs="+", help="folders in the BEIR layout")
    parser.add_argument("--model", type=Path, help="folder of the embedder; absent: keywords only")
    parser.add_argument("--qrels", default="qrels.tsv", help="name of the judgements file")
    parser.add_argument(
        "--limit", type=int, default=0, help="measure only every n-th question to get this many"
    )
    parser.add_argument("--answers", action="store_true", help="measure whole turns (see --generator)")
    parser.add_argument("--generator", type=Path, help="folder of the answering model; absent: quotes only")
    parser.add_argument("--unanswerable", type=Path, help="further questions that nothing answers")
    parser.add_argument(
        "--conversational", action="store_true", help="measure rewriting: last turn, rules, gold rewrite"
    )
    parser.add_argument("--variant", choices=sorted(VARIANTS), help="change the questions by rule first")
    parser.add_argument("--fusion", choices=("calibrated", "rrf"), default="calibrated")
    parser.add_argument(
        "--browser", action="store_true", help="also inside Chromium on the built site, and compare the ids"
    )
    parser.add_argument("--only", default="", help="passages of this language only (as the corpus names it)")


def main(arguments: Sequence[str]) -> int:
    """Run the command; 0, or 2 when a folder is not a collection."""
    parser = argparse.ArgumentParser(prog="cairn eval", description=__doc__)
    add_arguments(parser)
    options = parser.parse_args(list(arguments))
    return asyncio.run(run(options))


async def run(options: argparse.Namespace) -> int:
    """Evaluate each folder and print its figures."""
    if options.browser:
        from cairn.cli import eval_browser

        return await eval_browser.evaluate(options)
    embedder = await load_embedder(options.model) if options.model is not None else None
    for folder in options.folder:
        if not (folder / "corpus.jsonl").is_file():
            print(f"{folder} has no corpus.jsonl: it is not a collection in the BEIR layout.")
            return 2
        with tempfile.TemporaryDirectory(prefix="cairn-eval-") as work:
            passages, asked = collection(folder, options)
            source = await build_source(passages, Path(work), embedder)
            print(f"\n{folder.name}: {len(passages)} passages, {len(asked)} questions")
            if options.conversational:
                from cairn.cli import eval_conversational

                await eval_conversational.evaluate(source, folder, options.qrels, embedder)
            elif options.answers:
                from cairn.cli import eval_answers

                writer = await eval_answers.load_generator(options.generator) if options.generator else None
                await eval_answers.evaluate(source, asked, embedder, writer)
            else:
                await evaluate(source, asked, embedder, options.fusion)
            source.close()
    return 0


def collection(folder: Path, options: argparse.Namespace) -> tuple[list[dict[str, str]], list[Question]]:
    """The passages and the questions of a folder that the options choose."""
    passages = [row for row in rows(folder / "corpus.jsonl") if options.only in ("", row.get("lang"))]
    asked = questions(folder, options.qrels)
    if options.limit:
        asked = asked[:: max(1, len(asked) // options.limit)]
    if options.unanswerable:
        more = rows(options.unanswerable)
        asked += [Question(row["_id"], row["text"], row.get("lang", ""), {}) for row in more]
    if options.variant:
        change = VARIANTS[options.variant]
        asked = [replace(q, text=change(q.text, q.language)) for q in asked]
    return passages, asked


async def load_embedder(folder: Path) -> Embedder:
    """E5 on CPython, loaded."""
    from cairn.native.embedder import OnnxEmbedder  # onnxruntime is only needed here

    embedder: Embedder = OnnxEmbedder(folder)
    await embedder.load(lambda phase, done, total: None)
    return embedder


def rows(path: Path) -> list[dict[str, str]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def questions(folder: Path, qrels: str) -> list[Question]:
    """Judged questions, then the unanswerable ones where the collection has some."""
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / qrels).read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, gain = line.split("\t")
        judged[query][passage] = int(gain)
    found = [
        Question(row["_id"], row["text"], row.get("lang", ""), judged[row["_id"]])
        for row in rows(folder / "queries.jsonl")
        if row["_id"] in judged
    ]
    if (folder / "unanswerable.jsonl").is_file():
        for row in rows(folder / "unanswerable.jsonl"):
            found.append(Question(row["_id"], row["text"], row.get("lang", ""), {}))
    return found


async def evaluate(
    source: EvalSource,
    asked: Sequence[Question],
    embedder: Embedder | None,
    fusion: Fusion = "calibrated",
) -> None:
    """Search every question and print the tables."""
    figures = Figures()
    took: list[float] = []
    for question in asked:
        began = perf_counter()
        result = await search(question.text, sources=[source], embedder=embedder, clock=clock, fusion=fusion)
        took.append((perf_counter() - began) * 1_000)
        found = {
            stage: [source.passage_key(c.passage.row) for c in ranking(result, stage)] for stage in STAGES
        }
        figures.add(question, found, result.outcome, result.relevance)
    figures.show(STAGES if embedder else STAGES[:1])
    print(f"median {sorted(took)[len(took) // 2]:.1f} ms a search")


class Figures:
    """What is measured of the questions of a collection, summed up as they come."""

    def __init__(self) -> None:
        self._scores: dict[str, dict[str, list[Sequence[float]]]] = defaultdict(lambda: defaultdict(list))
        self._outcomes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        self._sure: dict[bool, list[float]] = {True: [], False: []}

    def add(
        self, question: Question, found: Mapping[str, Sequence[str]], outcome: str, relevance: float
    ) -> None:
        """One question, and by stage the ids that were found, best first."""
        self._outcomes[bool(question.relevant)][outcome] += 1
        self._sure[bool(question.relevant)].append(relevance)
        for stage, ids in found.items() if question.relevant else ():
            measured = measure(ids, question.relevant)
            self._scores[stage][question.language].append(measured)
            self._scores[stage]["all"].append(measured)

    def show(self, stages: Sequence[str]) -> None:
        """Print the tables."""
        print(f"{'':10}{'language':10}{'n':>5}  nDCG@10  recall@5  recall@10  MRR@10")
        for stage in stages:
            for language, found in sorted(self._scores[stage].items(), key=lambda item: -len(item[1])):
                means = [sum(column) / len(found) for column in zip(*found, strict=True)]
                print(f"{stage:10}{language:10}{len(found):5}  " + "    ".join(f"{m:.3f} " for m in means))
        for answerable, counted in self._outcomes.items():
            if counted:
                name = "answerable" if answerable else "unanswerable"
                print(
                    f"{name}: " + ", ".join(f"{count} {outcome}" for outcome, count in counted.most_common())
                )
        if self._sure[True] and self._sure[False]:
            print(f"AUROC of abstention {auroc(self._sure[True], self._sure[False]):.3f}")


def auroc(answerable: Sequence[float], other: Sequence[float]) -> float:
    """Chance that an answerable question is judged surer than one that is not; ties count half."""
    wins = sum((a > b) + (a == b) / 2 for a in answerable for b in other)
    return wins / (len(answerable) * len(other))


def clock() -> float:
    """Milliseconds."""
    return perf_counter() * 1_000


def ranking(result: SearchResult, stage: str) -> list[Candidate]:
    """The first ten of a stage, before diversity."""
    if stage == "both":
        return result.considered[:DEPTH]
    rank = "lexical_rank" if stage == "keywords" else "semantic_rank"
    found = [c for c in result.considered if getattr(c, rank)]
    return sorted(found, key=lambda c: int(getattr(c, rank)))[:DEPTH]


def measure(ids: Sequence[str], relevant: Mapping[str, int]) -> Sequence[float]:
    """nDCG@10, recall@5, recall@10 and reciprocal rank of one ranking."""
    gains = [relevant.get(name, 0) for name in ids[:DEPTH]]
    ideal = discounted(sorted(relevant.values(), reverse=True)[:DEPTH])
    first = next((1 / rank for rank, gain in enumerate(gains, start=1) if gain), 0.0)
    judged = sum(1 for gain in relevant.values() if gain)
    recalls = [sum(1 for gain in gains[:k] if gain) / min(judged, k) if judged else 0.0 for k in (5, DEPTH)]
    return (discounted(gains) / ideal if ideal else 0.0, recalls[0], recalls[1], first)


def discounted(gains: Iterable[int]) -> float:
    """Discounted cumulative gain."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
