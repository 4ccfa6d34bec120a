"""A real index of 100,000 documents, made by libzim's writer where it is installed (GPL: tests only).

CAIRN_LARGE_ZIM names an archive that is there already.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.sources.archives.container import Archive
from cairn.sources.archives.fulltext import FullText, open_full_text
from cairn.sources.archives.kernel import numpy_kernel, plain_kernel
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.reader import FileReader

DOCUMENTS = 100_000
WORDS = 4_000
ROUNDS = 300


def write(target: Path) -> None:
    """Documents of a dozen words that are as common as in a language (Zipf's law)."""
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Page(Item):  # type: ignore[misc]
        def __init__(self, number: int, text: str) -> None:
            super().__init__()
            self.number, self.text = number, text

        def get_path(self) -> str:
            return str(self.number)

        def get_title(self) -> str:
            return f"Page {self.number}"

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> Any:
            return StringProvider(self.text)

        def get_hints(self) -> dict[Any, int]:
            return {Hint.FRONT_ARTICLE: True}

    dice = random.Random(3)
    names = [f"q{number}z" for number in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    with Creator(target).config_indexing(True, "mul") as creator:
        creator.set_mainpath("0")
        for number in range(DOCUMENTS):
            text = " ".join(dice.choices(names, weights, k=12))
            creator.add_item(Page(number, f"<html><body><p>{text}</p></body></html>"))
        creator.add_metadata("Language", "mul")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullText]:
    given = os.environ.get("CAIRN_LARGE_ZIM")
    path = Path(given) if given else tmp_path_factory.mktemp("large") / "large.zim"
    if not given:
        pytest.importorskip("libzim.writer")
        write(path)
    reader = FileReader(path)
    found, problem = open_full_text(Archive(reader))
    assert found is not None, problem
    assert found.documents >= DOCUMENTS
    yield found
    reader.close()


def terms(index: FullText, dice: random.Random) -> list[bytes]:
    """The commonest terms, which have the longest lists, and others by chance."""
    table = index.postings._table
    counted = []
    for key, _ in table.range(b"\x01", b"\xff"):
        if b"\0" not in key:
            found = index.postings.find(key)
            assert found is not None
            counted.append((found.documents, key))
    counted.sort(reverse=True)
    return [key for _, key in [*counted[:40], *dice.sample(counted, min(60, len(counted)))]]


def test_candidate_limited_equals_full_decode_then_filter(index: FullText) -> None:
    """Intent: truncated separators lose nothing, on lists of many leaves as Xapian itself writes them."""
    pytest.importorskip("numpy")
    dice = random.Random(11)
    several = 0
    for term in terms(index, dice):
        postings = PostingReader(index._glass, decoded_bytes=0)  # nothing is kept: each time anew
        found = postings.find(term)
        assert found is not None
        several += len(postings._leaves(found)) > 3
        numpy, plain = numpy_kernel(), plain_kernel()
        docids, counts = postings.all(found, numpy)
        whole = dict(zip(docids.tolist(), counts.tolist(), strict=True))
        assert len(whole) == found.documents
        last = index.documents
        for _ in range(ROUNDS // 100):
            size = dice.choice([1, 2, 7, 60, 900])
            start = dice.randrange(1, last)
            for candidates in (
                sorted(dice.sample(range(1, last + 60), size)),
                list(range(start, start + size)),
                sorted({max(1, d + dice.choice([-1, 0, 0, 1])) for d in dice.choices(list(whole), k=size)}),
            ):
                wanted = [(at, whole[docid]) for at, docid in enumerate(candidates) if docid in whole]
                for kernel in (numpy, plain):
                    matches = postings.matches(found, kernel.vector(candidates), kernel)
                    assert list(zip(list(matches.positions), list(matches.counts), strict=True)) == wanted
    assert several >= 10, "the lists are too short to prove anything"
