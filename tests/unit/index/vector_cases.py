"""Vector files and queries, ordinary and hostile, that every vector kernel must answer alike."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cairn.index.kernel import VectorLayout, bitmap

OFFSET = 48  # rows need not start where a header would end


@dataclass
class Case:
    """Rows of int8 with their norms, and what is asked of them."""

    dimensions: int
    rows: list[list[int]]
    norms: list[float]
    searches: list[tuple[list[float], int, bytes | None]]

    def write(self, path: Path) -> VectorLayout:
        """Lay the case down as a file."""
        values = b"".join(array("b", row).tobytes() for row in self.rows)
        path.write_bytes(b"\xa5" * OFFSET + values + array("f", self.norms).tobytes())
        return VectorLayout(len(self.rows), self.dimensions, OFFSET, OFFSET + len(values))


def length(row: list[int]) -> float:
    return math.sqrt(sum(value * value for value in row)) or 1.0


def case(rows: list[list[int]], queries: list[list[float]], dimensions: int, limit: int = 20) -> Case:
    return Case(dimensions, rows, list(map(length, rows)), [(query, limit, None) for query in queries])


def row(rng: random.Random, dimensions: int) -> list[int]:
    values = [rng.gauss(0, 1) for _ in range(dimensions)]
    most = max(map(abs, values))
    return [round(127 * value / most) for value in values]


def query(rng: random.Random, dimensions: int, scale: float = 0.05) -> list[float]:
    return [rng.gauss(0, scale) for _ in range(dimensions)]


def ordinary(rng: random.Random) -> Case:
    rows = [row(rng, 384) for _ in range(900)]
    return case(rows, [query(rng, 384) for _ in range(4)] + [list(map(float, rows[7]))], 384, 40)


def one_cluster(rng: random.Random) -> Case:
    """Rows that differ by one unit somewhere: closer together than an int16 query can tell."""
    base = row(rng, 384)
    rows = []
    for _ in range(700):
        near = list(base)
        at = rng.randrange(384)
        near[at] = max(-128, min(127, near[at] + rng.choice((-1, 1))))
        rows.append(near)
    return case(rows, [[value / 900 for value in base], query(rng, 384, 1e-3), query(rng, 384)], 384)


def ties(rng: random.Random) -> Case:
    distinct = [row(rng, 16) for _ in range(5)]
    rows = [rng.choice(distinct) for _ in range(1000)]
    return case(rows, [query(rng, 16) for _ in range(5)], 16, 300)


def zeros(rng: random.Random) -> Case:
    """Rows without direction, and a query that is across every row but those."""
    rows = [row(rng, 16) if rng.random() < 0.5 else [0] * 16 for _ in range(200)]
    return case(rows, [query(rng, 16), [0.0] * 16, [-0.0] * 15 + [1e-30]], 16, 150)


def largest_values(rng: random.Random) -> Case:
    """The sums that come nearest to the ends of int32."""
    rows = [[rng.choice((-128, 127))] * 4096 for _ in range(9)] + [[-128, 127] * 2048]
    return case(rows, [[1.0] * 4096, [-1.0] * 4096, [3e38] * 4096], 4096, 4)


def foreign_norms(rng: random.Random) -> Case:
    """Norms that are not the rows' own: any scale is allowed, however absurd."""
    made = case([row(rng, 16) for _ in range(400)], [query(rng, 16) for _ in range(3)], 16, 10)
    made.norms = [norm * math.exp(rng.uniform(-9, 9)) for norm in made.norms]
    return made


def absurd_norms(rng: random.Random) -> Case:
    made = case([row(rng, 16) for _ in range(100)], [query(rng, 16) for _ in range(3)], 16, 10)
    made.norms = [rng.choice((1e-45, 1e-42, 1e-20, 1.0, 3e38)) for _ in made.norms]
    return made


def wide_exponents(rng: random.Random) -> Case:
    """Queries whose values cannot share one scale: exact sums need many limbs."""
    rows = [row(rng, 32) for _ in range(300)]
    rows += [[0] * 31 + [value] for value in (-1, 0, 1, 2)] * 5
    queries = [[rng.choice((-1, 1)) * 2.0 ** rng.randint(-140, 120) for _ in range(32)] for _ in range(6)]
    return case(rows, [*queries, query(rng, 32, 1e-42), query(rng, 32, 1e30)], 32, 30)


def none_and_one(rng: random.Random) -> Case:
    return case([row(rng, 384)], [query(rng, 384)], 384, 5)


def no_rows(rng: random.Random) -> Case:
    return case([], [query(rng, 16)], 16, 5)


def many_blocks(rng: random.Random) -> Case:
    """More rows than one block, rising, so that every row enters the best."""
    rows = sorted((row(rng, 16) for _ in range(9001)), key=lambda values: values[0])
    made = case(rows, [[1.0] + [0.0] * 15, query(rng, 16)], 16, 50)
    some = bitmap((at for at in range(9001) if at % 7 == 3 or 5000 <= at < 5020), 9001)
    late = bitmap(range(8990, 9001), 9001)
    made.searches += [
        (query(rng, 16), 33, some),
        (query(rng, 16), 33, late),
        (query(rng, 16), 33, bitmap((), 9001)),
        (query(rng, 16), 12, b"\xff" * 1126),  # bits past the last row are set
        (query(rng, 16), 10_000, some),
        (query(rng, 16), 0, None),
    ]
    return made


MAKERS: list[Callable[[random.Random], Case]] = [
    ordinary, one_cluster, ties, zeros, largest_values, foreign_norms, absurd_norms, wide_exponents,
    none_and_one, no_rows, many_blocks,
]  # fmt: skip


def cases() -> dict[str, Case]:
    """Every case by name; the same in every run."""
    return {maker.__name__: maker(random.Random(number)) for number, maker in enumerate(MAKERS)}
