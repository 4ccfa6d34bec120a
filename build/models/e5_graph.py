"""multilingual-e5 (a BERT encoder) as an ONNX graph: fp32, q8 for WASM, q4 for WebGPU.

`q8` runs its matrix products in int8 on the CPU (no WebGPU kernel exists for them); `q4` keeps
the packed 4-bit weights bit for bit and puts 366 of 375 nodes on WebGPU.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from build.models.e5_weights import BLOCK, E5Weights
from build.models.onnx_graph import FLOAT, INT64, MICROSOFT, Graph, int8_product, int8_weights, value_info

Kind = Literal["fp32", "q8", "q4"]

_EPSILON = 1e-12  # of every layer normalisation


def write(model: E5Weights, kind: Kind, path: Path) -> None:
    """Write the encoder: input_ids and attention_mask in, last_hidden_state out."""
    encoder = _Encoder(model, kind)
    x = encoder.embeddings()
    encoder.mask()
    for layer in range(model.layers):
        x = encoder.layer(layer, x)
    batch = ("batch_size", "sequence_length")
    inputs = [value_info(name, INT64, batch) for name in ("input_ids", "attention_mask")]
    outputs = [value_info("last_hidden_state", FLOAT, (*batch, model.hidden))]
    encoder.graph.save(path, "multilingual-e5", inputs, outputs, opset=20, ir=9)


class _Encoder:
    """Adds the parts of the encoder to one graph."""

    def __init__(self, model: E5Weights, kind: Kind) -> None:
        self.graph, self._model, self._kind = Graph(), model, kind

    def embeddings(self) -> str:
        """Word plus position embeddings, normalised; token type 0 is folded into the positions."""
        graph, model = self.graph, self._model
        words = self._dense_words() if self._kind == "fp32" else self._packed_words()
        positions = model.floats("emb.pos").reshape(-1, model.hidden)
        types = model.floats("emb.type").reshape(-1, model.hidden)
        graph.tensor("emb.pos", positions + types[0])
        for name, value in (("zero", [0]), ("first", [1]), ("second", [2])):
            graph.constant(name, value)
        graph.node("Shape", ["input_ids"], "shape")
        graph.node("Slice", ["shape", "first", "second"], "length")
        graph.node("Slice", ["emb.pos", "zero", "length", "zero"], "emb.positions")
        graph.node("Add", [words, "emb.positions"], "emb.sum")
        return self._normalise("emb.sum", "emb.ln", "x0")

    def _dense_words(self) -> str:
        self.graph.tensor("emb.word", self._model.dense("emb.word", self._model.hidden))
        return self.graph.node("Gather", ["emb.word", "input_ids"], "emb.words")

    def _packed_words(self) -> str:
        """Look words up in the 4-bit table with standard operators.

        GatherBlockQuantized would do it in one, but onnxruntime-web's WebGPU builds have no CPU
        kernel for it. Scales are fp32: an fp16 tensor anywhere needs the shader-f16 feature.
        """
        graph, hidden = self.graph, self._model.hidden
        codes, scales = self._model.nibbles("emb.word", hidden)
        graph.tensor("emb.word.Q", _pack(codes))
        graph.tensor("emb.word.S", scales)
        graph.constant("low", 15, np.uint8)
        graph.constant("shift", 4, np.uint8)
        graph.constant("middle", 8, np.float32)
        graph.constant("last", [3])
        graph.constant("to_blocks", [0, 0, hidden // BLOCK, BLOCK])
        graph.constant("to_hidden", [0, 0, hidden])
        graph.node("Gather", ["emb.word.Q", "input_ids"], "emb.bytes")
        graph.node("BitwiseAnd", ["emb.bytes", "low"], "emb.low")
        graph.node("BitShift", ["emb.bytes", "shift"], "emb.high", direction="RIGHT")
        graph.node("Unsqueeze", ["emb.low", "last"], "emb.low1")
        graph.node("Unsqueeze", ["emb.high", "last"], "emb.high1")
        graph.node("Concat", ["emb.low1", "emb.high1"], "emb.codes", axis=3)
        graph.node("Cast", ["emb.codes"], "emb.codes_f", to=FLOAT)
        graph.node("Sub", ["emb.codes_f", "middle"], "emb.centred")
        graph.node("Reshape", ["emb.centred", "to_blocks"], "emb.blocks")
        graph.node("Gather", ["emb.word.S", "input_ids"], "emb.scales")
        graph.node("Unsqueeze", ["emb.scales", "last"], "emb.scales1")
        graph.node("Mul", ["emb.blocks", "emb.scales1"], "emb.product")
        return graph.node("Reshape", ["emb.product", "to_hidden"], "emb.words")

    def mask(self) -> None:
        """Turn the attention mask into a term added to the attention scores [batch, 1, 1, length]."""
        graph, model = self.graph, self._model
        graph.constant("mask_axes", [1, 2])
        graph.constant("one", 1, np.float32)
        graph.constant("minus_much", -10000.0, np.float32)
        graph.constant("to_heads", [0, 0, model.heads, model.hidden // model.heads])
        graph.constant("from_heads", [0, 0, model.hidden])
        graph.constant("head_scale", 1 / np.sqrt(model.hidden // model.heads), np.float32)
        graph.node("Unsqueeze", ["attention_mask", "mask_axes"], "mask4")
        graph.node("Cast", ["mask4"], "mask_f", to=FLOAT)
        graph.node("Sub", ["one", "mask_f"], "hidden_tokens")
        graph.node("Mul", ["hidden_tokens", "minus_much"], "mask")

    def layer(self, index: int, x: str) -> str:
        """Add one encoder layer; the last one's output is the graph's."""
        graph, model, p = self.graph, self._model, f"l{index}."
        context = self._attention(p, x)
        attended = self._linear(context, f"{p}ao", model.hidden, model.hidden)
        graph.node("Add", [x, attended], f"{p}sum1")
        x = self._normalise(f"{p}sum1", f"{p}aln", f"{p}x1")
        inner = self._linear(x, f"{p}fi", model.feed_forward, model.hidden)
        graph.node("Gelu", [inner], f"{p}gelu")
        outer = self._linear(f"{p}gelu", f"{p}fo", model.hidden, model.feed_forward)
        graph.node("Add", [x, outer], f"{p}sum2")
        is_last = index == model.layers - 1
        return self._normalise(f"{p}sum2", f"{p}oln", "last_hidden_state" if is_last else f"{p}x2")

    def _attention(self, p: str, x: str) -> str:
        graph, hidden = self.graph, self._model.hidden
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            self._linear(x, p + part, hidden, hidden)
            graph.node("Reshape", [p + part, "to_heads"], f"{p}{part}4")
            graph.node("Transpose", [f"{p}{part}4"], f"{p}{part}t", perm=order)
        graph.node("MatMul", [f"{p}qt", f"{p}kt"], f"{p}scores")
        graph.node("Mul", [f"{p}scores", "head_scale"], f"{p}scaled")
        graph.node("Add", [f"{p}scaled", "mask"], f"{p}masked")
        graph.node("Softmax", [f"{p}masked"], f"{p}weights", axis=-1)
        graph.node("MatMul", [f"{p}weights", f"{p}vt"], f"{p}context4")
        graph.node("Transpose", [f"{p}context4"], f"{p}context_t", perm=[0, 2, 1, 3])
        return graph.node("Reshape", [f"{p}context_t", "from_heads"], f"{p}context")

    def _linear(self, x: str, name: str, rows: int, columns: int) -> str:
        """Add x · Wᵀ + b for the weights `name.w` [rows, columns]; the result is called `name`."""
        graph, model, weights = self.graph, self._model, f"{name}.w"
        product = f"{name}.product"
        if self._kind == "q4":
            codes, scales = model.nibbles(weights, columns)
            graph.tensor(f"{weights}.Q", _pack(codes.reshape(rows, columns // BLOCK, BLOCK)))
            graph.tensor(f"{weights}.S", scales.reshape(-1))
            inputs = [x, f"{weights}.Q", f"{weights}.S"]
            shape = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": 4}
            graph.node("MatMulNBits", inputs, product, domain=MICROSOFT, **shape)
        elif self._kind == "q8":
            int8_weights(graph, weights, model.dense(weights, columns))
            int8_product(graph, x, weights, product)
        else:
            graph.node("MatMul", [x, graph.tensor(weights, model.dense(weights, columns).T)], product)
        graph.tensor(f"{name}.b", model.floats(f"{name}.b"))
        return graph.node("Add", [product, f"{name}.b"], name)

    def _normalise(self, x: str, name: str, out: str) -> str:
        for part in ("w", "b"):
            self.graph.tensor(f"{name}.{part}", self._model.floats(f"{name}.{part}"))
        inputs = [x, f"{name}.w", f"{name}.b"]
        return self.graph.node("LayerNormalization", inputs, out, axis=-1, epsilon=_EPSILON)


def _pack(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pack 4-bit codes in pairs: the even one below, the odd one above."""
    return codes[..., 0::2] | np.left_shift(codes[..., 1::2], np.uint8(4))
