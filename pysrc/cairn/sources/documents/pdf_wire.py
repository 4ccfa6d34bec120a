"""Pages as ``workers/pdf-pages.mjs`` sends them; the text in them is untrusted, their shape is ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.sources.documents.pdf import PdfItem, PdfOpened, PdfPage


def opened_of(value: Mapping[str, Any]) -> PdfOpened:
    """What is known of an opened file."""
    outline = tuple((int(page), int(depth), str(words)) for page, depth, words in value["outline"])
    return PdfOpened(int(value["pages"]), clean(str(value["title"])), clean(str(value["language"])), outline)


def page_of(value: Mapping[str, Any]) -> PdfPage:
    """A page; each item is [text, x, y, width, height, angle, ends a line, right to left]."""
    items = tuple(
        PdfItem(str(text), float(x), float(y), float(width), float(height), int(angle), bool(ends), bool(rtl))
        for text, x, y, width, height, angle, ends, rtl in value["items"]
    )
    return PdfPage(
        int(value["number"]), float(value["width"]), float(value["height"]), items, bool(value["pictures"])
    )


def clean(text: str) -> str:
    """A title without control characters."""
    return "".join(c for c in text if c.isprintable()).strip()
