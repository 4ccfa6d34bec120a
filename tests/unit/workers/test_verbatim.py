"""A model held to given sentences (workers/verbatim.mjs), with a toy model and tokenizer in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
HERE = Path(__file__).parent
SENTENCES = ["Boil it.", "Boil it for a minute.", "Let it cool.", "Drink it."]

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here")


def write(wishes: dict[int, str], most: int = 4, sentences: list[str] | None = None) -> str:
    """What the toy model writes when it wants these words at these steps."""
    asked = {
        "sentences": SENTENCES if sentences is None else sentences,
        "most": most,
        "wishes": [wishes.get(step) for step in range(20)],
    }
    command = [NODE or "node", str(HERE / "verbatim.test.mjs"), json.dumps(asked)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return str(json.loads(run.stdout))


def test_only_whole_sentences_come_out_whatever_the_model_wants() -> None:
    """Intent: a word that continues no sentence cannot be written, an end inside one neither."""
    text = write({0: "Let", 1: "<end>", 2: "poison", 3: "<end>"})
    assert text == "Let it cool."


def test_each_sentence_at_most_once_and_no_more_than_allowed() -> None:
    text = write({0: "Drink", 2: " Let", 5: " Drink"}, most=3)
    rest = text
    for sentence in sorted(SENTENCES, key=len, reverse=True):
        assert rest.count(sentence) <= 1
        rest = rest.replace(sentence, "", 1)
    assert rest.strip() == "" and text.startswith("Drink it. Let it cool.")
    assert sum(text.count(s) for s in ("cool.", "minute.", "Drink")) <= 3


def test_the_model_decides_when_to_end_but_not_before_a_sentence() -> None:
    assert write({0: "<end>", 2: "<end>"}, sentences=["Drink it.", "Rest."]).count(".") >= 1
    assert write({0: "Drink", 2: "<end>"}) == "Drink it."


def test_nothing_to_choose_from_writes_nothing() -> None:
    assert write({}, sentences=[]) == ""
