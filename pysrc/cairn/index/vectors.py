"""The WBVE5Q8 vector file (FORMATS.md 1.4): reader, writer, and what a score is.

Layout, little-endian: 40 bytes of header, JSON metadata up to byte 4096, int8 rows, then one
float32 norm a row. Row i belongs to FTS rowid i + 1. The score of a row is
``dot(query, row) / (|query| * norm)``; the int8 values are any positive multiple of the vector,
here symmetric to +-127 per vector.

A float32 times an int8 is exact in a float64, and :func:`math.fsum` rounds the sum of exact terms
once, so :func:`score` gives the same number on every machine and in any order of summation. Every
search ranks by it.
"""

from __future__ import annotations

import json
import math
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from cairn.errors import PackInvalid
from cairn.protocol import load_json

MAGIC = b"WBVE5Q8\0"
VERSION = 1
DIMENSIONS = 384
HEADER_BYTES = 4096
_HEADER = struct.Struct("<8sIIIIQQ")
_NORM_BYTES = 4


@dataclass(frozen=True, slots=True)
class VectorHeader:
    """What the first 4,096 bytes say, checked."""

    dimensions: int
    count: int
    vector_offset: int
    norm_offset: int
    metadata: Mapping[str, Any]


def read_header(data: bytes, file_bytes: int) -> VectorHeader:
    """Check the first 4,096 bytes of a vector file of ``file_bytes`` bytes.

    Raises PackInvalid naming the field that is wrong.
    """
    if len(data) < HEADER_BYTES:
        raise _invalid("it is shorter than its header")
    magic, version, dimensions, count, header, vectors, norms = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise _invalid("it is not a WBVE5Q8 file")
    if version != VERSION:
        raise _invalid(f"its format version is {version}, not {VERSION}")
    if not 0 < dimensions <= 4096:
        raise _invalid(f"it says {dimensions} dimensions")
    if header != HEADER_BYTES or vectors != HEADER_BYTES:
        raise _invalid("its vectors do not start after a 4,096-byte header")
    if norms != vectors + count * dimensions:
        raise _invalid("its norms do not start where its vectors end")
    if file_bytes != norms + count * _NORM_BYTES:
        raise _invalid(f"it has {file_bytes} bytes, not {norms + count * _NORM_BYTES}")
    metadata = _metadata(data[_HEADER.size : HEADER_BYTES])
    for field, value in (("passageCount", count), ("dimensions", dimensions)):
        if metadata.get(field) != value:
            raise _invalid(f"its metadata gives {field} as {metadata.get(field)!r}, not {value}")
    return VectorHeader(dimensions, count, vectors, norms, metadata)


def _metadata(data: bytes) -> Mapping[str, Any]:
    # The JSON starts at byte 64; the bytes between the header and it are reserved.
    text, found, _ = data[64 - _HEADER.size :].partition(b"\0")
    if not found:
        raise _invalid("its metadata does not end")
    try:
        metadata = load_json(text.decode("utf-8"))
    except ValueError as error:
        raise _invalid("its metadata is not JSON") from error
    if not isinstance(metadata, dict):
        raise _invalid("its metadata is not an object")
    return metadata


def _invalid(reason: str) -> PackInvalid:
    return PackInvalid(f"The vector file is not usable: {reason}.", hint="Get the pack again from its maker.")


