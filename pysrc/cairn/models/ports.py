"""Ports of the embedder and the generator: what retrieval and answering may ask of a model.

Adapters live in :mod:`cairn.browser` (workers with transformers.js) and :mod:`cairn.native`
(onnxruntime, for building packs and for evaluation). Fakes exist in tests/unit and only there.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Vector = array  # array("f"): one unit-length embedding
Progress = Callable[[str, int, int], None]
"""``progress(phase, done, total)``: bytes while fetching, steps otherwise."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Which weights produced a vector or a sentence, and where they run."""

    id: str
    revision: str
    dtype: str
    device: str  # "webgpu" | "wasm" | "cpu"
    dimensions: int = 0
    context: int = 0
    voice: Literal["own", "sources"] = "own"  # "sources": may only choose sentences of the library

    def label(self) -> str:
        """Short name for people: ``smollm2-135m-instruct (wasm, q8)``."""
        return f"{self.id} ({self.device}, {self.dtype})"


class Embedder(Protocol):
    """Text to unit vectors. E5 wants ``query: `` / ``passage: `` prefixes; adapters add them."""

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, or None before :meth:`load` ended well."""

    async def load(self, progress: Progress) -> ModelInfo:
        """Load and self-test; raises ModelUnavailable, WorkerCrashed or TimedOut."""

    async def embed_query(self, text: str) -> array[float]:
        """One unit vector of float32[dimensions]."""

    async def embed_passages(self, texts: Sequence[str]) -> list[array[float]]:
        """One unit vector per text; a vector never depends on its neighbours in the batch."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt in the model's chat template."""

    role: Literal["system", "user", "assistant"]
    content: str

    def as_dict(self) -> dict[str, str]:
        """As transformers.js and the chat templates want it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class Delta:
    """Newly generated characters."""

    text: str
    tokens: int  # generated so far


@dataclass(frozen=True, slots=True)
class Finished:
    """Last item of a generation stream."""

    finish: Literal["stop", "length", "stopped"]
    tokens: int
    prompt_tokens: int
    first_token_ms: float
    ms: float


class Generator(Protocol):
    """Chat messages to streamed text."""

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model, or None before :meth:`load` ended well."""

    async def load(self, progress: Progress) -> ModelInfo:
        """Load; raises ModelUnavailable, WorkerCrashed or TimedOut."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's own tokenizer, without special tokens."""

    def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        sampling: dict[str, Any] | None = None,
        choices: Sequence[str] | None = None,
    ) -> AsyncIterator[Delta | Finished]:
        """Stream deltas, then one Finished. Closing the iterator stops the model at once.

        With ``choices`` the model writes nothing but whole sentences of that list, each at most
        once, separated by a space: which, in what order and how many is its choice.
        """
