"""Text to units, and units to passages: every character lands in exactly one passage.

The shared chunker cuts; this adds what documents have more of than packs: texts of any length
(cut into units that can be indexed one by one), line ends of any system, headings as a path, and
page numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from cairn.passages.chunker import DEFAULT_SIZES, Sizes, chunk
from cairn.sources.documents.text import PATH, UNIT_CHARACTERS, Headings, Piece, Unit

LOCATOR_LIMIT = 200
_HEADING_LINE = re.compile(r"^ {0,3}(#{1,6})[ \t]+(?=\S)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)", re.MULTILINE)
_MARKS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)|[ \t]#+[ \t]*$")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_BLANK = re.compile(r"\n[ \t]*\n+")
_SENTENCE = re.compile(r"[.!?。！？؟۔।]['\"”’)]*\s+|[。！？]")


def units(text: str, *, size: int = UNIT_CHARACTERS) -> Iterator[Unit]:
    """Cut a text into units of at most ``size`` characters, at the best place in their second half."""
    start = 0
    while len(text) - start > size:
        end = start + good_end(text[start : start + size])
        yield Unit(text[start:end])
        start = end
    if start < len(text):
        yield Unit(text[start:])


def good_end(window: str) -> int:
    """Where to end a unit inside a window that is full: before a heading, else after a blank line,
    a line, a sentence or a word, else at its end; never inside a line end.
    """  # fmt: skip
    half = len(window) // 2
    plain = even_lines(window)
    last = _last(_HEADING_LINE, plain, half, before=True)
    for pattern in (_BLANK, re.compile("\n"), _SENTENCE, re.compile(r"\s+")):
        last = last or _last(pattern, plain, half, before=False)
    end = last or len(window)
    return end - 1 if window[end - 1] == "\r" and end > 1 else end


def _last(pattern: re.Pattern[str], text: str, least: int, *, before: bool) -> int:
    found = 0
    for match in pattern.finditer(text, least):
        found = match.start() if before else match.end()
    return found if least < found else 0


def even_lines(text: str) -> str:
    """The text with ``\\n`` as its only line end, each character still at its place."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def pieces(
    unit: Unit,
    base: str,
    headings: Headings,
    *,
    title: str = "",
    start: int = 0,
    language: str = "",
    sizes: Sizes = DEFAULT_SIZES,
) -> list[Piece]:
    """The passages of a unit that starts at ``start``; ``headings`` are advanced to its end.

    ``base`` is the place of a passage above which no heading stands, usually the ``title``.
    """
    text = even_lines(unit.text)
    spans = chunk(text, base, language=language, sizes=sizes)
    marks = _heading_marks(text)
    found: list[Piece] = []
    taken = 0
    for span in spans:
        # The headings that open a passage belong to its path; later ones to the next passages.
        opening = span.start + len(text[span.start : span.end]) - len(text[span.start : span.end].lstrip())
        while taken < len(marks) and marks[taken][0] <= opening:
            _, after, level, words = marks[taken]
            headings.enter(level, words)
            opening = after + len(text[after : span.end]) - len(text[after : span.end].lstrip())
            taken += 1
        path = headings.path()
        while taken < len(marks) and marks[taken][0] < span.end:
            headings.enter(*marks[taken][2:])
            taken += 1
        first, last = page_range(unit, span.start, span.end)
        found.append(
            Piece(
                text=unit.text[span.start : span.end],
                start=start + span.start,
                locator=_locator(path, span.locator, title),
                tokens=span.token_estimate,
                first_page=first,
                last_page=last,
            )
        )
    return found


def _locator(path: str, nearest: str, title: str) -> str:
    """The path of Markdown headings; the chunker's own heading where there are none."""
    if not path:
        return nearest[:LOCATOR_LIMIT]
    head, _, rest = path.partition(PATH)
    if rest and head.casefold() == title.casefold():
        path = rest  # the title is shown beside it already
    while len(path) > LOCATOR_LIMIT and PATH in path:
        path = path.partition(PATH)[2]
    return path[:LOCATOR_LIMIT]


def _heading_marks(text: str) -> list[tuple[int, int, int, str]]:
    """(offset of its line, offset after it, level, words) of every Markdown heading outside of code."""
    found = []
    code = _fenced(text)
    for match in _HEADING_LINE.finditer(text):
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        words = _MARKS.sub("", _LINK.sub(r"\1", text[match.end() : min(end, match.end() + 400)])).strip()
        if words and not any(a <= match.start() < b for a, b in code):
            found.append((match.start(), end, len(match[1]), words))
    return found


def _fenced(text: str) -> list[tuple[int, int]]:
    """Where fenced code stands."""
    found: list[tuple[int, int]] = []
    begin, fence = -1, ""
    for match in _FENCE.finditer(text):
        if begin < 0:
            begin, fence = match.start(), match[1]
        elif match[1].startswith(fence):
            found.append((begin, match.end()))
            begin = -1
    if begin >= 0:
        found.append((begin, len(text)))
    return found


def page_range(unit: Unit, start: int, end: int) -> tuple[int, int]:
    """Pages of the first and of the last visible character of a span; (0, 0) without pages."""
    if not unit.pages:
        return 0, 0
    text = unit.text[start:end]
    first = start + len(text) - len(text.lstrip())
    last = start + max(1, len(text.rstrip())) - 1
    first = min(first, last)
    return page_at(unit, first), page_at(unit, last)


def page_at(unit: Unit, offset: int) -> int:
    """The page that a character of a unit stands on."""
    index = bisect_right(unit.pages, (offset, 1 << 62)) - 1
    return unit.pages[max(0, index)][1]
