"""The kernel's port on CPython: exact, alike with and without numpy, filtered, interruptible."""

from __future__ import annotations

import asyncio
import random
from array import array
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.index.kernel import VectorLayout, bitmap, run, run_in_steps
from cairn.index.kernel_file import FileKernel, Way
from cairn.index.types import Hit
from cairn.index.vectors import query_norm, read_header, score
from tests.unit.index import vector_cases
from tests.unit.index.vector_cases import Case

CASES = vector_cases.cases()


@pytest.fixture(params=["numpy", "python"])
def kernel(request: pytest.FixtureRequest) -> FileKernel:
    way: Way = request.param
    if way == "numpy":
        pytest.importorskip("numpy")
    return FileKernel(way)


def brute(case: Case, query: list[float], limit: int, allowed: bytes | None) -> list[Hit]:
    """The definition: every allowed row scored exactly, sorted."""
    wanted = array("f", query)
    length = query_norm(wanted)
    if not length:
        return []
    norms = array("f", case.norms)
    found = [
        (-score(wanted, length, row, norms[at]), at)
        for at, row in enumerate(case.rows)
        if allowed is None or allowed[at >> 3] >> (at & 7) & 1
    ]
    return [Hit(at, -value) for value, at in sorted(found)[:limit]]


@pytest.mark.parametrize("name", list(CASES))
def test_every_case_is_exact(name: str, kernel: FileKernel, tmp_path: Path) -> None:
    """Intent: ids, order and scores are those of the definition, whatever the data."""
    case = CASES[name]
    kernel.load("case", str(tmp_path / "v"), case.write(tmp_path / "v"))
    for query, limit, allowed in case.searches:
        hits = kernel.search("case", array("f", query), limit, allowed)
        assert hits == brute(case, query, limit, allowed)
    kernel.unload("case")


def test_what_does_not_fit_is_refused(kernel: FileKernel, tmp_path: Path) -> None:
    """Intent: a mistake of the caller or of a file is an error that says so, not a wrong answer."""
    case = CASES["none_and_one"]
    path = tmp_path / "v"
    layout = case.write(path)
    with pytest.raises(KeyError):
        kernel.search("case", array("f", [1.0]), 5)
    kernel.load("case", str(path), layout)
    with pytest.raises(ValueError, match="dimensions"):
        kernel.search("case", array("f", [1.0]), 5)
    with pytest.raises(ValueError, match="no number"):
        kernel.search("case", array("f", [float("nan")] * 384), 5)
    with pytest.raises(ValueError, match="filter"):
        kernel.search("case", array("f", [1.0] * 384), 5, b"")
    with pytest.raises(PackInvalid, match="ends early"):
        kernel.load("case", str(path), VectorLayout(2, 384, layout.offset, layout.norms))
    assert len(kernel.search("case", array("f", [1.0] * 384), 5)) == 1, "the older file stays"
    path.write_bytes(path.read_bytes()[:-4] + b"\0" * 4)
    with pytest.raises(PackInvalid, match="norm"):
        kernel.load("other", str(path), layout)
    kernel.unload("case")
    kernel.unload("case")


def test_a_layout_comes_from_a_header(tmp_path: Path) -> None:
    """Intent: a published file is loaded without its numbers being typed again."""
    from cairn.index.vectors import VectorWriter

    with (tmp_path / "v").open("wb") as file:
        writer = VectorWriter(file, 2, {}, 16)
        writer.add([1.0] * 16)
        writer.add([1.0, *[0.0] * 15])
        writer.finish()
    data = (tmp_path / "v").read_bytes()
    layout = VectorLayout.of(read_header(data[:4096], len(data)))
    kernel = FileKernel("python")
    kernel.load("v", str(tmp_path / "v"), layout)
    hits = kernel.search("v", array("f", [1.0, *[0.0] * 15]), 2)
    assert [(hit.row, round(hit.score, 3)) for hit in hits] == [(1, 1.0), (0, 0.25)]
    kernel.unload("v")


def test_bitmaps_hold_what_was_put_in() -> None:
    """Intent: lowest bit first, whole bytes."""
    rng = random.Random(1)
    for count in (0, 1, 8, 9, 100):
        rows = {at for at in range(count) if rng.random() < 0.3}
        bits = bitmap(rows, count)
        assert len(bits) == -(-count // 8)
        assert rows == {at for at in range(count) if bits[at >> 3] >> (at & 7) & 1}


class Counting:
    """A search of some steps that notes what becomes of it."""

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.closed = 0

    def step(self, rows: int) -> bool:
        self.left -= 1
        return self.left == 0

    def hits(self) -> list[Hit]:
        return [Hit(3, 0.5)]

    def close(self) -> None:
        self.closed += 1


def test_a_search_yields_and_can_be_cancelled_in_between() -> None:
    """Intent: a stop is heard within one step, and what the search held is given back."""
    pauses = iter(range(100))

    async def pause() -> None:
        if next(pauses) == 5:
            raise asyncio.CancelledError
        await asyncio.sleep(0)

    scan = Counting(3)
    assert asyncio.run(run_in_steps(scan, pause)) == [Hit(3, 0.5)]
    assert scan.closed == 1 and next(pauses) == 2
    scan = Counting(50)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run_in_steps(scan, pause))
    assert scan.closed == 1 and scan.left > 40


def test_a_search_at_once_is_closed_too() -> None:
    """Intent: no area of the kernel's memory is lost to an error."""

    class Failing(Counting):
        def step(self, rows: int) -> bool:
            raise KeyboardInterrupt

    scan = Counting(2)
    assert run(scan) == [Hit(3, 0.5)] and scan.closed == 1
    failing = Failing(2)
    with pytest.raises(KeyboardInterrupt):
        run(failing)
    assert failing.closed == 1
