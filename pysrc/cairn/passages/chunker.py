"""Text to passages, losing nothing: every character lies in exactly one passage.

The rules are those of FORMATS.md 1.5: blocks are joined until the target would be passed, or until
the heading changes and the passage already has the minimum; only a block above the maximum is cut.
Ours on top: a cut falls between list items, table rows or sentences where they fit, and a heading
(or the line "You need:" before a list) never ends a passage but opens the next one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from cairn.passages.blocks import blocks
from cairn.passages.scripts import is_mark
from cairn.passages.sentences import pieces, stretches
from cairn.passages.tokens import estimate_tokens, measure
from cairn.passages.types import Span

LONGEST_PIECE = 2800  # characters of a hard cut
_LEAD_IN_TOKENS = 40
_LOCATOR_LIMIT = 200
_JOINERS = "\u200d\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens a passage has: joined beyond ``least``, up to ``target``, never above ``most``."""

    least: int = 180
    target: int = 420
    most: int = 700


DEFAULT_SIZES = Sizes()


@dataclass(frozen=True, slots=True)
class _Unit:
    start: int
    end: int
    tokens: float
    heading: str
    leads: bool  # belongs to what follows: a heading, or "You need:"


def chunk(text: str, title: str, *, language: str = "", sizes: Sizes = DEFAULT_SIZES) -> list[Span]:
    """Cut a document into passages: consecutive spans whose texts joined are the document.

    ``title`` is the locator until the first heading. Offsets are code points. "" gives [].
    """
    queue = deque(_units(text, language, sizes))
    spans: list[Span] = []
    open_units: list[_Unit] = []
    locator = title
    while queue:
        unit = queue.popleft()
        if open_units and _closes(open_units, unit, sizes):
            done, open_units = _part_leads(open_units, sizes)
            if done:
                spans.append(_span(text, done, locator))
                locator = _last_heading(done) or locator
        if open_units and _total(open_units) + unit.tokens > sizes.most:
            # Only headings are open and the block is near the maximum: cut the block instead.
            rest = sizes.most - _total(open_units)
            queue.extendleft(reversed(list(_split(text, unit, language, min(rest, sizes.target)))))
            continue
        open_units.append(unit)
    if open_units:
        spans.append(_span(text, open_units, locator))
    return spans


def _units(text: str, language: str, sizes: Sizes) -> Iterator[_Unit]:
    for block in blocks(text):
        body = text[block.start : block.end]
        tokens = measure(body)
        leads = bool(block.heading) or (tokens <= _LEAD_IN_TOKENS and body.rstrip().endswith((":", "：")))
        unit = _Unit(block.start, block.end, tokens, block.heading, leads)
        if tokens <= sizes.most:
            yield unit
        else:
            yield from _split(text, unit, language, sizes.most)


def _split(text: str, unit: _Unit, language: str, limit: float) -> Iterator[_Unit]:
    """A block as smaller units: lines of lists and tables, else sentences, else hard cuts."""
    body = text[unit.start : unit.end]
    for line_start, line_end in stretches(body):
        line = body[line_start:line_end]
        tokens = measure(line)
        if tokens <= limit:
            parts = [(0, len(line), tokens)]
        else:
            parts = [part for start, end in pieces(line, language) for part in _fit(line, start, end, limit)]
        for start, end, part_tokens in parts:
            begin = unit.start + line_start
            yield _Unit(begin + start, begin + end, part_tokens, "", False)


def _fit(text: str, start: int, end: int, limit: float) -> Iterator[tuple[int, int, float]]:
    """A sentence, hard cut while it is above the limit: at spaces where there are any."""
    while start < end:
        # Only a window is measured, so that a line of a million characters stays linear.
        cut = min(end, start + LONGEST_PIECE)
        tokens = measure(text[start:cut])
        while tokens > limit and cut - start > 1:
            cut = start + max(1, min(int((cut - start) * limit / tokens), cut - start - 1))
            tokens = measure(text[start:cut])
        if cut < end:
            cut = _good_cut(text, start, cut)
            tokens = measure(text[start:cut])
        yield start, cut, tokens
        start = cut


def _good_cut(text: str, start: int, cut: int) -> int:
    """Move a cut left to a space in the last fifth, or off the middle of a character cluster."""
    for candidate in range(cut, start + (cut - start) * 4 // 5, -1):
        if text[candidate - 1].isspace():
            return candidate
    safe = cut
    while safe > start + 1 and cut - safe < 32 and _inside_cluster(text, safe):
        safe -= 1
    return cut if _inside_cluster(text, safe) else safe


def _inside_cluster(text: str, cut: int) -> bool:
    return text[cut] in _JOINERS or text[cut - 1] == "\u200d" or is_mark(text[cut])


def _closes(open_units: list[_Unit], unit: _Unit, sizes: Sizes) -> bool:
    total = _total(open_units)
    if all(open_unit.leads for open_unit in open_units) and total < sizes.least:
        return False
    changes = bool(unit.heading)
    return total + unit.tokens > sizes.target or (changes and total >= sizes.least)


def _part_leads(units: list[_Unit], sizes: Sizes) -> tuple[list[_Unit], list[_Unit]]:
    """Part the trailing headings from a passage; they open the next one."""
    cut = len(units)
    while cut and units[cut - 1].leads:
        cut -= 1
    if cut == 0 or _total(units[cut:]) >= sizes.least:
        return units, []
    return units[:cut], units[cut:]


def _total(units: list[_Unit]) -> float:
    return sum(unit.tokens for unit in units)


def _span(text: str, units: list[_Unit], locator: str) -> Span:
    """The passage of these units; its locator is the last of the headings that open it."""
    for unit in units:
        if not unit.leads:
            break
        locator = unit.heading or locator
    start, end = units[0].start, units[-1].end
    return Span(start, end, locator[:_LOCATOR_LIMIT], estimate_tokens(text[start:end]))


def _last_heading(units: list[_Unit]) -> str:
    return next((unit.heading for unit in reversed(units) if unit.heading), "")
