"""A document as blocks: headings, paragraphs, lists, tables, code; together the whole text.

Blocks are parted by blank lines; a Markdown heading is a block of its own even without them, and a
fenced code block is one block with them. Headings are recognised as FORMATS.md 1.5 says: Markdown
``#`` (and underlined), "chapter/section/part/appendix …", numbered up to five levels, or a line in
capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cairn.passages.sentences import is_shouted

HEADING_LIMIT = 160  # characters
_MOST = 4 * HEADING_LIMIT  # with its marks and blank lines; longer lines are not looked at

_LINE = re.compile(r"[^\n]*(?:\n|$)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_MARKDOWN = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
_NAMED = re.compile(
    r"(?:chapter|section|part|appendix|chapitre|annexe|partie|capítulo|sección|seção|parte|"
    r"apéndice|kapitel|abschnitt|anhang|teil|capitolo|глава|раздел|часть|приложение|अध्याय|bölüm)"
    r"\s+(?:\d[\w.-]*|[ivxlc]+|[a-z])\b|(?:الفصل|الباب|القسم)\s|"
    r"第\s?[\d一二三四五六七八九十百]+\s?[章节節部編编]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\d{1,3}((?:\.\d{1,3}){0,4})[.)]?[ \t]+(?=[^\W\d_])")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)|\\(?=[^\w\s])")
_END_MARKS = tuple(".!?,;:。！？，；：…؟۔।")


@dataclass(frozen=True, slots=True)
class Block:
    """``text[start:end]``, with the blank lines after it; ``heading`` is "" for other blocks."""

    start: int
    end: int
    heading: str


def blocks(text: str) -> list[Block]:
    """Cut a document into consecutive blocks that together are the whole text; [] for ""."""
    spans = list(_spans(text))
    return [Block(start, end, _heading(text, spans, index)) for index, (start, end) in enumerate(spans)]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    fence = ""
    content = after_blank = after_heading = False
    for match in _LINE.finditer(text):
        start = match.start()
        line = match.group()
        blank = not line.strip()
        heading = not fence and len(line) <= _MOST and _MARKDOWN.match(line.rstrip("\n")) is not None
        opens = _FENCE.match(line)
        if content and not fence and not blank and (after_blank or heading or after_heading):
            yield begin, start
            begin, content = start, False
        if opens and not fence:
            fence = opens.group(1)
        elif opens and line.strip().startswith(fence) and line.strip(" `~\n") == "":
            fence = ""
        content = content or not blank
        after_blank = blank
        after_heading = heading
    if begin < len(text):
        yield begin, len(text)


def _heading(text: str, spans: list[tuple[int, int]], index: int) -> str:
    """The heading a block is, "" when it is none; a block of one line, or one with an underline."""
    start, end = spans[index]
    lines = text[start : min(end, start + 4 * HEADING_LIMIT)].strip("\n").split("\n")
    first = lines[0].strip()
    if len(first) > HEADING_LIMIT + 8 or not first:
        return ""
    markdown = _MARKDOWN.match(lines[0])
    if markdown:
        return _plain(markdown.group(1) or "")
    if len(lines) == 2 and _UNDERLINE.match(lines[1]) and not first.startswith("|"):
        return _plain(first)
    if len(lines) > 1 or end - start > _MOST or first.endswith(_END_MARKS):
        return ""
    numbered = _NUMBERED.match(first)
    if (
        (is_shouted(first) and not first.startswith("|"))
        or _NAMED.match(first)
        or (numbered and (numbered.group(1) or not _in_numbered_list(text, spans, index)))
    ):
        return _plain(first)
    return ""


def _plain(heading: str) -> str:
    """A heading as people read it: without emphasis, code marks and link targets."""
    return _EMPHASIS.sub("", _LINK.sub(r"\1", heading)).strip()


def _in_numbered_list(text: str, spans: list[tuple[int, int]], index: int) -> bool:
    """Whether the block before or after also starts with a bare number: then both are items."""
    for other in (index - 1, index + 1):
        if 0 <= other < len(spans):
            match = _NUMBERED.match(text[spans[other][0] : spans[other][0] + 12].lstrip())
            if match and not match.group(1):
                return True
    return False
