"""Take a model's stream apart: what it says, what it thinks, and the tool calls it invents.

Models mark their reasoning in different ways and are cut into pieces anywhere, so a marker may come
in halves. :class:`Separator` holds back only what may still become a marker; what it gives out does
not depend on how the text was cut (tested). A reasoning block that is never closed stays reasoning.
Markers that open nothing (end marks, the names of channels) are dropped.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Literal

Kind = Literal["text", "thinking", "tool"]

_BLOCKS: tuple[tuple[str, str], ...] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("◁think▷", "◁/think▷"),
    ("[think]", "[/think]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
"""Reasoning of DeepSeek, Qwen and LFM; Claude-like; Gemma-like; SmolLM; Seed; Kimi; Magistral; OpenThinker;
Command; gpt-oss. Compared in lower case."""

_TOOLS: tuple[str, ...] = (
    "<tool_call>", "<tool_calls>", "<tool_code>", "<function=", "<function_call>", "<|tool_call|>",
    "<|tool_call_start|>", "<|python_tag|>", "[tool_calls]", "[tool_call]", "```tool_code", "```tool_call",
    "<|channel|>commentary",
)  # fmt: skip
"""From here on to its end the text is a call."""

_DROPPED: tuple[str, ...] = (
    *(close for _, close in _BLOCKS),
    "<|start|>assistant", "<|channel|>final<|message|>", "<|end|>", "<|im_end|>", "<|im_start|>",
    "<|eot_id|>", "<|endoftext|>", "<|return|>", "<end_of_turn>",
)  # fmt: skip

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_OPENERS = {opener: close for opener, close in _BLOCKS}
_MARKS = sorted({*_OPENERS, *_TOOLS, *_DROPPED}, key=len, reverse=True)
_ANY = re.compile("|".join(map(re.escape, _MARKS)))
_LONGEST = max(map(len, _MARKS))


class Separator:
    """Feeds on pieces of a stream; yields ``(kind, characters)``."""

    def __init__(self) -> None:
        self._buffer = ""
        self._kind: Kind = "text"
        self._close = ""

    def feed(self, delta: str) -> Iterator[tuple[Kind, str]]:
        """Take new characters."""
        self._buffer += clean(delta)
        yield from self._drain(final=False)

    def finish(self) -> Iterator[tuple[Kind, str]]:
        """The stream has ended: what was held back is what it seems to be."""
        yield from self._drain(final=True)

    def _drain(self, *, final: bool) -> Iterator[tuple[Kind, str]]:
        while self._buffer:
            lower = self._buffer.translate(_LOWER)
            start, end, mark = self._next(lower)
            if not mark:
                held = 0 if final else self._held(lower)
                if held < len(self._buffer):
                    yield self._kind, self._buffer[: len(self._buffer) - held]
                self._buffer = self._buffer[len(self._buffer) - held :]
                return
            if not final and len(self._buffer) - start < _LONGEST and self._longer(lower[start:]):
                if start:
                    yield self._kind, self._buffer[:start]
                self._buffer = self._buffer[start:]
                return
            if start:
                yield self._kind, self._buffer[:start]
            self._buffer = self._buffer[end:]
            self._enter(mark)

    def _next(self, lower: str) -> tuple[int, int, str]:
        """Start, end and text of the next marker that counts here; ("" when there is none)."""
        if self._kind == "tool":
            return 0, 0, ""
        if self._kind == "thinking":
            start = lower.find(self._close)
            return (start, start + len(self._close), self._close) if start >= 0 else (0, 0, "")
        match = _ANY.search(lower)
        return (match.start(), match.end(), match.group()) if match else (0, 0, "")

    def _enter(self, mark: str) -> None:
        if self._kind == "thinking":
            self._kind = "text"
        elif mark in _OPENERS:
            self._kind, self._close = "thinking", _OPENERS[mark]
        elif mark in _TOOLS:
            self._kind = "tool"

    def _marks(self) -> list[str]:
        return {"text": _MARKS, "thinking": [self._close], "tool": []}[self._kind]

    def _held(self, lower: str) -> int:
        """Characters at the end that may be the beginning of a marker."""
        for size in range(min(_LONGEST, len(lower)), 0, -1):
            if any(mark.startswith(lower[-size:]) for mark in self._marks()):
                return size
        return 0

    def _longer(self, rest: str) -> bool:
        """Whether all that is left may still become a longer marker than it is."""
        return any(len(mark) > len(rest) and mark.startswith(rest) for mark in self._marks())


def clean(text: str) -> str:
    """Characters that can be stored and shown: no lone surrogates, no control characters."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(c for c in text if c >= " " or c in "\n\t")


_ARGUMENT = re.compile(
    r"[\"']?(?:query|q|question|search|text|input|keywords?)[\"']?\s*[:=]\s*[\"']([^\"'\n]{2,300})[\"']",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\(\s*[\"']([^\"'\n]{2,300})[\"']")


def wanted(call: str) -> str:
    """What an invented tool call would have looked for, "" when that cannot be told."""
    match = _ARGUMENT.search(call) or _QUOTED.search(call)
    return " ".join(match[1].split()) if match else ""
