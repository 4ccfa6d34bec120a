"""Vector files: what is written can be read, what is wrong is refused, and search is exact."""

from __future__ import annotations

import io
import json
import math
import random
import struct
from array import array
from pathlib import Path

import pytest

from cairn.errors import PackInvalid
from cairn.index import vector_search
from cairn.index.vector_search import VectorIndex, best_rows
from cairn.index.vectors import (
    HEADER_BYTES,
    VectorFile,
    VectorWriter,
    quantise,
    query_norm,
    read_header,
    score,
)

META = {"clientModelId": "test", "clientModelRevision": "1", "clientModelDtype": "q8"}


def unit(rng: random.Random, dimensions: int) -> list[float]:
    values = [rng.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def write(path: Path, vectors: list[list[float]], dimensions: int = 384) -> Path:
    with path.open("wb") as file:
        writer = VectorWriter(file, len(vectors), META, dimensions)
        for vector in vectors:
            writer.add(vector)
        writer.finish()
    return path


def test_layout_is_the_published_one(tmp_path: Path) -> None:
    """Intent: FORMATS 1.4, byte for byte."""
    rng = random.Random(1)
    data = write(tmp_path / "v.bin", [unit(rng, 384) for _ in range(5)]).read_bytes()
    assert data[:8] == b"WBVE5Q8\0"
    assert struct.unpack_from("<IIIIQQ", data, 8) == (1, 384, 5, 4096, 4096, 4096 + 5 * 384)
    assert len(data) == 4096 + 5 * (384 + 4)
    metadata = json.loads(data[64:4096].split(b"\0")[0])
    assert metadata == {"passageCount": 5, "dimensions": 384, **META}
    row = array("b", data[4096 : 4096 + 384])
    assert max(map(abs, row)) == 127
    (norm,) = struct.unpack_from("<f", data, 4096 + 5 * 384)
    assert norm == pytest.approx(math.sqrt(sum(value * value for value in row)))


def test_quantising_keeps_the_direction() -> None:
    """Intent: eight bits cost less than a thousandth of cosine; zeros are refused."""
    rng = random.Random(2)
    for _ in range(20):
        vector = unit(rng, 384)
        values, norm = quantise(vector)
        assert score(vector, query_norm(vector), array("b", values), norm) > 0.9995
    for bad in ([0.0] * 4, [], [math.inf, 1.0], [math.nan, math.nan]):
        with pytest.raises(ValueError, match="finite"):
            quantise(bad)


def test_writer_checks_itself() -> None:
    """Intent: a file that does not match its header cannot be made."""
    writer = VectorWriter(io.BytesIO(), 2, META, 4)
    with pytest.raises(ValueError, match="dimensions"):
        writer.add([1.0])
    writer.add([1.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="1 of 2"):
        writer.finish()
    with pytest.raises(ValueError, match="fit"):
        VectorWriter(io.BytesIO(), 1, {"x": "y" * 5000})


def patched(data: bytes, offset: int, value: bytes) -> bytes:
    return data[:offset] + value + data[offset + len(value) :]


def test_every_field_is_checked(tmp_path: Path) -> None:
    """Intent: a wrong vector file is refused with the field's name, whatever is wrong."""
    good = write(tmp_path / "v.bin", [[1.0, 2.0, 3.0, 4.0]] * 3, 4).read_bytes()
    norms = HEADER_BYTES + 12
    wrong = {
        "WBVE5Q8": patched(good, 0, b"X"),
        "version": patched(good, 8, struct.pack("<I", 2)),
        "dimensions": patched(good, 12, struct.pack("<I", 0)),
        "norms do not start": patched(good, 16, struct.pack("<I", 4)),
        "4,096-byte header": patched(good, 20, struct.pack("<I", 64)),
        "bytes, not": good + b"\0",
        "does not end": patched(good, 64, b" " * (HEADER_BYTES - 64)),
        "not JSON": patched(good, 64, b"{,"),
        "not an object": patched(good, 64, b"[]\0"),
        "passageCount": patched(good, 64, b'{"passageCount":4,"dimensions":4}\0'),
        "shorter": good[:100],
        "norm is": patched(good, norms, struct.pack("<f", 0.0)),
        "is zero, negative": patched(good, norms, struct.pack("<f", math.nan)),
    }
    for reason, data in wrong.items():
        path = tmp_path / "wrong.bin"
        path.write_bytes(data)
        with pytest.raises(PackInvalid) as caught:
            VectorFile(path)
        assert reason in caught.value.message, reason
    assert read_header(good[:HEADER_BYTES], len(good)).count == 3


def brute(vectors: list[list[float]], query: array[float], limit: int) -> list[int]:
    scored = []
    for row, vector in enumerate(vectors):
        values, norm = quantise(vector)
        stored = array("f", [norm])[0]
        scored.append((-score(query, query_norm(query), array("b", values), stored), row))
    return [row for _, row in sorted(scored)[:limit]]


def test_search_is_exact_with_ties_by_row(tmp_path: Path) -> None:
    """Intent: the true best k, repeated vectors in row order."""
    rng = random.Random(3)
    vectors = [unit(rng, 48) for _ in range(300)]
    vectors[200] = vectors[10] = vectors[123] = vectors[299]
    index = VectorIndex(write(tmp_path / "v.bin", vectors, 48))
    for number in range(20):
        query = array("f", vectors[299] if number == 0 else unit(rng, 48))
        hits = index.search(query, 12)
        assert [hit.row for hit in hits] == brute(vectors, query, 12)
        if number == 0:
            assert [hit.row for hit in hits[:4]] == [10, 123, 200, 299]
            assert hits[0].score == pytest.approx(1, abs=1e-3)
    assert len(index.search(query, 1000)) == 300
    assert index.search(query, 0) == [] and index.search(array("f", [0.0] * 48), 5) == []
    with pytest.raises(ValueError, match="dimensions"):
        index.search(array("f", [1.0]), 3)
    index.close()


def test_numpy_and_plain_python_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: loading numpy may never change an answer: same ids, order and scores."""
    pytest.importorskip("numpy")
    from cairn.index import vectors_numpy

    rng = random.Random(4)
    base = [unit(rng, 384) for _ in range(40)]
    vectors = [base[rng.randrange(40)] if rng.random() < 0.3 else unit(rng, 384) for _ in range(2500)]
    path = write(tmp_path / "v.bin", vectors)
    index = VectorIndex(path)
    for number in range(8):
        query = array("f", base[number] if number % 2 else unit(rng, 384))
        with_numpy = index.search(query, 40)
        monkeypatch.setattr(vector_search, "_numpy_way", lambda: None)
        assert index.search(query, 40) == with_numpy
        monkeypatch.undo()
    plain = best_rows(VectorFile(path).blocks(512), VectorFile(path).norms, query, 40, 1e-9)
    assert vectors_numpy.best_rows(
        VectorFile(path).blocks(700), VectorFile(path).norms, query, 40, 1e-9
    ) == sorted(plain)


def test_large_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: memory stays flat when a file is too large to keep."""
    rng = random.Random(5)
    vectors = [unit(rng, 16) for _ in range(100)]
    kept = VectorIndex(write(tmp_path / "v.bin", vectors, 16))
    monkeypatch.setattr(VectorIndex, "KEPT_BYTES", 10)
    streamed = VectorIndex(tmp_path / "v.bin")
    query = array("f", unit(rng, 16))
    assert streamed.search(query, 10) == kept.search(query, 10)
    assert streamed._kept is None
