"""Idle work: document lengths are loaded between questions, within bounds, and never get in the way."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.errors import ArchiveAbsent
from cairn.sources.archives import idle
from cairn.sources.archives.idle import IdleWork
from cairn.sources.archives.reader import BytesReader
from cairn.sources.archives.shelved import ShelvedArchive
from tests.unit.archives.synthetic import Item, database, zim

DOCUMENTS = 3_000


def indexed(name: str = "a") -> ShelvedArchive:
    lengths = {docid: 20 + docid % 300 for docid in range(1, DOCUMENTS + 1)}
    terms = {"tide": [(docid, 1) for docid in range(1, DOCUMENTS, 7)]}
    glass = database(terms, lengths, {1: "C/One"}, {"language": name}, chunk=20)
    items = [Item("C", "One", b"<p>The tide.</p>", "One"), Item("X", "fulltext/xapian", glass)]
    return ShelvedArchive(BytesReader(zim(items, titles=True)), name=f"{name}.zim", key=name)


def shelf(*archives: ShelvedArchive) -> Any:
    return SimpleNamespace(sources={archive.id: archive for archive in archives})


class Quiet:
    """Counts how often idle work asked whether it may go on; ``then`` happens at the third time."""

    def __init__(self, then: Any = None) -> None:
        self.times = 0
        self._then = then

    async def __call__(self) -> None:
        self.times += 1
        if self.times == 3 and self._then:
            self._then()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "BATCH_NUMPY", 2)
    monkeypatch.setattr(idle, "BATCH_PLAIN", 2)


def test_lengths_of_every_archive_are_loaded_piece_by_piece() -> None:
    archives, quiet = (indexed("a"), indexed("b")), Quiet()
    found = [archive._full_text.search("tide", 50) for archive in archives if archive._full_text]
    asyncio.run(IdleWork(quiet).run(shelf(*archives)))
    assert quiet.times > 8
    for archive, before in zip(archives, found, strict=True):
        assert [postings.lengths_missing for postings in archive.indexes] == [0]
        assert archive._full_text and archive._full_text.search("tide", 50) == before


def test_memory_has_an_end() -> None:
    archives = indexed("a"), indexed("b")
    asyncio.run(IdleWork(Quiet(), memory=2 * (DOCUMENTS + 1)).run(shelf(*archives)))
    assert [archive.indexes[0].lengths_held > 0 for archive in archives] == [True, False]


def test_an_archive_that_is_closed_meanwhile_is_left_alone() -> None:
    archive = indexed()
    held = shelf(archive)
    asyncio.run(IdleWork(Quiet(held.sources.clear)).run(held))
    assert archive.indexes[0].lengths_held == 0


def test_a_file_that_is_gone_ends_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    gone, there = indexed("a"), indexed("b")

    def refuse(*_: object) -> bytes:
        raise ArchiveAbsent("The file is gone.")

    monkeypatch.setattr(gone.indexes[0]._table.pool, "_reader", SimpleNamespace(read=refuse))
    gone.indexes[0]._table.pool._known.clear()
    asyncio.run(IdleWork(Quiet()).run(shelf(gone, there)))
    assert there.indexes[0].lengths_held


def test_a_search_is_rehearsed_once_for_each_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: the first question finds the upper blocks, the words and the parser ready."""
    archive, work = indexed(), IdleWork(Quiet())
    asyncio.run(work.run(shelf(archive)))
    assert len(archive._articles._known) == 1
    assert work.finished(shelf(archive)) and not work.finished(shelf(archive, indexed("b")))
    monkeypatch.setattr(ShelvedArchive, "rehearse", None)
    asyncio.run(work.run(shelf(archive)))


def test_only_one_runs_at_a_time() -> None:
    work, archive = IdleWork(Quiet()), indexed()

    async def twice() -> None:
        first = asyncio.ensure_future(work.run(shelf(archive)))
        await asyncio.sleep(0)
        await work.run(shelf(archive))
        assert archive.indexes[0].lengths_held == 0, "the second one waited for the first"
        await first

    asyncio.run(twice())
    assert archive.indexes[0].lengths_held
