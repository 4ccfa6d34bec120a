"""A page's runs of text put together as a person reads them: lines, paragraphs, headings, columns.

The order in which a PDF draws is nearly always the order of reading, columns included, so it is
kept; where it jumps about (forms, boxes drawn last) the stretches between jumps are put in order by
their place. Lines are joined where a sentence goes on, words that were parted at a line's end are
joined, and letters clearly larger than the page's usual ones make a heading.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cairn.sources.documents.pdf import PdfItem, PdfPage
from cairn.sources.documents.text import UNIT_CHARACTERS, Unit

SPACE = 0.12
"""Gap between runs, in letter heights, from which they are two words."""

SAME_LINE = 0.45
"""Base lines less than this apart, in letter heights, are one line (sub- and superscripts)."""

PARAGRAPH = 1.65
"""Distance of base lines, in letter heights, from which a paragraph ends: 1.2 is single spacing."""

HEADING = 1.22
"""Letter height, in usual ones, from which a line is a heading."""

LONGEST_HEADING = 120
MARK = "## "
_ENDS = re.compile(r"[.!?:;。！？؟۔।…][\"'”’»)\]]*$")
_PARTED = re.compile(r"(\w+)[-\u00ad\u2010]$")
_STARTS_LOW = re.compile(r"[a-zà-öø-ÿа-яα-ω]")
_BULLET = re.compile(r"^(?:[•▪‣◦●○■□–*·\uf0b7\uf0a7]|-(?=\s)|\(?\d{1,2}[.)](?=\s)|\(?[a-z][.)](?=\s))\s*")
_FIRST_WORD, _LAST_WORD = re.compile(r"[^\W\d_]+"), re.compile(r"[^\W\d_]+[.,;:)”’\"']*$")
_CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\ue000-\uf8ff\ufffe\uffff]")
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")


@dataclass(slots=True)
class Line:
    """Runs on one base line."""

    items: list[PdfItem] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Where it begins."""
        return min(item.x for item in self.items)

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(item.x + item.width for item in self.items)

    @property
    def base(self) -> float:
        """Its base line: that of its largest letters."""
        return max(self.items, key=lambda item: (item.height, len(item.text))).y

    @property
    def height(self) -> float:
        """Height of most of its letters."""
        heights: Counter[float] = Counter()
        for item in self.items:
            heights[round(item.height, 1)] += len(item.text.strip())
        return heights.most_common(1)[0][0] or 1.0

    def text(self) -> str:
        """Its words; runs that touch are one word."""
        parts: list[str] = []
        before: PdfItem | None = None
        for item in self.items:
            if before is not None and _apart(before, item):
                parts.append(" ")
            parts.append(item.text)
            before = item
        return _SPACES.sub(" ", _CONTROL.sub("", "".join(parts))).strip()


def page_text(page: PdfPage) -> str:
    """The text of a page; paragraphs are parted by blank lines, headings are Markdown's."""
    lines = _ordered(_lines(page.items))
    if not lines:
        return ""
    usual = _usual_height(lines)
    known = {word.lower() for line in lines for word in re.findall(r"\w+(?:-\w+)+", line.text())}
    blocks: list[str] = []
    current = ""
    before: Line | None = None
    for line in lines:
        text = line.text()
        if not text:
            continue
        heading = _is_heading(line, text, usual)
        bullet = _BULLET.match(text)
        if before is not None and current and not _goes_on(before, line, heading, current.startswith(MARK)):
            blocks.append(_settled(current))
            current = ""
        if bullet and not heading:
            text = _bulleted(text)
            current = f"{current}\n{text}" if current else text
        elif current:
            current = _joined(current, text, known)
        else:
            current = MARK + text if heading else text
        before = line
    if current:
        blocks.append(_settled(current))
    return "\n\n".join(blocks)


def _lines(items: Iterable[PdfItem]) -> list[Line]:
    """Consecutive runs on one base line."""
    found: list[Line] = []
    current = Line()
    broken = False
    for item in items:
        if item.text.strip():
            if current.items and (broken or not _same_line(current.items[-1], item)):
                found.append(current)
                current = Line()
            current.items.append(item)
            broken = False
        elif item.text and current.items and not broken and item.width > 0:
            current.items.append(item)
        broken = broken or item.ends_line
    if current.items:
        found.append(current)
    return found


