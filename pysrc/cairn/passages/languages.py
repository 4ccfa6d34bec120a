"""Language codes: documents and indexes use ISO 639-3, browsers and people ISO 639-1."""

from __future__ import annotations

UNKNOWN = "und"

_TO_THREE = {
    "af": "afr", "am": "amh", "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces",
    "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est", "eu": "eus",
    "fa": "fas", "fi": "fin", "fr": "fra", "ga": "gle", "gu": "guj", "he": "heb", "hi": "hin",
    "hr": "hrv", "hu": "hun", "hy": "hye", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn",
    "ko": "kor", "lt": "lit", "lv": "lav", "mr": "mar", "ms": "msa", "nb": "nob", "nl": "nld",
    "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv",
    "sr": "srp", "sv": "swe", "sw": "swa", "ta": "tam", "te": "tel", "th": "tha", "tl": "tgl",
    "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "yo": "yor", "zh": "zho",
}  # fmt: skip
_SAME = {"nob": "nor", "nno": "nor", "cmn": "zho", "arb": "ara", "pes": "fas", "swh": "swa"}


def iso639_3(code: str) -> str:
    """The three-letter code of ``en``, ``en-GB`` or ``eng``; "und" for "" and unknown short codes.

    Three-letter codes pass through; the individual language of a macrolanguage is named by the
    macrolanguage (``cmn`` → ``zho``), as documents name it.
    """
    primary = code.lower().replace("_", "-").partition("-")[0]
    three = _TO_THREE.get(primary, primary)
    return _SAME.get(three, three) if len(three) == 3 else UNKNOWN
