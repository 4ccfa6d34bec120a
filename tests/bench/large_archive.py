"""Writes a large archive out of the handed texts: ``python -m tests.bench.large_archive FILE [ARTICLES]``.

Needs ``libzim`` (GPL: only asked here and in tests, never shipped), whose writer makes the full-text
and title indexes. Articles are paragraphs of real documents in a random order, so words are as
common as in real text; a few articles are as long as the longest of an encyclopedia.
"""

from __future__ import annotations

import html
import random
import re
import sys
from pathlib import Path
from typing import Any

from cairn.cli.checkout import ROOT

CORPUS = ROOT.parent / "shared" / "data" / "corpus"
ARTICLES = 110_000
LONG = 0.002
"""Part of the articles that are some 200 kB."""

_WORD = re.compile(r"[A-Za-z]{4,}")


def paragraphs(corpus: Path) -> list[list[str]]:
    """The English paragraphs of each document that has enough of them."""
    found = []
    for path in sorted([*corpus.rglob("*.md"), *corpus.rglob("*.txt")]):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "en" not in path.relative_to(corpus).parts and "computers-debian" not in str(path):
            continue
        parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
        parts = [part[:1500] for part in parts if len(part) > 120]
        if len(parts) > 5:
            found.append(parts)
    return found


def article(documents: list[list[str]], number: int, dice: random.Random) -> tuple[str, str]:
    """(title, HTML) of one article."""
    size = dice.randrange(220, 320) if dice.random() < LONG else dice.choice([1, 2, 2, 3, 3, 4, 6, 9, 14])
    taken = [dice.choice(dice.choice(documents)) for _ in range(size)]
    names = _WORD.findall(taken[0]) or ["Article"]
    title = f"{' '.join(dice.sample(names, min(3, len(names)))).capitalize()} {number}"
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for place, text in enumerate(taken):
        if place and place % 3 == 0:
            heading = " ".join(_WORD.findall(text)[:4])
            parts.append(f"<h2>{html.escape(heading)}</h2>")
        parts.append(f"<p>{html.escape(text)}</p>")
    return (
        title,
        f"<html><head><title>{html.escape(title)}</title></head><body>{''.join(parts)}</body></html>",
    )


def write(target: Path, articles: int = ARTICLES, *, seed: int = 11) -> None:
    """Write the archive; raises ImportError without libzim."""
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Page(Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, text: str) -> None:
            super().__init__()
            self.path, self.title, self.text = path, title, text

        def get_path(self) -> str:
            return self.path

        def get_title(self) -> str:
            return self.title

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> Any:
            return StringProvider(self.text)

        def get_hints(self) -> dict[Any, int]:
            return {Hint.FRONT_ARTICLE: True}

    documents = paragraphs(CORPUS)
    dice = random.Random(seed)
    with Creator(target).config_indexing(True, "eng").config_nbworkers(2) as creator:
        creator.set_mainpath("0")
        for number in range(articles):
            title, text = article(documents, number, dice)
            creator.add_item(Page(str(number), title, text))
        for name, value in (("Title", "Large"), ("Language", "eng"), ("Date", "2026-01-01")):
            creator.add_metadata(name, value)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else ARTICLES)
