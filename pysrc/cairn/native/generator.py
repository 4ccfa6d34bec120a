"""A causal language model on CPython: onnxruntime and tokenizers from a model folder, greedy.

The twin of ``workers/generate.mjs`` and ``workers/verbatim.mjs`` for measuring answers: the same
weights (q8), the chat template of ChatML, the same rule for ``choices``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from cairn.errors import ModelUnavailable
from cairn.models.ports import ChatMessage, Delta, Finished, ModelInfo, Progress

WEIGHTS = "onnx/model_quantized.onnx"
MODEL_ID = "smollm2-135m-instruct"
MOST_CHOICES = 4


@dataclass(slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    config: dict[str, Any]
    info: ModelInfo


class OnnxGenerator:
    """Implements :class:`cairn.models.ports.Generator` on the CPU."""

    def __init__(
        self, folder: Path, *, voice: Literal["own", "sources"] = "sources", threads: int = 1
    ) -> None:
        self._folder = folder
        self._voice: Literal["own", "sources"] = voice
        self._threads = threads
        self._loaded: _Loaded | None = None

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, None before :meth:`load`."""
        return self._loaded.info if self._loaded else None

    async def load(self, progress: Progress) -> ModelInfo:
        """Load weights and tokenizer; raises ModelUnavailable naming what is missing."""
        progress("load", 0, 1)
        self._loaded = await asyncio.to_thread(self._load)
        progress("load", 1, 1)
        return self._loaded.info

    def _load(self) -> _Loaded:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ModelUnavailable(f"The generator needs onnxruntime and tokenizers ({error}).") from error
        for name in (WEIGHTS, "tokenizer.json", "config.json"):
            if not (self._folder / name).is_file():
                raise ModelUnavailable(f"The model folder {self._folder} has no {name}.")
        config = json.loads((self._folder / "config.json").read_text(encoding="utf-8"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        session = onnxruntime.InferenceSession(
            str(self._folder / WEIGHTS), options, providers=["CPUExecutionProvider"]
        )
        info = ModelInfo(
            MODEL_ID, "", "q8", "cpu", context=int(config["max_position_embeddings"]), voice=self._voice
        )
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        return _Loaded(session, tokenizer, config, info)

    def _require(self) -> _Loaded:
        if self._loaded is None:
            raise ModelUnavailable("The generator is not loaded.", hint="Call load() first.")
        return self._loaded

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without special tokens."""
        tokenizer = self._require().tokenizer
        return [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        sampling: dict[str, Any] | None = None,
        choices: Sequence[str] | None = None,
    ) -> AsyncIterator[Delta | Finished]:
        """Stream deltas, then one Finished; ``sampling`` is greedy whatever it says."""
        loaded = self._require()
        import numpy as np

        def encode(text: str) -> list[int]:
            return list(loaded.tokenizer.encode(text, add_special_tokens=False).ids)

        prompt = encode(chatml(messages))
        end = int(loaded.config["eos_token_id"])
        allowed = (
            Verbatim([encode(t) for t in choices], [encode(f" {t}") for t in choices], end)
            if choices
            else None
        )
        began, first = perf_counter(), 0.0
        past = self._empty(np)
        fed, written, shown = prompt, list[int](), ""
        finish: Literal["stop", "length"] = "length"
        while len(written) < max_new_tokens:
            total = len(prompt) + len(written)
            logits, *past = await asyncio.to_thread(self._step, np, fed, total, past)
            token = pick(logits, allowed.tokens() if allowed else None)
            first = first or perf_counter()
            if token == end:
                finish = "stop"
                break
            written.append(token)
            if allowed:
                allowed.written(token)
            text = loaded.tokenizer.decode(written)
            if not text.endswith("\ufffd"):
                yield Delta(text[len(shown) :], len(written))
                shown = text
            fed = [token]
        ms = (perf_counter() - began) * 1_000
        yield Finished(finish, len(written), len(prompt), (first - began) * 1_000, ms)

    def _empty(self, np: Any) -> list[Any]:
        config = self._require().config
        heads, size = config["num_key_value_heads"], config["head_dim"]
        return [np.zeros((1, heads, 0, size), np.float32) for _ in range(2 * config["num_hidden_layers"])]

    def _step(self, np: Any, fed: list[int], total: int, past: list[Any]) -> list[Any]:
        """Logits of the next token and the new past."""
        session = self._require().session
        inputs = {
            "input_ids": np.array([fed], np.int64),
            "attention_mask": np.ones((1, total), np.int64),
        }
        names = [i.name for i in session.get_inputs()]
        if "num_logits_to_keep" in names:
            inputs["num_logits_to_keep"] = np.array(1, np.int64)
        if "position_ids" in names:
            inputs["position_ids"] = np.arange(total - len(fed), total, dtype=np.int64)[None]
        inputs |= dict(zip([n for n in names if n.startswith("past")], past, strict=True))
        logits, *new = session.run(None, inputs)
        return [logits[0, -1], *new]


def chatml(messages: Sequence[ChatMessage]) -> str:
    """The messages in the template of ChatML, with the answer begun."""
    turns = "".join(f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in messages)
    return turns + "<|im_start|>assistant\n"


def pick(logits: Any, allowed: set[int] | None) -> int:
    """The likeliest token, of the allowed ones."""
    if allowed is None:
        return int(logits.argmax())
    return max(allowed, key=lambda token: float(logits[token]))


class Verbatim:
    """Which tokens continue a sentence of the list; each sentence at most once, four at most.

    ``first`` are the sentences' tokens at the beginning, ``later`` behind another one (with a space).
    """

    def __init__(self, first: list[list[int]], later: list[list[int]], end: int) -> None:
        self._left = list(later)
        self._first = list(first)
        self._open = list(first)
        self._at = 0
        self._count = 0
        self._most = min(MOST_CHOICES, len(later))
        self._end = end

    def tokens(self) -> set[int]:
        """The tokens that may come next."""
        allowed = {sentence[self._at] for sentence in self._open}
        if not allowed or (self._at == 0 and self._count):
            allowed.add(self._end)
        return allowed

    def written(self, token: int) -> None:
        """Take the token that was chosen."""
        self._open = [sentence for sentence in self._open if sentence[self._at] == token]
        self._at += 1
        whole = next((s for s in self._open if len(s) == self._at), None)
        if whole is None:
            return
        place = (self._first if self._count == 0 else self._left).index(whole)
        del self._left[place]
        self._count += 1
        self._open = list(self._left) if self._count < self._most else []
        self._at = 0
