"""multilingual-e5-small on CPython: onnxruntime and tokenizers from a model folder.

Mean pooling over the attention mask, then unit length; ``query: `` or ``passage: `` before each
text; cut at 512 tokens. Each text runs alone: no padding, so a vector depends on its text only.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.errors import ModelUnavailable
from cairn.models.ports import ModelInfo, Progress
from cairn.native.vector_cache import VectorCache
from cairn.sources.types import VectorModel

MODEL_ID = "multilingual-e5-small"
DTYPE = "q8"
WEIGHTS = "onnx/model_quantized.onnx"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
MOST_TOKENS = 512
QUERY, PASSAGE = "query: ", "passage: "
_PIECE = 1 << 20
_REVISION_DIGITS = 12


@dataclass(slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    info: ModelInfo
    cache: VectorCache


class OnnxEmbedder:
    """Implements :class:`cairn.models.ports.Embedder` on the CPU.

    ``revision`` names the weights in manifests and must be the browser's: by default the first 12
    digits of the SHA-256 of the q8 weights, as the model catalogue has it. ``cache=False`` embeds
    anew.
    """

    def __init__(
        self,
        folder: Path,
        *,
        model_id: str = MODEL_ID,
        revision: str | None = None,
        threads: int = 1,
        cache: bool = True,
    ) -> None:
        self._folder = folder
        self._model_id = model_id
        self._revision = revision
        self._threads = threads
        self._use_cache = cache
        self._loaded: _Loaded | None = None

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, None before :meth:`load`."""
        return self._loaded.info if self._loaded else None

    @property
    def vector_model(self) -> VectorModel:
        """What a manifest says of its vectors; raises ModelUnavailable before :meth:`load`."""
        info = self._require().info
        return VectorModel(info.id, info.revision, info.dtype, info.dimensions)

    async def load(self, progress: Progress) -> ModelInfo:
        """Load weights and tokenizer; raises ModelUnavailable naming the missing part."""
        progress("load", 0, 1)
        self._loaded = await asyncio.to_thread(self._load)
        progress("load", 1, 1)
        return self._loaded.info

    def _load(self) -> _Loaded:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ModelUnavailable(
                f"The embedder needs onnxruntime and tokenizers ({error}).",
                hint="Run ./cairn run once; it installs both.",
            ) from error
        paths = {name: self._folder / name for name in (CONFIG, TOKENIZER, WEIGHTS)}
        for name, path in paths.items():
            if not path.is_file():
                raise ModelUnavailable(
                    f"The model folder {self._folder} has no {name}.",
                    hint="Convert the models first (./cairn run does).",
                )
        config = json.loads(paths[CONFIG].read_text(encoding="utf-8"))
        dimensions = int(config["hidden_size"])
        weights, tokenizer_hash = _sha256(paths[WEIGHTS]), _sha256(paths[TOKENIZER])
        tokenizer = Tokenizer.from_file(str(paths[TOKENIZER]))
        tokenizer.enable_truncation(MOST_TOKENS)
        tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        session = onnxruntime.InferenceSession(
            str(paths[WEIGHTS]), options, providers=["CPUExecutionProvider"]
        )
        info = ModelInfo(
            id=self._model_id,
            revision=self._revision or weights[:_REVISION_DIGITS],
            dtype=DTYPE,
            device="cpu",
            dimensions=dimensions,
            context=MOST_TOKENS,
        )
        model_key = hashlib.sha256(f"{weights} {tokenizer_hash}".encode()).hexdigest()
        loaded = _Loaded(session, tokenizer, info, VectorCache(model_key, dimensions))
        _self_test(self._run(loaded, QUERY + "water"), info)
        return loaded

    def _require(self) -> _Loaded:
        if self._loaded is None:
            raise ModelUnavailable("The embedder is not loaded.", hint="Call load() first.")
        return self._loaded

    async def embed_query(self, text: str) -> array[float]:
        """One unit vector of a question."""
        return (await asyncio.to_thread(self.embed, [QUERY + text]))[0]

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        """One unit vector per passage."""
        return await asyncio.to_thread(self.embed, [PASSAGE + text for text in texts])

    def embed(self, prefixed: Sequence[str]) -> list[array[float]]:
        """Vectors of texts that carry their prefix already; synchronous, through the cache."""
        loaded = self._require()
        vectors = []
        for text in prefixed:
            vector = loaded.cache.get(text) if self._use_cache else None
            if vector is None:
                vector = self._run(loaded, text)
                if self._use_cache:
                    loaded.cache.put(text, vector)
            vectors.append(vector)
        return vectors

    def count_tokens(self, text: str) -> int:
        """Tokens of a text (up to 512), without the two special ones."""
        return len(self._require().tokenizer.encode(text).ids) - 2

    @staticmethod
    def _run(loaded: _Loaded, text: str) -> array[float]:
        import numpy as np

        ids = loaded.tokenizer.encode(text).ids
        inputs = {
            "input_ids": np.array([ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
        }
        (hidden,) = loaded.session.run(["last_hidden_state"], inputs)
        pooled = hidden[0].astype(np.float64).mean(axis=0)
        unit = (pooled / np.linalg.norm(pooled)).astype(np.float32)
        return array("f", unit.tobytes())


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _self_test(vector: array[float], info: ModelInfo) -> None:
    length = math.sqrt(math.fsum(value * value for value in vector))
    if len(vector) != info.dimensions or not math.isclose(length, 1.0, abs_tol=1e-3):
        raise ModelUnavailable(
            f"{info.label()} does not give unit vectors of {info.dimensions} dimensions.",
            hint="Convert the models again.",
        )
