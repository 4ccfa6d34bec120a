"""A small recipe, an embedder made of hashes, and a driver for coroutines without an event loop."""

from __future__ import annotations

import hashlib
import math
import random
from array import array
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from cairn.sources.packs.build import BuildReport, Embedding, build_pack
from cairn.sources.packs.recipe import load_recipe
from cairn.sources.types import VectorModel

T = TypeVar("T")
MODEL = VectorModel("multilingual-e5-small", "test", "q8", 32)

PACK_TOML = """\
id = "test-notes"
title = "Test notes"
version = "1.0"
notice = "Only a test."
licence = "CC0-1.0"
docs = ["docs/**/*.md"]
"""

DOCUMENT = """\
+++
id = "{id}"
title = "{title}"
language = "{language}"
collection = "Water"
references = [{{ title = "A guide", url = "https://example.org/guide" }}]
+++
{body}
"""

BODIES = {
    ("boiling-water", "eng"): "# Boiling water\n\n"
    + "\n\n".join(f"Boil the water for {n} minutes at a rolling boil. " * 12 for n in range(1, 9)),
    ("fire", "eng"): "# Fire\n\nDry tinder burns.\n\n## When to get help\n\nCall for help.",
    ("boiling-water-zho", "zho"): "# 烧开水\n\n把水烧开一分钟，然后放凉。\n\n## 求助\n\n请打电话。",
}


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits for anything outside; works where no event loop may run."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


def write_recipe(folder: Path) -> Path:
    """A recipe folder with three documents in two languages."""
    (folder / "docs").mkdir(parents=True)
    (folder / "pack.toml").write_text(PACK_TOML, encoding="utf-8")
    for (name, language), body in BODIES.items():
        text = DOCUMENT.format(id=name, title=name.replace("-", " ").title(), language=language, body=body)
        file = folder / "docs" / f"{name.removesuffix('-zho')}.{language}.md"
        file.write_text(text, encoding="utf-8")
    return folder


def fake_embed(texts: Sequence[str]) -> list[array[float]]:
    """Vectors that depend on the text and nothing else, unit length, as near as those of E5."""
    vectors = []
    for text in texts:
        rng = random.Random(hashlib.sha256(text.encode()).digest())
        values = [40.0, *(rng.gauss(0, 1) for _ in range(MODEL.dimensions - 1))]
        length = math.hypot(*values)
        vectors.append(array("f", [value / length for value in values]))
    return vectors


def build(folder: Path, output: Path, *, vectors: bool = True, compatible: bool = False) -> BuildReport:
    """Build the pack of a recipe folder with the fake embedder."""
    embedding = Embedding(fake_embed, MODEL) if vectors else None
    return build_pack(load_recipe(folder), output, embedding=embedding, compatible=compatible)


def small_pack(tmp_path: Path, *, vectors: bool = True, compatible: bool = False) -> Path:
    """The built pack of the small recipe."""
    output = tmp_path / "test.zip"
    build(write_recipe(tmp_path / "recipe"), output, vectors=vectors, compatible=compatible)
    return output


def silent(phase: str, done: int, total: int) -> None:
    """A progress callback that nobody watches."""


Mutation = Callable[[bytes], bytes]
