"""Evidence: the kept passages, cut to a token budget and made harmless for a prompt.

Passages are untrusted. They are data between two lines with a nonce that no passage can know, and
:func:`neutralise` takes the edge off text that imitates chat templates, our wrapper or citations:
the chat tokens of any model would otherwise be parsed as structure by its tokenizer.

The budget is counted with the generator's own tokenizer over the very text that goes into the
prompt, so it is never exceeded. Passages enter best first, the best one of every source before any
second one, and one that says what a better one has said stays out. One that is too long keeps a run of
whole sentences around the one that shares most with the question. The block lists them in reverse: the
best stands last, next to the question, where a small model still has it in view.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cairn.answering.citations import MARKER
from cairn.passages.sentences import sentences
from cairn.protocol import QuoteInfo
from cairn.retrieval.overlap import Weights, keys
from cairn.retrieval.types import Candidate

CountTokens = Callable[[Sequence[str]], Awaitable[list[int]]]

DEFAULT_BUDGET = 900
"""Tokens of evidence, wrapper included, for a model with a window of 4,096 or more."""

PASSAGE_BUDGET = 420
"""Tokens one passage may take, so that a second source gets a word in."""

SMALLEST_SHARE = 40
"""Tokens below which a further passage is left out: half a sentence helps nobody."""

SAME = 0.9
"""Share of a passage's words that a better one has from which it says nothing more."""

_CHAT_TOKEN = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<[|｜]|[|｜]>"
    r"|</?(?:s|bos|eos|pad|unk|think|thinking|tool_call|tools?|system|user|assistant"
    r"|start_of_turn|end_of_turn|notes?)\b[^<>\n]{0,40}>"
    r"|\[/?(?:INST|SYS|NOTES?|END)\b[^\]\n]{0,40}\]|<</?SYS>>",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
_BRACKETS = str.maketrans({"<": "‹", ">": "›", "[": "(", "]": ")", "|": "¦", "｜": "¦"})


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One numbered passage as the model sees it."""

    n: int  # citation number of the passage
    text: str  # neutralised, whole sentences
    truncated: bool
    tokens: int  # of its block, heading line included


@dataclass(frozen=True, slots=True)
class Evidence:
    """What goes into the prompt."""

    items: tuple[EvidenceItem, ...]
    block: str  # the wrapped text, "" without items
    tokens: int  # of ``block``


def neutralise(text: str) -> str:
    """Text that a chat template and our citation syntax cannot mistake for their own.

    Brackets of anything that looks like a chat token or a citation are replaced by look-alikes, and
    invisible direction and tag characters are removed. Everything else stays as it was.
    """
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n"))
    while True:  # removing one imitation may assemble another: "<|<|im_end|>im_end|>"
        changed = MARKER.sub(_soften, _CHAT_TOKEN.sub(_soften, text))
        if changed == text:
            return text
        text = changed


def _soften(match: re.Match[str]) -> str:
    return match.group().translate(_BRACKETS)


def wrap(blocks: Sequence[str], nonce: str) -> str:
    """The evidence block: ``blocks`` between two lines that carry ``nonce``, which is taken out of
    them should it stand there.

    In words, not in brackets: SmolLM2-135M repeats bracketed marks as if they were the answer.
    """
    inside = [block.replace(nonce, "") for block in blocks]
    return "\n".join((f"Notes {nonce}:", *inside, f"End of notes {nonce}."))


async def quoted_evidence(
    quotes: Sequence[QuoteInfo], count_tokens: CountTokens, *, nonce: str, budget: int
) -> Evidence:
    """Evidence for the smallest models: sentences alone, while they fit ``budget`` tokens.

    The text of an item is its sentence, the line in the block has a dash before it.

    Raises what ``count_tokens`` raises.
    """
    lines = [(quote["n"], neutralise(quote["text"])) for quote in quotes]
    while lines:
        block = wrap([f"- {line}" for _, line in lines], nonce)
        total, *each = await count_tokens([block, *(line for _, line in lines)])
        if total <= budget:
            items = tuple(
                EvidenceItem(n, line, True, tokens) for (n, line), tokens in zip(lines, each, strict=True)
            )
            return Evidence(items, block, total)
        lines.pop()
    return Evidence((), "", 0)


async def build_evidence(
    kept: Sequence[Candidate],
    count_tokens: CountTokens,
    weights: Weights,
    *,
    nonce: str,
    budget: int = DEFAULT_BUDGET,
) -> Evidence:
    """Evidence of at most ``budget`` tokens from the kept candidates, best first.

    ``weights`` are those of the question's words (see :mod:`cairn.retrieval.overlap`). Raises what
    ``count_tokens`` raises. Without room for one sentence the evidence is empty.
    """
    [frame] = await count_tokens([wrap((), nonce)])
    left = budget - frame
    blocks: list[tuple[int, str, bool]] = []
    said: list[frozenset[str]] = []
    for n, candidate in _by_source(kept):
        if left < SMALLEST_SHARE:
            break
        words = frozenset(keys(candidate.passage.text))
        if any(len(words & other) >= SAME * len(words) for other in said):
            continue
        text, cut = await _fit(candidate, n, count_tokens, weights, min(left, PASSAGE_BUDGET))
        if text:
            blocks.append((n, text, cut))
            said.append(words)
            # A line break joins it to the rest; a tokenizer may spend a token on it.
            left -= (await count_tokens([_block(n, candidate, text)]))[0] + 1
    return await _assemble(kept, blocks, count_tokens, nonce, budget)


def _by_source(kept: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Citation numbers and candidates: the best of each source, then the others, each best first."""
    seen: set[str] = set()
    firsts: list[tuple[int, Candidate]] = []
    others: list[tuple[int, Candidate]] = []
    for n, candidate in enumerate(kept, start=1):
        (others if candidate.passage.source_id in seen else firsts).append((n, candidate))
        seen.add(candidate.passage.source_id)
    return firsts + others