def _same_line(before: PdfItem, item: PdfItem) -> bool:
    height = max(before.height, item.height, 1.0)
    if before.angle != item.angle or abs(before.y - item.y) > SAME_LINE * height:
        return False
    if before.rtl or item.rtl:
        return abs(item.x - before.x) < 60 * height
    return -2.0 * height < item.x - (before.x + before.width) < 6.0 * height


def _apart(before: PdfItem, item: PdfItem) -> bool:
    if before.text[-1:].isspace() or item.text[:1].isspace():
        return False
    height = max(min(before.height, item.height), 1.0)
    if before.rtl != item.rtl:
        return True
    if abs(before.y - item.y) > 0.1 * height and _is_note_mark(before, item):
        return True
    if before.rtl and item.rtl:
        return before.x - (item.x + item.width) > SPACE * height
    return item.x - (before.x + before.width) > SPACE * height or item.x + item.width < before.x


def _is_note_mark(before: PdfItem, item: PdfItem) -> bool:
    """Whether one of two runs is a small sign beside a word: a foot note's, not an index in a formula."""
    large, small = (before, item) if before.height > item.height else (item, before)
    if small.height > 0.87 * large.height:
        return False
    word = _LAST_WORD.search(large.text) if large is before else _FIRST_WORD.match(large.text)
    return word is not None and len(word[0]) >= 3


def _ordered(lines: list[Line]) -> list[Line]:
    """The lines in their order, unless it jumps about: then stretches of them by their place."""
    stretches: list[list[Line]] = []
    for line in lines:
        if stretches and not _jumps(stretches[-1][-1], line):
            stretches[-1].append(line)
        else:
            stretches.append([line])
    ups = sum(
        1
        for one, other in itertools.pairwise(stretches)
        if other[0].base > one[-1].base + 2 * other[0].height and _overlap(one, other)
    )
    if ups <= 2 or len(stretches) > 400:
        return lines
    return [line for stretch in _by_place(stretches) for line in stretch]


def _jumps(before: Line, line: Line) -> bool:
    height = max(before.height, line.height)
    down = before.base - line.base
    return down < -0.5 * height or down > 3.5 * height or line.left > before.right + 2 * height


def _overlap(one: Sequence[Line], other: Sequence[Line]) -> bool:
    left = max(min(line.left for line in one), min(line.left for line in other))
    right = min(max(line.right for line in one), max(line.right for line in other))
    return right > left


def _by_place(stretches: list[list[Line]]) -> list[list[Line]]:
    """From the top down, from the left on what is beside each other; each stretch stays whole."""
    waiting = list(stretches)
    placed: list[list[Line]] = []
    while waiting:
        first = max(waiting, key=lambda s: (round(s[0].base / 3), -min(line.left for line in s)))
        waiting.remove(first)
        placed.append(first)
    return placed


def _usual_height(lines: Sequence[Line]) -> float:
    heights: Counter[float] = Counter()
    for line in lines:
        heights[round(line.height, 1)] += len(line.text())
    return heights.most_common(1)[0][0] or 1.0


def _is_heading(line: Line, text: str, usual: float) -> bool:
    letters = sum(c.isalpha() for c in text)
    return (
        line.height >= HEADING * usual
        and letters >= 3
        and letters > 0.5 * len(text.replace(" ", ""))
        and len(text) <= LONGEST_HEADING
        and not text.endswith((".", ",", ";"))
    )


def _settled(block: str) -> str:
    """A finished block: what turned out to be a sentence in large letters is no heading."""
    words = block.removeprefix(MARK)
    if words == block or (len(words) <= LONGEST_HEADING and not words.endswith(".") and words[:1].isupper()):
        return block.replace("\n", " ") if words != block else block
    return words


