"""Bytes of a text file to characters: by its mark, by its pattern, by what is valid, else guessed.

UTF-8 and UTF-16 with a mark say so. UTF-16 without one has a zero in every other byte of most
letters, or is known by its spaces and line ends. What is valid UTF-8 is UTF-8. Anything else is a
legacy code page, which ``charset-normalizer`` (MIT, pure Python) guesses from its letters.
"""

from __future__ import annotations

import codecs
import re

from cairn.sources.documents.readers.guard import unreadable

SAMPLE = 1 << 20
"""Bytes that are looked at: the first of a file."""

COMMONEST = "cp1252"
_CENTRAL = ("cp1250", "iso8859_2")  # their Czech reads as Western letters, wrongly
_SIGN_IN_WORD = re.compile(r"[^\W\d_][^\w\s\x00-\x7f’‘–—·]+[^\W\d_]")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1a\x1b\b")
_MOST_CONTROL = 0.01


def encoding_of(sample: bytes, name: str, *, whole: bool) -> str:
    """The codec of a text file from its first bytes (``whole``: these are all of them).

    Raises DocumentUnreadable when it is no text.
    """
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    is_utf8 = _is_utf8(sample, whole=whole)
    if is_utf8 and sample.count(0) <= _MOST_CONTROL * len(sample):
        _check_text(sample, name)
        return "utf-8"
    wide = _wide(sample)
    if wide:
        return wide
    _check_text(sample, name)
    return _legacy(sample)


def decode(data: bytes, name: str) -> str:
    """A whole text file as characters; raises DocumentUnreadable."""
    encoding = encoding_of(data[:SAMPLE], name, whole=len(data) <= SAMPLE)
    if encoding == "utf-8" and not _is_utf8(data, whole=True):
        encoding = _legacy(data[:SAMPLE])
    return data.decode(encoding, "replace")


def _is_utf8(sample: bytes, *, whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, whole)
    except UnicodeDecodeError:
        return False
    return True


def _wide(sample: bytes) -> str:
    """UTF-16 without a mark, "" for anything else.

    Only it has zero bytes in a text. Of the two orders the right one has the ASCII spaces and line
    ends; the wrong one turns them into rare signs.
    """
    if b"\0" not in sample:
        return ""
    even = sample[: len(sample) & ~1]
    best, best_spaces = "", 0
    for encoding in ("utf-16-le", "utf-16-be"):
        text = even.decode(encoding, "replace")
        spaces = sum(map(text.count, " \n\r"))
        readable = sum(c.isalnum() or c.isspace() or c.isprintable() for c in text)
        if spaces > best_spaces and readable > 0.9 * len(text) and text.count("\0") == 0:
            best, best_spaces = encoding, spaces
    return best


def _check_text(sample: bytes, name: str) -> None:
    control = sum(sample.count(byte) for byte in _CONTROL)
    if control > _MOST_CONTROL * len(sample):
        raise unreadable(
            name,
            "it is not text",
            "Cairn reads txt, md, html, csv, json, pdf, docx, odt, epub and zips of these.",
        )


def _legacy(sample: bytes) -> str:
    """The likeliest code page. Of Western ones that read as well, the commonest: short texts cannot tell."""
    from charset_normalizer import from_bytes  # on demand: few files need it

    best = from_bytes(sample[:65_536], threshold=0.35).best()
    if best is None:
        return COMMONEST
    latin = all(char < "\u0250" for char in str(best) if char.isalpha())
    if latin and best.encoding not in _CENTRAL and _reads_western(sample):
        return COMMONEST
    return str(best.encoding)


def _reads_western(sample: bytes) -> bool:
    """Whether a text read as Windows Western has only letters inside its words."""
    text = sample.decode(COMMONEST, "replace")
    return "\ufffd" not in text and not _SIGN_IN_WORD.search(text)