class VectorFile:
    """An opened vector file: rows on demand, norms in memory (4 bytes a row)."""

    def __init__(self, path: str | Path) -> None:
        self._file: BinaryIO = Path(path).open("rb")  # noqa: SIM115 - closed by close()
        try:
            size = self._file.seek(0, 2)
            self._file.seek(0)
            self.header = read_header(self._file.read(HEADER_BYTES), size)
            self._file.seek(self.header.norm_offset)
            self.norms = array("f")
            self.norms.frombytes(self._file.read())
            if not all(0.0 < norm < math.inf for norm in self.norms):
                raise _invalid("a norm is zero, negative or not a number")
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file; further reads raise ValueError."""
        self._file.close()

    def rows(self, first: int, count: int) -> bytes:
        """``count`` rows of int8[dimensions] from row ``first`` on, as raw bytes."""
        self._file.seek(self.header.vector_offset + first * self.header.dimensions)
        return self._file.read(count * self.header.dimensions)

    def values(self, rows: Sequence[int]) -> list[array[int]]:
        """The int8 values of single rows, in the order asked."""
        return [array("b", self.rows(row, 1)) for row in rows]

    def blocks(self, rows: int = 4096) -> Iterator[tuple[int, bytes]]:
        """``(first row, raw bytes)`` of all rows in blocks of at most ``rows``."""
        for first in range(0, self.header.count, rows):
            yield first, self.rows(first, min(rows, self.header.count - first))


def query_norm(query: Sequence[float]) -> float:
    """Length of a query vector."""
    return math.sqrt(math.fsum(value * value for value in query))


def score(query: Sequence[float], length: float, row: Sequence[int], norm: float) -> float:
    """Cosine of a query of this length with an int8 row, correctly rounded; see the module."""
    return math.fsum(map(float.__mul__, query, map(float, row))) / (length * norm)


def quantise(vector: Sequence[float]) -> tuple[bytes, float]:
    """A vector as int8 values scaled to +-127, and the norm of those values.

    Raises ValueError for a zero vector or one with a value that is no number.
    """
    largest = max(map(abs, vector), default=0.0)
    if not 0.0 < largest < math.inf:
        raise ValueError("a vector must have a finite value other than zero")
    scale = 127.0 / largest
    values = array("b", [round(value * scale) for value in vector])
    return values.tobytes(), math.sqrt(sum(value * value for value in values))


def write_vectors(
    file: BinaryIO, metadata: Mapping[str, Any], dimensions: int, rows: BinaryIO, norms: array[float]
) -> None:
    """Write a whole vector file: ``rows`` has the int8 rows of :func:`quantise`, ``norms`` their norms.

    Raises ValueError when the two do not have the same number of rows.
    """
    count = len(norms)
    if rows.seek(0, 2) != count * dimensions:
        raise ValueError(f"there are {count} norms for {rows.tell() / dimensions} rows")
    file.write(header_bytes(count, metadata, dimensions))
    rows.seek(0)
    while piece := rows.read(1 << 20):
        file.write(piece)
    file.write(norms.tobytes())


def header_bytes(count: int, metadata: Mapping[str, Any], dimensions: int = DIMENSIONS) -> bytes:
    """The first 4,096 bytes of a vector file; raises ValueError when the metadata does not fit."""
    norms = HEADER_BYTES + count * dimensions
    described = {"passageCount": count, "dimensions": dimensions, **metadata}
    text = json.dumps(described, ensure_ascii=False, sort_keys=True).encode()
    header = _HEADER.pack(MAGIC, VERSION, dimensions, count, HEADER_BYTES, HEADER_BYTES, norms)
    head = header.ljust(64, b"\0") + text
    if len(head) >= HEADER_BYTES:
        raise ValueError("the metadata does not fit into the header")
    return head.ljust(HEADER_BYTES, b"\0")


class VectorWriter:
    """Writes a vector file row by row; the count must be known, it stands in the header."""

    def __init__(
        self,
        file: BinaryIO,
        count: int,
        metadata: Mapping[str, Any],
        dimensions: int = DIMENSIONS,
    ) -> None:
        self._file = file
        self._count = count
        self._dimensions = dimensions
        self._norms = array("f")
        file.write(header_bytes(count, metadata, dimensions))

    def add(self, vector: Sequence[float]) -> None:
        """Append the vector of the next row; raises ValueError when its length is wrong."""
        if len(vector) != self._dimensions:
            raise ValueError(f"a vector has {len(vector)} dimensions, not {self._dimensions}")
        values, norm = quantise(vector)
        self._file.write(values)
        self._norms.append(norm)

    def finish(self) -> None:
        """Write the norms; raises ValueError when rows are missing."""
        if len(self._norms) != self._count:
            raise ValueError(f"{len(self._norms)} of {self._count} vectors were written")
        self._file.write(self._norms.tobytes())
