"""An article's HTML as text to search and to cite: headings, paragraphs, lists and tables.

Headings become Markdown headings, which :mod:`cairn.passages.blocks` knows, list items ``- ``
lines and table rows ``| a | b |`` lines. What is not the article's own text is dropped: scripts,
styles, edit links, reference marks and lists, navigation boxes, tables of contents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser

from cairn.sources.archives.markup import BLOCKS, CELLS, CLOSES, HEADINGS, VOID, dropped

MOST_HTML = 4 * 1_048_576
"""Bytes of HTML that are looked at: no article is larger, and a parser must not run for minutes."""

_DEEPEST = 100  # open tags that are looked through for a partner
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
_SPACES = re.compile(r"[ \t\r\n\f\u00a0]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_CHARSET = re.compile(rb"""charset=["']?([A-Za-z0-9_-]{2,24})""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Article:
    """An article as text. ``title`` is the page's own, "" when it has none."""

    title: str
    text: str


def decode_html(data: bytes) -> str:
    """Bytes of a page as text: UTF-8 unless it declares another encoding; nothing raises."""
    match = _CHARSET.search(data, 0, 2048)
    encoding = match[1].decode("ascii") if match else "utf-8"
    try:
        return data[:MOST_HTML].decode(encoding, "replace")
    except LookupError:
        return data[:MOST_HTML].decode("utf-8", "replace")


def read_article(html: str) -> Article:
    """The text of a page; whatever the markup, nothing raises and nothing is run."""
    parser = HtmlText()
    try:
        parser.feed(html[:MOST_HTML])
        parser.close()
    except AssertionError:  # html.parser, of "<![word" in hostile markup: keep what was read so far
        parser.finish()
    return Article(parser.title(), parser.text())


class HtmlText(HTMLParser):
    """Writes text while it walks the tags; ``_open`` are the tags that are open, with their state.

    ``drops`` says which elements are left out. Invariant: ``_hidden`` counts the open tags that are
    dropped; nothing is written while it is > 0.
    """

    def __init__(self, drops: Callable[[str, dict[str, str]], bool] = dropped) -> None:
        super().__init__(convert_charrefs=True)
        self._drops = drops
        self._open: list[tuple[str, bool]] = []
        self._hidden = 0
        self._out: list[str] = []
        self._title: list[str] = []
        self._tables: list[list[str] | None] = []  # cells of the open row of each open table
        self._lists = 0
        self._pre = 0

    def text(self) -> str:
        """What was written, each block parted by a blank line."""
        lines = (line.rstrip() for line in "".join(self._out).split("\n"))
        return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")

    def title(self) -> str:
        """The content of ``<title>``."""
        return _SPACES.sub(" ", "".join(self._title)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._close_implied(tag)
        values = {name: value or "" for name, value in attrs}
        if tag == "math" and not self._hidden:
            self._write(values.get("alttext", ""))
        if tag in VOID:
            if tag == "br" and not self._hidden:
                self._out.append("\n" if not self._row() else " ")
            return
        hidden = self._drops(tag, values)
        self._open.append((tag, hidden))
        self._hidden += hidden
        if not self._hidden:
            self._begin(tag)

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self._open) - 1, max(-1, len(self._open) - _DEEPEST), -1):
            if self._open[index][0] == tag:
                self._close_down_to(index)
                return

    def handle_data(self, data: str) -> None:
        if any(tag == "title" for tag, _ in self._open[-2:]) and len(self._title) < 64:
            self._title.append(data)
        elif not self._hidden:
            self._write(data)

    def close(self) -> None:
        super().close()
        self.finish()

    def finish(self) -> None:
        """Close what is open."""
        self._close_down_to(0)

    def _close_implied(self, tag: str) -> None:
        if (tag in BLOCKS or tag in HEADINGS) and self._open and self._open[-1][0] == "p":
            self._close_down_to(len(self._open) - 1)
        rule = CLOSES.get(tag)
        if rule is None:
            return
        closed, stops = rule
        outermost = len(self._open)
        for index in range(len(self._open) - 1, max(-1, len(self._open) - _DEEPEST), -1):
            if self._open[index][0] in stops:
                break
            if self._open[index][0] in closed:
                outermost = index
        self._close_down_to(outermost)

    def _close_down_to(self, index: int) -> None:
        while len(self._open) > index:
            tag, hidden = self._open[-1]
            if not self._hidden:
                self._end(tag)
            self._open.pop()
            self._hidden -= hidden

    def _begin(self, tag: str) -> None:
        if tag in HEADINGS:
            self._block(f"{'#' * HEADINGS[tag]} ")
        elif tag == "table":
            self._block()
            self._tables.append(None)
        elif tag == "tr" and self._tables:
            self._finish_row()
            self._tables[-1] = []
        elif tag in CELLS and self._tables:
            if self._tables[-1] is None:
                self._tables[-1] = []
            self._out.append("\0")  # where the cell begins
        elif tag in ("ul", "ol", "dl"):
            self._lists += 1
            if self._lists == 1:
                self._block()
        elif tag == "li":
            self._line(f"{'  ' * min(max(self._lists - 1, 0), 6)}- ")
        elif tag in ("dt", "dd"):
            self._line("" if tag == "dt" else "- ")
        elif tag == "pre":
            self._block()
            self._pre += 1
        elif tag in BLOCKS:
            self._block_unless_in_list()

    def _end(self, tag: str) -> None:
        if tag in CELLS and self._tables and self._tables[-1] is not None:
            self._finish_cell()
        elif tag == "tr" and self._tables:
            self._finish_row()
        elif tag == "table" and self._tables:
            self._finish_row()
            self._tables.pop()
            self._block()
        elif tag in ("ul", "ol", "dl"):
            self._lists = max(0, self._lists - 1)
            if self._lists == 0:
                self._block()
        elif tag == "pre":
            self._pre = max(0, self._pre - 1)
            self._block()
        elif tag in HEADINGS:
            self._block()
        elif tag in BLOCKS and tag not in ("li", "dt", "dd"):
            self._block_unless_in_list()

    def _write(self, text: str) -> None:
        if not self._pre:
            text = _SPACES.sub(" ", text)
            if text.startswith(" ") and (not self._out or self._out[-1][-1:] in " \n\0"):
                text = text[1:]
        text = _ZERO_WIDTH.sub("", text.replace("\0", ""))
        if text:
            self._out.append(text)

    def _row(self) -> bool:
        """Whether a table row is open, where a block must not break the line."""
        return bool(self._tables) and self._tables[-1] is not None

    def _block(self, prefix: str = "") -> None:
        if self._row():
            self._out.append(" ")
        else:
            self._out.append("\n\n" + prefix)

    def _line(self, prefix: str) -> None:
        if not self._row():
            self._out.append("\n" + prefix)
        elif self._out[-1:] != ["\0"]:
            self._out.append("; ")

    def _block_unless_in_list(self) -> None:
        if self._lists == 0:
            self._block()
        elif self._out and self._out[-1][-1:] not in " \n":
            self._out.append(" ")

    def _finish_cell(self) -> None:
        """Take what was written since the cell began out of the text and into the row."""
        parts: list[str] = []
        while self._out:
            part = self._out.pop()
            if part == "\0":
                break
            parts.append(part)
        row = self._tables[-1]
        if row is not None:
            row.append(_SPACES.sub(" ", "".join(reversed(parts))).strip(" ;").replace("|", "/"))

    def _finish_row(self) -> None:
        row = self._tables[-1]
        if row is None:
            return
        self._tables[-1] = None
        cells = [cell for cell in row if cell]
        if not cells:
            return
        outer = any(open_row is not None for open_row in self._tables[:-1])
        if outer:
            self._out.append(" " + ", ".join(cells) + ";")
        elif len(cells) == 1:
            self._out.append(f"\n{cells[0]}\n")
        else:
            self._out.append(f"\n| {' | '.join(cells)} |")
