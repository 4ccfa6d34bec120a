"""A small builder for ONNX graphs, and the int8 matrix product that both models share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, DTypeLike, NDArray
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
MICROSOFT = "com.microsoft"  # onnxruntime's own operators


class Graph:
    """Nodes and initialisers in the order in which they were added; names are the edges."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._tensors: dict[str, Any] = {}
        self._computed: set[str] = set()

    def __contains__(self, name: str) -> bool:
        """Say whether some operator already computes this edge."""
        return name in self._computed

    def tensor(self, name: str, values: NDArray[Any]) -> str:
        """Add an initialiser once; a second one of the same name is the same tensor."""
        if name not in self._tensors:
            self._tensors[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def constant(self, name: str, value: ArrayLike, dtype: DTypeLike = np.int64) -> str:
        """Add a small constant."""
        return self.tensor(name, np.array(value, dtype))

    def node(self, op: str, inputs: Sequence[str], *outputs: str, **attributes: Any) -> str:
        """Add an operator; return its first output, which also names the node."""
        self._nodes.append(helper.make_node(op, inputs, outputs, name=f"{outputs[0]}/{op}", **attributes))
        self._computed.update(outputs)
        return outputs[0]

    def save(
        self, path: Path, name: str, inputs: Sequence[Any], outputs: Sequence[Any], opset: int, ir: int
    ) -> None:
        """Write the finished model."""
        graph = helper.make_graph(self._nodes, name, inputs, outputs, list(self._tensors.values()))
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=ir, producer_name="cairn")
        path.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(model, str(path))


def value_info(name: str, dtype: int, shape: Sequence[str | int]) -> Any:
    """Describe an input or output of a graph."""
    return helper.make_tensor_value_info(name, dtype, shape)


def int8_weights(graph: Graph, name: str, weights: NDArray[np.float32]) -> None:
    """Store [outputs, inputs] weights as uint8 with one scale per output channel.

    Unsigned with zero point 128, because signed weights saturate on x64 without VNNI.
    """
    scale = (np.abs(weights).max(1) / 127).astype(np.float32)
    codes = np.clip(np.rint(weights / scale[:, None]), -127, 127).T + 128
    graph.tensor(f"{name}.Q", codes.astype(np.uint8))
    graph.tensor(f"{name}.S", scale)


def int8_product(graph: Graph, x: str, name: str, out: str) -> str:
    """Multiply activations by `int8_weights(name)` with one activation scale per token.

    Per token, because a per-tensor scale lets one attention sink spoil a whole prompt, and makes
    the vector of a text depend on its batch. Unsigned activations, because onnxruntime has no
    fast kernel for signed ones. The two scales are applied one after the other: written as one
    product, onnxruntime fuses them into MatMulIntegerToFloat, which is silently wrong for row
    scales (cosine 0.91).
    """
    graph.tensor("int8.zero", np.array(128, np.uint8))
    codes = _int8_activations(graph, x)
    graph.node("MatMulInteger", [codes, f"{name}.Q", "int8.zero", "int8.zero"], f"{out}.i")
    graph.node("Cast", [f"{out}.i"], f"{out}.f", to=FLOAT)
    graph.node("Mul", [f"{out}.f", f"{name}.S"], f"{out}.s")
    return graph.node("Mul", [f"{out}.s", f"{x}.scale"], out)


def _int8_activations(graph: Graph, x: str) -> str:
    """Quantise one activation, once however many products use it."""
    if f"{x}.u8" in graph:
        return f"{x}.u8"
    graph.constant("int8.last", [-1])
    graph.constant("int8.127th", 1 / 127, np.float32)
    graph.constant("int8.tiny", 1e-12, np.float32)
    graph.constant("int8.128", 128, np.float32)
    graph.node("Abs", [x], f"{x}.abs")
    graph.node("ReduceMax", [f"{x}.abs", "int8.last"], f"{x}.max", keepdims=1)
    graph.node("Mul", [f"{x}.max", "int8.127th"], f"{x}.scale0")
    graph.node("Add", [f"{x}.scale0", "int8.tiny"], f"{x}.scale")
    graph.node("Div", [x, f"{x}.scale"], f"{x}.scaled")
    graph.node("Round", [f"{x}.scaled"], f"{x}.rounded")
    graph.node("Add", [f"{x}.rounded", "int8.128"], f"{x}.shifted")
    return graph.node("Cast", [f"{x}.shifted"], f"{x}.u8", to=TensorProto.UINT8)