def _goes_on(before: Line, line: Line, heading: bool, in_heading: bool) -> bool:
    """Whether a line belongs to the block of the one before it."""
    height = max(before.height, line.height)
    down = before.base - line.base
    alike = abs(before.height - line.height) < 0.12 * height
    if heading or in_heading:
        return heading and in_heading and alike and 0 < down < PARAGRAPH * height
    if abs(down) <= SAME_LINE * height and line.left > before.left:
        return True  # a cell beside it
    if not 0 < down < PARAGRAPH * height:
        return not _ENDS.search(before.text()) and down < 0 and line.left > before.right  # next column
    return alike or abs(before.height - line.height) < 0.35 * height


def _bulleted(text: str) -> str:
    match = _BULLET.match(text)
    sign = match[0].strip() if match else ""
    if not match or sign[-1:] in ".)" or sign == "-":
        return text
    return "- " + text[match.end() :]


def _joined(block: str, text: str, known: set[str]) -> str:
    """A block with one more line; a word that was parted at the line's end is whole again."""
    parted = _PARTED.search(block)
    if parted and _STARTS_LOW.match(text):
        word = re.match(r"\w+", text)
        whole = f"{parted[1]}-{word[0] if word else ''}".lower()
        return block + text if whole in known else block[: parted.end(1)] + text
    last_line = block.rpartition("\n")[2]
    return f"{block}\n{text}" if len(last_line) < 2_000 else f"{block}\n\n{text}"


class Pages:
    """Pages gathered into units; a unit ends where a page ends with its sentence, if one does."""

    def __init__(self, outline: Sequence[tuple[int, int, str]] = ()) -> None:
        self._outline: dict[int, list[tuple[int, str]]] = {}
        for page, depth, words in outline:
            self._outline.setdefault(page, []).append((depth, words))
        self._waiting: list[tuple[int, str]] = []

    def add(self, number: int, text: str) -> None:
        """The next page; headings that the outline knows get its depth, others are below those."""
        if self._outline:
            depths = {_plain(words): depth for depth, words in self._outline.get(number, [])}
            text = "\n\n".join(_deepened(block, depths) for block in text.split("\n\n"))
        self._waiting.append((number, text))

    def unit(self, *, last: bool, most: int) -> tuple[Unit, int] | None:
        """A unit and the number of its last page, once there is enough; everything at the end."""
        characters = sum(len(text) for _, text in self._waiting)
        if not self._waiting or (not last and len(self._waiting) < most and characters < UNIT_CHARACTERS):
            return None
        count = len(self._waiting)
        if not last:
            count = next((n for n in range(count, count // 2, -1) if self._ends(n)), count)
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return _unit(taken, closing=last), taken[-1][0]

    def _ends(self, count: int) -> bool:
        text = self._waiting[count - 1][1]
        return not text or _ENDS.search(text) is not None


def _plain(words: str) -> str:
    return "".join(c for c in words.lower() if c.isalnum())


def _deepened(block: str, depths: dict[str, int]) -> str:
    words = block.removeprefix(MARK)
    if len(words) > 2 * LONGEST_HEADING:
        return block
    depth = depths.get(_plain(words))
    if depth is not None:
        return f"{'#' * min(depth, 5)} {' '.join(words.split())}"
    return "######" + block.removeprefix("##") if words != block else block


def _unit(pages: Sequence[tuple[int, str]], *, closing: bool) -> Unit:
    """The texts of pages as one; a sentence that runs over the end of a page is not parted."""
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    length = 0
    for index, (number, text) in enumerate(pages):
        starts.append((length, number))
        after = pages[index + 1][1] if index + 1 < len(pages) else ""
        if text:
            runs_on = bool(after) and not _ENDS.search(text) and _STARTS_LOW.match(after) is not None
            text += "\n" if runs_on else "" if closing and index + 1 == len(pages) else "\n\n"
        parts.append(text)
        length += len(text)
    # A page without text starts where the next one does; the later number would hide it.
    kept = [start for n, start in enumerate(starts) if pages[n][1] or len(starts) == 1]
    return Unit("".join(parts), tuple(kept or starts[:1]))
