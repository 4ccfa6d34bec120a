"""Writes golden/*.json from PyPI libzim, the oracle: ``python -m tests.unit.archives.make_golden FOLDER``.

Needs ``libzim`` (never a dependency of ours: it is GPL and only asked here). FOLDER has the archives.
Queries are words and titles of the archives, drawn with a fixed seed; results are entry numbers.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).with_name("golden")
RANKED = (
    "foldoc_en.zim", "lo_de.zim", "lo_fr.zim", "lo_ja.zim", "ray_charles_maxi_2023-09.zim",
    "jargon_none.zim", "suite/noTitleListingV0/wikibooks_be_all_nopic_2017-02.zim",
)  # fmt: skip
ENTRIES = (
    *RANKED, "suite/withns/wikibooks_be_all_nopic_2017-02.zim", "suite/noTitleListingV0/small.zim",
    "suite/withns/small.zim", "crafted/extended_v5.zim", "crafted/empty.zim",
)  # fmt: skip
QUERIES = 90
TYPED = 60
_TAG = re.compile(r"(?s)<script.*?</script>|<style.*?</style>|<[^>]+>|&[a-z#0-9]+;")


def texts(archive: Any) -> list[tuple[str, str]]:
    """(title, text) of the articles, in path order."""
    found = []
    for index in range(archive.all_entry_count):
        entry = archive._get_entry_by_id(index)
        if entry.is_redirect:
            found.append((entry.title, ""))
        elif "text/html" in (item := entry.get_item()).mimetype:
            found.append((entry.title, " ".join(_TAG.sub(" ", bytes(item.content).decode("utf-8")).split())))
    return found


def draw_queries(articles: list[tuple[str, str]], count: int, dice: random.Random) -> list[str]:
    """Words in and out of order, titles, and cuts through the middle of words."""
    readable = [(title, text) for title, text in articles if text]
    queries: list[str] = []
    while len(queries) < count:
        title, text = dice.choice(readable)
        words = text.split(" ")
        size = dice.choice([1, 1, 2, 2, 3, 4, 6])
        start = dice.randrange(max(1, len(words) - size))
        kind = dice.random()
        if kind < 0.4:
            query = " ".join(words[start : start + size])
        elif kind < 0.75:
            query = " ".join(dice.sample(words, min(size, len(words))))
        elif kind < 0.9:
            query = title
        else:
            at = dice.randrange(max(1, len(text) - 30))
            query = text[at : at + dice.randrange(3, 30)]
        if query.strip() and "\0" not in query:
            queries.append(query[:120])
    return queries


def draw_typed(articles: list[tuple[str, str]], count: int, dice: random.Random) -> list[str]:
    """Beginnings of titles from three letters, words of titles, whole titles."""
    typed: list[str] = []
    while len(typed) < count:
        title = dice.choice(articles)[0]
        words = title.split(" ")
        kind = dice.random()
        if kind < 0.5:
            text = title[: dice.randrange(min(3, len(title)), len(title) + 1)]
        elif kind < 0.7:
            at = dice.randrange(len(words))
            text = " ".join(words[at : at + dice.randrange(1, 4)])
        elif kind < 0.8:
            text = " ".join(dice.sample(words, min(3, len(words))))
        else:
            text = title
        if text.strip():
            typed.append(text)
    return typed


def search(archive: Any, query: str, limit: int = 10) -> list[int]:
    """Entry numbers of libzim's full-text results."""
    from libzim.search import Query, Searcher

    paths = Searcher(archive).search(Query().set_query(query)).getResults(0, limit)
    return [archive.get_entry_by_path(path)._index for path in paths]


def suggest(archive: Any, text: str, limit: int = 10) -> list[int]:
    """Entry numbers of libzim's suggestions."""
    from libzim.suggestion import SuggestionSearcher

    paths = SuggestionSearcher(archive).suggest(text).getResults(0, limit)
    return [archive.get_entry_by_path(path)._index for path in paths]


def digest(archive: Any) -> str:
    """SHA-256 over every entry: number, title, then MIME type and bytes or the redirect's mark."""
    total = hashlib.sha256()
    for index in range(archive.all_entry_count):
        entry = archive._get_entry_by_id(index)
        total.update(f"{index}\0{entry.title}\0".encode("utf-8", "surrogateescape"))
        item = entry.get_item()  # redirects followed
        total.update(f"{item.mimetype}\0".encode())
        total.update(hashlib.sha256(bytes(item.content)).digest())
    return total.hexdigest()


def main(folder: Path) -> None:
    """Write the three files."""
    from libzim.reader import Archive

    dice = random.Random(20_240_601)
    rankings, suggestions, entries = {}, {}, {}
    for name in ENTRIES:
        archive = Archive(folder / name)
        entries[name] = {"count": archive.all_entry_count, "sha256": digest(archive)}
        if name not in RANKED:
            continue
        articles = texts(archive)
        queries = draw_queries(articles, QUERIES, dice)
        rankings[name] = [[query, search(archive, query)] for query in queries]
        typed = draw_typed(articles, TYPED, dice)
        suggestions[name] = [[text, suggest(archive, text)] for text in typed]
    for stem, value in (("rankings", rankings), ("suggestions", suggestions), ("entries", entries)):
        lines = json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":"))
        (GOLDEN / f"{stem}.json").write_text(lines.replace("]],", "]],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
