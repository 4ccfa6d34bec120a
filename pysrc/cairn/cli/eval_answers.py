"""`cairn eval --answers FOLDER`: whole turns with a real embedder and a real generator.

Asks the collection's answerable questions, its unanswerable ones and those of a further file
(``--unanswerable``), each as a first turn, and prints

* **answered**: answerable questions that got an answer with at least one cited statement or quote;
* **refused**: unanswerable questions for which nothing was written and no quote stood without a warning;
* **tokens valid**: every ``[n]`` of every answer names a citation, every citation has a well-formed token
  of its own, and what a model that only chooses wrote stands word for word in the cited passage;
* **relevant**: answered questions of which a cited passage is judged relevant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from cairn.answering.citations import TOKEN
from cairn.answering.turn import run_turn
from cairn.cli.eval import Question
from cairn.cli.eval_source import EvalSource
from cairn.models.ports import Embedder, Generator
from cairn.protocol import AskResult

_NUMBER = re.compile(r"\[(\d{1,2})\]")


async def load_generator(folder: Path) -> Generator:
    """The default answering model on CPython, loaded; it may only choose sentences."""
    from cairn.native.generator import OnnxGenerator  # onnxruntime is only needed here

    generator: Generator = OnnxGenerator(folder)
    await generator.load(lambda phase, done, total: None)
    return generator


async def evaluate(
    source: EvalSource, asked: Sequence[Question], embedder: Embedder | None, generator: Generator | None
) -> None:
    """Ask every question and print the figures; a line for each that went wrong."""
    outcomes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    good: Counter[str] = Counter()
    invalid: list[str] = []
    took: list[float] = []
    for question in asked:
        began = perf_counter()
        result = await run_turn(
            question.text,
            sources=[source],
            embedder=embedder,
            generator=generator,
            clock=lambda: perf_counter() * 1_000,
            emit=lambda event: None,
        )
        took.append(perf_counter() - began)
        answerable = bool(question.relevant)
        outcomes[answerable][f"{result['outcome']}/{result['finish']}"] += 1
        invalid += [f"{question.id}: {fault}" for fault in faults(result)]
        ended = answered(result) if answerable else refused(result)
        good["answered" if answerable else "refused"] += ended
        good["relevant"] += answerable and ended and _relevant(source, question, result)
        good["written"] += answerable and bool(result["text"])
        if not ended:
            print(f"  not {'answered' if answerable else 'refused'}: {question.id} {question.text[:80]}")
    _report(outcomes, good, invalid, took, generator)


def answered(result: AskResult) -> bool:
    """Whether the person got something to rely on."""
    return result["outcome"] == "matched" and bool(result["quotes"] or result["text"])


def refused(result: AskResult) -> bool:
    """Whether nothing was given as an answer: quotes of a weak match stand under a warning."""
    return not result["text"] and result["outcome"] != "matched"


def faults(result: AskResult) -> list[str]:
    """What is wrong with the citations of an answer."""
    cited = {citation["n"]: citation for citation in result["citations"]}
    found = [f"[{n}] names nothing" for n in map(int, _NUMBER.findall(result["text"])) if n not in cited]
    found += [f"no citation {q['n']}" for q in result["quotes"] if q["n"] not in cited]
    tokens = [citation["token"] for citation in result["citations"]]
    found += [f"token {token}" for token in tokens if not TOKEN.fullmatch(token)]
    if len(set(tokens)) < len(tokens):
        found.append("a token stands for two passages")
    for sentence in result["sentences"] if result["verbatim"] else ():
        if sentence["n"] and _plain(sentence["text"]) not in _plain(cited[sentence["n"]]["text"]):
            found.append(f"not in [{sentence['n']}]: {sentence['text'][:60]}")
    return found


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def _relevant(source: EvalSource, question: Question, result: AskResult) -> bool:
    return any(c.get("cited") and question.relevant.get(c["passage"], 0) for c in result["citations"])


def _report(
    outcomes: dict[bool, Counter[str]],
    good: Counter[str],
    invalid: list[str],
    took: list[float],
    generator: Generator | None,
) -> None:
    info = generator.info if generator else None
    print(f"model: {info.label() if info else 'none'}")
    for answerable, names in ((True, ("answered", "written", "relevant")), (False, ("refused",))):
        total = outcomes[answerable].total()
        if total:
            for name in names:
                print(f"{name:10}{good[name]:4} of {total:3}  {good[name] / total:.2f}")
            print("          " + ", ".join(f"{n} {what}" for what, n in outcomes[answerable].most_common()))
    asked, bad = len(took), len({line.partition(":")[0] for line in invalid})
    print(f"{'tokens':10}{asked - bad:4} of {asked:3} answers valid")
    for line in invalid:
        print(f"  {line}")
    print(f"median {sorted(took)[asked // 2]:.1f} s a turn")
