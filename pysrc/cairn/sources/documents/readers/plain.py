"""Text, Markdown, CSV and JSON: the characters of the file as they are.

Nothing is parsed, so no depth of JSON and no number of columns can hurt; a CSV gets its column
names as the place of every passage, and JSON that stands on one line is broken into lines.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from cairn.passages.blocks import blocks
from cairn.sources.documents.readers.encodings import decode
from cairn.sources.documents.text import Extracted, Kind

_TITLE = re.compile(r"\A(?:---\n.*?\n---\n)?\s*#[ \t]+(.+?)[ \t]*#*$", re.MULTILINE | re.DOTALL)
_FRONT_TITLE = re.compile(r"\A---\n(?:[^\n]*\n){0,30}?title:[ \t]*[\"']?([^\n\"']+)", re.IGNORECASE)
_LONG_LINE = 1_000
_JSON = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],]|[^"{}\[\],]+|"', re.DOTALL)
MOST_INDENT = 8
COLUMNS_LIMIT = 160  # characters


def read_plain(data: bytes, name: str, kind: Kind) -> Extracted:
    """A text file; raises DocumentUnreadable when it is no text."""
    text = decode(data, name)
    if kind == "json":
        text = broken_into_lines(text)
    return Extracted(text, title=title_of(text) if kind == "md" else "")


def title_of(markdown: str) -> str:
    """The title of a Markdown text: of its front matter, else its first heading, if it starts with one."""
    head = markdown[:4_000].replace("\r\n", "\n").lstrip("\ufeff")
    found = _FRONT_TITLE.match(head) or _TITLE.match(head)
    if not found:
        return ""
    first = found[1].strip()
    heading = next((block.heading for block in blocks(f"# {first}\n") if block.heading), first)
    return heading[:200]


def columns_of(text: str) -> str:
    """The column names of a CSV, short enough to stand above each passage; "" when it has none."""
    line = text.lstrip("\ufeff").partition("\n")[0][:20_000]
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:8_192], delimiters=",;\t|")
        cells = next(csv.reader([line], dialect), [])
    except (csv.Error, StopIteration):
        return ""
    names = [" ".join(cell.split()) for cell in cells if cell.strip()]
    if len(names) < 2:
        return ""
    shown = ", ".join(names)
    return shown if len(shown) <= COLUMNS_LIMIT else shown[:COLUMNS_LIMIT].rpartition(",")[0] + " …"


def broken_into_lines(text: str) -> str:
    """JSON with a line for each member where it stands on lines too long to read.

    By its tokens, not by its structure: whatever is wrong with it, every character stays.
    """
    if len(text) <= _LONG_LINE * (1 + text.count("\n")):
        return text
    return "".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    depth = 0
    for match in _JSON.finditer(text):
        token = match[0]
        if token in "]}":
            depth = max(0, depth - 1)
            yield "\n" + " " * min(depth, MOST_INDENT) + token
        elif token in "[{":
            depth += 1
            yield token + "\n" + " " * min(depth, MOST_INDENT)
        elif token == ",":
            yield ",\n" + " " * min(depth, MOST_INDENT)
        else:
            yield token