async def _assemble(
    kept: Sequence[Candidate],
    blocks: list[tuple[int, str, bool]],
    count_tokens: CountTokens,
    nonce: str,
    budget: int,
) -> Evidence:
    """Count the finished block; drop from its end while it is too long after all."""
    while blocks:
        listed = sorted(blocks, key=lambda block: -block[0])
        texts = [_block(n, kept[n - 1], text) for n, text, _ in listed]
        block = wrap(texts, nonce)
        total, *each = await count_tokens([block, *texts])
        if total <= budget:
            items = tuple(
                EvidenceItem(n, text, cut, tokens)
                for (n, text, cut), tokens in zip(reversed(listed), reversed(each), strict=True)
            )
            return Evidence(items, block, total)
        blocks.pop()
    return Evidence((), "", 0)


def _block(n: int, candidate: Candidate, text: str) -> str:
    passage = candidate.passage
    place = passage.title
    if passage.locator and passage.locator != passage.title:
        place += f", {passage.locator}"
    return f"({n}) {neutralise(place)[:160]}\n{text}"


async def _fit(
    candidate: Candidate, n: int, count_tokens: CountTokens, weights: Weights, room: int
) -> tuple[str, bool]:
    """The passage's text, or the run of sentences that fits ``room`` tokens; and whether it is cut."""
    passage = candidate.passage
    whole = neutralise(passage.text).strip()
    spans = [(a, b) for a, b in sentences(whole, passage.language) if whole[a:b].strip()]
    pieces = [_block(n, candidate, whole), _block(n, candidate, ""), *(whole[a:b] for a, b in spans)]
    total, head, *each = await count_tokens(pieces)
    if total <= room:
        return whole, False
    first, last = _window(whole, spans, [count + 1 for count in each], weights, room - head)
    while first < last:
        text = whole[spans[first][0] : spans[last - 1][1]].strip()
        [tokens] = await count_tokens([_block(n, candidate, text)])
        if tokens <= room:
            return text, True
        last -= 1
    return "", True


def _window(
    text: str, spans: list[tuple[int, int]], costs: list[int], weights: Weights, room: int
) -> tuple[int, int]:
    """Half-open range of sentences around the most telling one whose costs fit ``room``."""
    if not spans:
        return 0, 0
    telling = [weights.share(keys(text[a:b])) for a, b in spans]
    best = max(range(len(spans)), key=lambda i: (telling[i], -i))
    first, last, used = best, best + 1, costs[best]
    while True:
        if last < len(spans) and used + costs[last] <= room:  # what follows explains; go on first
            used += costs[last]
            last += 1
        elif first > 0 and used + costs[first - 1] <= room:
            first -= 1
            used += costs[first]
        else:
            return first, last
