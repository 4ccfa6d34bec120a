"""What kind of file something is: by what it holds, then by its name. A wrong ending is corrected."""

from __future__ import annotations

import posixpath
import re
import unicodedata

from cairn.sources.documents.readers.guard import Members, unreadable
from cairn.sources.documents.text import Kind

BY_ENDING: dict[str, Kind] = {
    "txt": "txt", "text": "txt", "log": "txt", "rst": "txt", "tex": "txt", "srt": "txt", "org": "txt",
    "md": "md", "markdown": "md", "mdown": "md",
    "html": "html", "htm": "html", "xhtml": "html",
    "csv": "csv", "tsv": "csv",
    "json": "json", "jsonl": "json", "geojson": "json",
    "docx": "docx", "docm": "docx", "odt": "odt", "epub": "epub", "pdf": "pdf",
}  # fmt: skip
HEAD = 8_192
"""Bytes of a file that tell what it is."""

LONGEST_NAME = 200
SUPPORTED = "Cairn reads txt, md, html, csv, json, pdf, docx, odt, epub and zips of these."
IGNORED = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
# Direction marks and other invisible format characters could make a name look like another.
_INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_OTHER_FILES = (
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"), (b"RIFF", "sound or video"), (b"ID3", "sound"), (b"OggS", "sound"),
    (b"\x1f\x8b", "a gzip archive"), (b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "a database"), (b"{\\rtf", "an RTF text"),
    (b"\xd0\xcf\x11\xe0", "an old Office file, or one with a password"),
)  # fmt: skip


def ending_of(path: str) -> str:
    """The ending of a file name in lower case, "" without one."""
    return posixpath.splitext(path)[1].lower().lstrip(".")


def kind_of(head: bytes, path: str) -> Kind | None:
    """The kind of a file that is no ZIP, from its first bytes and its name; None for a ZIP.

    Raises DocumentUnreadable for what Cairn does not read.
    """
    name = posixpath.basename(path)
    ending = ending_of(path)
    if not head:
        raise unreadable(name, "it is empty", "There is nothing in it to import.")
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return None
    if b"%PDF-" in head[:1_024]:
        return "pdf"
    for magic, what in _OTHER_FILES:
        if head.startswith(magic):
            raise unreadable(name, f"it is {what}", SUPPORTED)
    kind = BY_ENDING.get(ending)
    if kind in ("docx", "odt", "epub", "pdf"):
        raise unreadable(name, f"it is no {ending.upper()} file", "Check the file, or add the original.")
    if kind is not None:
        return kind
    start = head[:1_024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "html" if start.startswith((b"<!doctype html", b"<html")) else "txt"


def kind_of_zip(members: Members) -> Kind | None:
    """DOCX, ODT or EPUB by what is inside; None for a plain ZIP of files."""
    names = set(members.names)
    if "word/document.xml" in names:
        return "docx"
    declared = members.read("mimetype", 200).strip() if _small(members, "mimetype") else b""
    if declared == b"application/epub+zip" or "META-INF/container.xml" in names:
        return "epub"
    if declared.startswith(b"application/vnd.oasis.opendocument.text") or (
        "content.xml" in names and "META-INF/manifest.xml" in names
    ):
        return "odt"
    if "[Content_Types].xml" in names:
        raise unreadable(members.name, "it is an Office file that is no text", SUPPORTED)
    return None


def _small(members: Members, member: str) -> bool:
    return member in members.names and members.bytes_of(member) <= 200


def safe_path(raw: str) -> str:
    """A path as it is kept and shown: forward slashes, no ``..``, nothing invisible, no endless name.

    The text is untrusted (a ZIP may name ``../../x``) and is never used as a file's place.
    """
    parts = []
    for part in raw.replace("\\", "/").split("/"):
        clean = _INVISIBLE.sub("", unicodedata.normalize("NFC", part))
        clean = "".join(c if c.isprintable() else " " for c in clean).strip()
        if clean in ("", ".", ".."):
            continue
        stem, dot, ending = clean.rpartition(".")
        if len(clean) > LONGEST_NAME:
            short = len(ending) <= 12 and bool(dot)
            clean = f"{stem[: LONGEST_NAME - 20]}….{ending}" if short else clean[:LONGEST_NAME] + "…"
        parts.append(clean)
    return "/".join(parts[-12:]) or "unnamed"


def title_from(path: str) -> str:
    """What to call a document that names no title itself: its file's name without the ending."""
    name = posixpath.basename(path)
    stem = posixpath.splitext(name)[0] if ending_of(name) in BY_ENDING else name
    return stem.replace("_", " ").strip() or name


def is_ignored(path: str) -> bool:
    """Whether a file in a folder or ZIP is a system's own and no document."""
    parts = path.lower().split("/")
    return parts[-1] in IGNORED or parts[-1].startswith(("._", "~$", ".")) or "__macosx" in parts
