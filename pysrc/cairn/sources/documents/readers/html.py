"""HTML to text, losing only what is not text: scripts, styles, drawings.

The reading itself is that of articles in archives; there, menus and reference lists are left out,
here they are the person's own words and stay.
"""

from __future__ import annotations

import asyncio
import re

from cairn.sources.archives.article import HtmlText
from cairn.sources.documents.readers.encodings import decode
from cairn.sources.documents.readers.guard import unreadable
from cairn.sources.documents.text import Extracted

MOST_HTML = 16 << 20
PIECE = 1 << 18
"""Characters that are parsed at once: some milliseconds, then others get their turn."""

_LANGUAGE = re.compile(r"<html\b[^>]{0,300}?\s(?:xml:)?lang=[\"']?([A-Za-z-]{2,20})", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta\b[^>]{0,200}?charset=["']?([A-Za-z0-9_:-]{2,24})""", re.IGNORECASE)
_NO_TEXT = frozenset(
    {"script", "style", "template", "noscript", "svg", "iframe", "object", "audio", "video", "canvas"}
    | {"rt", "rp", "select", "datalist"}
)


def _dropped(tag: str, attrs: dict[str, str]) -> bool:
    return tag in _NO_TEXT


async def read_html(data: bytes, name: str) -> Extracted:
    """The text of a page as Markdown; raises DocumentUnreadable."""
    if len(data) > MOST_HTML:
        raise unreadable(name, f"it is larger than {MOST_HTML >> 20} MB", "Split it, or save it as text.")
    return await from_markup(characters(data, name))


def characters(data: bytes, name: str) -> str:
    """Bytes of a page as characters: what it declares where that is true, else as any text."""
    declared = _CHARSET.search(data, 0, 4_096)
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data, name)


async def from_markup(markup: str) -> Extracted:
    """The text of markup, parsed in pieces so that nobody waits for it."""
    parser = HtmlText(_dropped)
    try:
        for start in range(0, len(markup), PIECE):
            parser.feed(markup[start : start + PIECE])
            await asyncio.sleep(0)
        parser.close()
    except AssertionError:  # html.parser, of "<![word" in hostile markup: keep what was read so far
        parser.finish()
    language = _LANGUAGE.search(markup[:4_096])
    return Extracted(parser.text(), parser.title()[:200], language[1] if language else "")
