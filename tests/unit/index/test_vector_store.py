"""A source's vectors: the kernel where it can, codes where room is short, the file where neither goes."""

from __future__ import annotations

import asyncio
import random
from array import array
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.index.kernel import Keep, VectorLayout, VectorScan, bitmap
from cairn.index.kernel_file import FileKernel
from cairn.index.types import Hit
from cairn.index.vector_store import StoredVectors, VectorRoom
from cairn.index.vectors import VectorWriter

ROWS = 60


class Memory:
    """A kernel over the reference that has room for codes only, or for nothing."""

    def __init__(self, room: tuple[Keep, ...] = ("rows", "codes")) -> None:
        self.inner = FileKernel("python")
        self.room = room
        self.log: list[str] = []

    def load(self, key: str, path: str, layout: VectorLayout, keep: Keep = "rows") -> None:
        self.log.append(f"load {keep}")
        if keep not in self.room:
            raise MemoryError
        self.inner.load(key, path, layout, keep)

    def unload(self, key: str) -> None:
        self.log.append("unload")
        self.inner.unload(key)

    def begin(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> VectorScan:
        self.log.append("begin")
        return self.inner.begin(key, query, limit, allowed)

    def search(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> list[Hit]:
        self.log.append("search")
        return self.inner.search(key, query, limit, allowed)


def write(path: Path, dimensions: int = 32) -> tuple[str, array[float]]:
    rng = random.Random(dimensions)
    with path.open("wb") as file:
        writer = VectorWriter(file, ROWS, {}, dimensions)
        for _ in range(ROWS):
            writer.add([rng.gauss(0, 1) for _ in range(dimensions)])
        writer.finish()
    return str(path), array("f", [rng.gauss(0, 1) for _ in range(dimensions)])


@pytest.mark.parametrize("allowed", [None, bitmap(range(0, ROWS, 3), ROWS)])
def test_every_way_gives_the_same_hits(tmp_path: Path, allowed: bytes | None) -> None:
    """Intent: what a device has room for changes no ranking."""
    path, query = write(tmp_path / "v")
    ways = {}
    for room in ((), ("codes",), ("rows", "codes")):
        kernel = Memory(room)
        store = VectorRoom(kernel)
        vectors = StoredVectors(path, "v", store)
        assert not kernel.log, "nothing is loaded before it is needed"
        hits = vectors.search(query, 9, allowed)
        assert hits == asyncio.run(vectors.search_in_steps(query, 9, allowed))
        ways[store.ways["v"]] = hits
        vectors.close()
        vectors.close()
    assert list(ways) == ["file", "codes", "rows"]
    assert ways["file"] == ways["codes"] == ways["rows"]
    assert len(ways["file"]) == 9
    if allowed is not None:
        assert all(hit.row % 3 == 0 for hit in ways["file"])


def test_dimensions_that_the_kernel_cannot_take_are_read_by_python(tmp_path: Path) -> None:
    """Intent: a pack of another model is searched all the same."""
    path, query = write(tmp_path / "v", 20)
    kernel = Memory()
    store = VectorRoom(kernel)
    vectors = StoredVectors(path, "v", store)
    assert len(vectors.search(query, 5)) == 5
    assert not kernel.log and store.ways == {"v": "file"}
    vectors.close()


def test_room_is_shared(tmp_path: Path) -> None:
    """Intent: what does not fit beside the others is kept as codes, and room that is left is used again."""
    path, query = write(tmp_path / "v")
    kernel = Memory()
    store = VectorRoom(kernel, budget=ROWS * 32)
    first, second = StoredVectors(path, "a", store), StoredVectors(path, "b", store)
    first.search(query, 1)
    second.search(query, 1)
    assert store.ways == {"a": "rows", "b": "codes"}
    first.close()
    third = StoredVectors(path, "c", store)
    third.search(query, 1)
    assert store.ways == {"b": "codes", "c": "rows"}
    second.close()
    third.close()
    assert not store.ways and not store.used


def test_a_file_that_is_none_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    """Intent: a damaged pack is reported at the start, not in the middle of a question."""
    (tmp_path / "v").write_bytes(b"nothing")
    with pytest.raises(PackInvalid):
        StoredVectors(str(tmp_path / "v"), "v", VectorRoom(Memory()))
