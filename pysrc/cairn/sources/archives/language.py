"""Which stemmer an archive's language code means, as libzim and Xapian 1.4 choose it.

A wrong stemmer finds nothing and says nothing, so the rule is followed to the letter: the code is
cut at the first of ``_ - . @``, a three-letter code becomes its two-letter one, and only the codes
below are stemmed. ``eng,fra``, ``mul``, ``ell`` or ``simple`` are not.
"""

from __future__ import annotations

import re

# Code → module of snowballstemmer. It also has Greek, Hindi, Serbian and Yiddish, which Xapian
# 1.4 has not: terms of those languages are in the indexes as they are.
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "en": "english",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip

_TWO = {
    "ara": "ar", "cat": "ca", "dan": "da", "deu": "de", "eng": "en", "spa": "es", "eus": "eu",
    "fin": "fi", "fra": "fr", "gle": "ga", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it",
    "lit": "lt", "nob": "nb", "nep": "ne", "nld": "nl", "nno": "nn", "nor": "no", "por": "pt",
    "ron": "ro", "rus": "ru", "swe": "sv", "tam": "ta", "tur": "tr",
}  # fmt: skip
_CUT = re.compile("[-_.@]")


def stemmer_code(language: str) -> str:
    """The two-letter code of the stemmer for a language code; "" for none."""
    primary = _CUT.split(language.strip().lower(), maxsplit=1)[0]
    code = _TWO.get(primary, primary)
    return code if code in STEMMERS else ""


def first_language(codes: str) -> str:
    """The first of a list of codes (``eng,fra``): what the archive is mostly in."""
    return codes.split(",")[0].strip()
