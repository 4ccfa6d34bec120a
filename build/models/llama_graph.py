"""SmolLM2 (llama architecture) as an ONNX decoder: q8 for WASM, 8-bit MatMulNBits for WebGPU.

On WASM MatMulNBits unpacks each matrix on every call (0.7 tokens a second); on WebGPU int8
products have no kernel. So each device has its own file. Embedding and output head share one
tensor in both.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from build.models.llama_weights import BLOCK, LlamaWeights
from build.models.onnx_graph import FLOAT, INT64, MICROSOFT, Graph, int8_product, int8_weights, value_info

Kind = Literal["q8", "nbits8"]


def write(model: LlamaWeights, kind: Kind, path: Path) -> None:
    """Write the decoder with its key/value cache as inputs and outputs."""
    decoder = _Decoder(model, kind)
    stream, normed = decoder.embeddings(), ""
    decoder.lengths_and_rotation()
    normed = decoder.first_norm(stream)
    for layer in range(model.layers):
        stream, normed = decoder.layer(layer, stream, normed)
    decoder.head(normed)
    inputs, outputs = _signature(model)
    decoder.graph.save(path, "smollm2", inputs, outputs, opset=21, ir=10)


class _Decoder:
    """Adds the parts of the decoder to one graph."""

    def __init__(self, model: LlamaWeights, kind: Kind) -> None:
        self.graph, self._model, self._kind = Graph(), model, kind

    def embeddings(self) -> str:
        """Look the tokens up in the shared 8-bit matrix."""
        graph, model = self.graph, self._model
        codes, scales = model.embedding()
        graph.constant("middle", 128, np.float32)
        if self._kind == "q8":  # [hidden, vocabulary], so that the head multiplies by the same tensor
            dense = (codes.astype(np.float32) - 128).reshape(model.vocabulary, model.hidden)
            int8_weights(graph, "embed", dense * np.repeat(scales, BLOCK, 1))
            graph.constant("axis2", [2])
            graph.node("Gather", ["embed.Q", "input_ids"], "emb.columns", axis=1)
            graph.node("Transpose", ["emb.columns"], "emb.codes", perm=[1, 2, 0])
            scale_axis = "axis2"
        else:
            graph.tensor("embed.Q", codes)
            graph.tensor("embed.S", scales)
            graph.constant("axis3", [3])
            graph.node("Gather", ["embed.Q", "input_ids"], "emb.codes")
            scale_axis = "axis3"
        graph.node("Cast", ["emb.codes"], "emb.codes_f", to=FLOAT)
        graph.node("Sub", ["emb.codes_f", "middle"], "emb.centred")
        graph.node("Gather", ["embed.S", "input_ids"], "emb.scales")
        graph.node("Unsqueeze", ["emb.scales", scale_axis], "emb.scales1")
        if self._kind == "q8":
            return graph.node("Mul", ["emb.centred", "emb.scales1"], "x0")
        graph.constant("to_hidden", [0, 0, model.hidden])
        graph.node("Mul", ["emb.centred", "emb.scales1"], "emb.blocks")
        return graph.node("Reshape", ["emb.blocks", "to_hidden"], "x0")

    def lengths_and_rotation(self) -> None:
        """Add what GroupQueryAttention wants beside queries, keys and values."""
        graph = self.graph
        graph.constant("one", [1])
        graph.constant("index1", 1)
        graph.node("ReduceSum", ["attention_mask", "one"], "mask_sum", keepdims=0)
        graph.node("Sub", ["mask_sum", "one"], "last_position")
        graph.node("Cast", ["last_position"], "seqlens_k", to=6)  # int32
        graph.node("Shape", ["attention_mask"], "mask_shape")
        graph.node("Gather", ["mask_shape", "index1"], "mask_length", axis=0)
        graph.node("Cast", ["mask_length"], "total_length", to=6)
        angles = _rotation_angles(self._model)
        graph.tensor("cos", np.cos(angles).astype(np.float32))
        graph.tensor("sin", np.sin(angles).astype(np.float32))

    def first_norm(self, stream: str) -> str:
        """Normalise before the first layer; later norms are fused with the residual sum."""
        gain = self._gain("blk.0.attn_norm.weight")
        options = {"axis": -1, "epsilon": self._model.epsilon, "stash_type": 1}
        return self.graph.node("SimplifiedLayerNormalization", [stream, gain], "n0", **options)

    def layer(self, index: int, stream: str, normed: str) -> tuple[str, str]:
        """Add one layer; return the residual stream and its normalised form for the next one."""
        block, p, is_last = f"blk.{index}.", f"l{index}.", index + 1 == self._model.layers
        attended = self._attention(index, normed)
        self._add_and_norm([stream, attended], f"{block}ffn_norm.weight", f"{p}n", f"{p}r1")
        down = self._feed_forward(block, p)
        next_norm = "output_norm.weight" if is_last else f"blk.{index + 1}.attn_norm.weight"
        after = "" if is_last else f"{p}r2"
        self._add_and_norm([f"{p}r1", down], next_norm, f"n{index + 1}", after)
        return after, f"n{index + 1}"

    def _attention(self, index: int, normed: str) -> str:
        model, block, p = self._model, f"blk.{index}.", f"l{index}."
        queries, keys, values = (
            self._linear(normed, f"{block}attn_{part}.weight", p + part) for part in ("q", "k", "v")
        )
        past = [f"past_key_values.{index}.{part}" for part in ("key", "value")]
        present = [f"present.{index}.{part}" for part in ("key", "value")]
        inputs = [queries, keys, values, *past, "seqlens_k", "total_length", "cos", "sin"]
        options: dict[str, Any] = {
            "num_heads": model.heads,
            "kv_num_heads": model.kv_heads,
            "do_rotary": 1,
            "rotary_interleaved": 0,
            "scale": 1 / math.sqrt(model.head_size),
        }
        self.graph.node("GroupQueryAttention", inputs, f"{p}att", *present, domain=MICROSOFT, **options)
        return self._linear(f"{p}att", f"{block}attn_output.weight", f"{p}o")

    def _feed_forward(self, block: str, p: str) -> str:
        graph = self.graph
        gate = self._linear(f"{p}n", f"{block}ffn_gate.weight", f"{p}gate")
        up = self._linear(f"{p}n", f"{block}ffn_up.weight", f"{p}up")
        graph.node("Sigmoid", [gate], f"{p}sigmoid")
        graph.node("Mul", [gate, f"{p}sigmoid"], f"{p}silu")
        graph.node("Mul", [f"{p}silu", up], f"{p}inner")
        return self._linear(f"{p}inner", f"{block}ffn_down.weight", f"{p}down")

    def _add_and_norm(self, terms: list[str], gain: str, normed: str, total: str) -> None:
        """Add two terms and normalise the sum; the sum itself is output 3 when it has a name."""
        outputs = [normed, "", "", total] if total else [normed]
        self.graph.node(
            "SkipSimplifiedLayerNormalization",
            [*terms, self._gain(gain)],
            *outputs,
            domain=MICROSOFT,
            epsilon=self._model.epsilon,
        )

    def head(self, normed: str) -> None:
        """Multiply only the last `num_logits_to_keep` positions by the 49k-row output head (0 = all)."""
        graph, model = self.graph, self._model
        graph.constant("end", [2**31 - 1])
        graph.node("Neg", ["num_logits_to_keep"], "from_end")
        graph.node("Reshape", ["from_end", "one"], "from_end1")
        graph.node("Slice", [normed, "from_end1", "end", "one"], "kept")
        if self._kind == "q8":
            int8_product(graph, "kept", "embed", "logits")
            return
        graph.tensor("embed.S1", model.embedding()[1].reshape(-1))
        self._product_nbits(["kept", "embed.Q", "embed.S1"], model.vocabulary, model.hidden, "logits")

    def _linear(self, x: str, name: str, out: str) -> str:
        graph, model = self.graph, self._model
        if self._kind == "q8":
            int8_weights(graph, name, model.dense(name))
            return int8_product(graph, x, name, out)
        packed = model.packed8(name)
        graph.tensor(f"{name}.Q", packed.codes)
        graph.tensor(f"{name}.S", packed.scales.reshape(-1))
        # Zero points as uint8: float ones have no WebGPU kernel.
        graph.tensor(f"{name}.Z", packed.zeros.reshape(-1))
        return self._product_nbits([x, f"{name}.Q", f"{name}.S", f"{name}.Z"], *model.shape(name), out)

    def _product_nbits(self, inputs: list[str], rows: int, columns: int, out: str) -> str:
        shape = {"K": columns, "N": rows, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}
        return self.graph.node("MatMulNBits", inputs, out, domain=MICROSOFT, **shape)

    def _gain(self, name: str) -> str:
        return self.graph.tensor(name, self._model.vector(name))


def _rotation_angles(model: LlamaWeights) -> NDArray[np.float64]:
    """Return position x frequency; the frequencies are exact to the last bit on every machine.

    numpy's power differs in the last place between processors, and at position 8,000 that would
    show in the float32 tables and change the file's hash.
    """
    with localcontext() as context:
        context.prec = 40
        base, size = Decimal(model.rope_base), Decimal(model.head_size)
        divisors = [float(base ** (Decimal(i) / size)) for i in range(0, model.head_size, 2)]
    angles: NDArray[np.float64] = np.arange(model.context)[:, None] / np.array(divisors)
    return angles


def _signature(model: LlamaWeights) -> tuple[list[Any], list[Any]]:
    batch, total = "batch_size", "total_sequence_length"
    inputs = [
        value_info("input_ids", INT64, (batch, "sequence_length")),
        value_info("attention_mask", INT64, (batch, total)),
        value_info("num_logits_to_keep", INT64, ()),
    ]
    outputs = [value_info("logits", FLOAT, (batch, "kept", model.vocabulary))]
    for layer in range(model.layers):
        for part in ("key", "value"):
            shape = (batch, model.kv_heads, "past_sequence_length", model.head_size)
            inputs.append(value_info(f"past_key_values.{layer}.{part}", FLOAT, shape))
            shape = (batch, model.kv_heads, total, model.head_size)
            outputs.append(value_info(f"present.{layer}.{part}", FLOAT, shape))
    return inputs, outputs
