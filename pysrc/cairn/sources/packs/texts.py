"""The rules for a document's text in a pack (FORMATS.md 1.2)."""

from __future__ import annotations

import unicodedata


def normalise_text(text: str) -> str:
    """NFC, LF line ends, one LF at the end, none at the start; nothing else changes."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.strip("\n") + "\n"


def text_fault(text: str) -> str:
    """Why a text breaks the rules of FORMATS.md 1.2; "" when it keeps them."""
    if not text or text.isspace():
        return "its text is blank"
    if "\0" in text or "\r" in text:
        return "its text has a NUL or a carriage return"
    if text.startswith("\ufeff"):
        return "its text starts with a byte order mark"
    if not text.endswith("\n") or text.endswith("\n\n"):
        return "its text does not end with one line feed"
    if not text.isascii() and not unicodedata.is_normalized("NFC", _lines_beyond_ascii(text)):
        return "its text is not in NFC"
    return ""


def _lines_beyond_ascii(text: str) -> str:
    """The lines that can break NFC: nothing composes across a line feed, and most lines are ASCII."""
    return "\n".join(line for line in text.split("\n") if not line.isascii())
