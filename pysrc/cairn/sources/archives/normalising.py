"""How text is normalised before indexing and before a query: libzim's ICU rule in Python."""

from __future__ import annotations

import unicodedata


def normalise(text: str) -> str:
    """Lower case, decomposed, without marks, composed again: ``Ägypten`` → ``agypten``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.lower())
    kept = "".join(char for char in decomposed if unicodedata.category(char)[0] != "M")
    return unicodedata.normalize("NFC", kept)
