"""A pack of a megabyte whose every document says which version it is of."""

from __future__ import annotations

import random
from pathlib import Path

from tests.unit.packs.helpers import build

RECIPE = """\
id = "sea-notes"
title = "Sea notes"
version = "{version}"
notice = "Only a test."
licence = "CC0-1.0"
docs = ["docs/**/*.md"]
"""
DOCUMENT = """\
+++
id = "sea-{number}"
title = "Sea {number}"
language = "eng"
collection = "Sea"
references = [{{ title = "A guide", url = "https://example.org/guide" }}]
+++
{body}
"""


def sea_pack(folder: Path, version: str, *, compatible: bool = False) -> Path:
    """A pack of two megabytes whose every document says which version it is of."""
    words = random.Random(version)
    docs = folder / f"recipe-{version}" / "docs"
    docs.mkdir(parents=True)
    (docs.parent / "pack.toml").write_text(RECIPE.format(version=version), encoding="utf-8")
    for number in range(60):
        sentences = (
            f"Keeper{version} notes " + " ".join(f"w{words.randrange(4000)}" for _ in range(12)) + "."
            for _ in range(120)
        )
        text = DOCUMENT.format(number=number, body=f"# Sea {number}\n\n" + "\n\n".join(sentences))
        (docs / f"sea-{number}.eng.md").write_text(text, encoding="utf-8")
    output = folder / f"plain-{version}.zip"
    build(docs.parent, output, compatible=compatible)
    return output
