"""Damaged archives, by the hundred: only our typed errors, no hang, no flood of memory."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cairn.errors import CairnError
from cairn.index.types import LexicalQuery
from cairn.sources.archives.checking import faults
from cairn.sources.archives.reader import BytesReader
from cairn.sources.archives.source import ArchiveSource

SLOWEST_S = 10.0  # of CPU; the usual is 0.02


def mutate(data: bytes, dice: random.Random, focus: list[int]) -> bytes:
    """Flip, overwrite, copy, zero or cut; half of the time near the structures in ``focus``."""
    changed = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 5, 20])):
        near = dice.random() < 0.6
        at = dice.choice(focus) + dice.randrange(400) if near else dice.randrange(len(data))
        at = min(len(data) - 1, at)
        kind = dice.random()
        if kind < 0.4:
            changed[at] ^= 1 << dice.randrange(8)
        elif kind < 0.6:
            changed[at] = dice.choice([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
        elif kind < 0.75:
            size = dice.randrange(1, 9)
            changed[at : at + size] = dice.choice([b"\xff", b"\0"]) * min(size, len(data) - at)
        elif kind < 0.9:
            size = min(dice.randrange(1, 200), len(data) - at)
            begin = dice.randrange(len(data) - size)
            changed[at : at + size] = changed[begin : begin + size]
        else:
            size = min(dice.randrange(1, 3000), len(data) - at)
            changed[at : at + size] = bytes(size)
    if dice.random() < 0.1:
        del changed[dice.randrange(len(changed)) :]
    return bytes(changed)


def exercise(data: bytes, words: tuple[str, ...], dice: random.Random) -> int:
    """Use an archive as the app does; the number of typed errors. Anything else is raised."""
    errors = 0
    try:
        source = ArchiveSource(BytesReader(data))
    except CairnError:
        return 1
    archive, titles, index = source.archive, source.titles, source._full_text
    some = [dice.randrange(max(1, len(archive))) for _ in range(6)]
    text = " ".join(words)
    steps: list[Callable[[], object]] = [
        *[partial(lambda number: archive.read(archive.entry(number)), number) for number in some],
        lambda: titles.suggest(words[0][:3], 5),
        lambda: titles.suggest(text, 5),
        lambda: titles.starting_with(words[0].title(), 5),
    ]
    if index is not None:
        steps += [lambda: index.search(text, 6), lambda: index.search_any(text + " the", 6)]
    if len(archive) < 200:
        steps += [lambda: list(faults(archive)), lambda: passages(source, words)]
    elif dice.random() < 0.1:
        steps.append(lambda: passages(source, words))
    for step in steps:
        try:
            step()
        except CairnError:
            errors += 1
    return errors


def passages(source: ArchiveSource, words: tuple[str, ...]) -> object:
    return source.passages([hit.row for hit in source.search_words(LexicalQuery(words), 6)])


CASES = [
    ("suite/noTitleListingV0/wikibooks_be_all_nopic_2017-02.zim", ("эспэранта", "прыназоўнік"), 130),
    ("suite/withns/small.zim", ("test", "zim"), 130),
    ("suite/noTitleListingV0/small.zim", ("test", "zim"), 60),
    ("ray_charles_maxi_2023-09.zim", ("georgia", "mind"), 100),
    ("lo_ja.zim", ("ページ", "番号"), 80),
]


@pytest.mark.parametrize(("name", "words", "times"), CASES)
def test_mutations_end_in_typed_errors(
    zim_folder: Path, name: str, words: tuple[str, ...], times: int
) -> None:
    """Intent: whatever the bytes say. 500 archives in all, the same ones every time."""
    data = (zim_folder / name).read_bytes()
    archive = ArchiveSource(BytesReader(data)).archive
    header = archive.header
    focus = [0, header.path_pointers, header.cluster_pointers, len(data) - 400]
    for path in ("fulltext/xapian", "title/xapian", "listing/titleOrdered/v1"):
        entry = archive.lookup("X", path)
        place = archive.place(entry) if entry else None
        if place:
            blocks = range(place.offset, place.offset + place.length, 8192)
            focus += [place.offset, *random.Random(3).sample(blocks, min(12, len(blocks)))]
    focus += [archive.pointer_of_cluster(number) for number in range(min(6, header.clusters))]
    seen = 0
    for number in range(times):
        dice = random.Random(f"{name} {number}")
        began = time.process_time()
        seen += exercise(mutate(data, dice, focus), words, dice) > 0
        assert time.process_time() - began < SLOWEST_S, f"mutation {number}"
    assert seen, "no mutation was noticed: they do not reach anything"
