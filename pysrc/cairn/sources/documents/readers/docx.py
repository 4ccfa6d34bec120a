"""Word documents, through mammoth (BSD-2-Clause, pure Python): to HTML, then to text.

Macros are another part of the file and are never looked at. Every XML part is checked before
mammoth's parser sees it.
"""

from __future__ import annotations

import io
import re

from cairn.sources.documents.readers.guard import Members, check_xml, unreadable
from cairn.sources.documents.readers.html import from_markup
from cairn.sources.documents.text import Extracted

MOST_XML = 48 << 20
_TITLE = re.compile(r"<dc:title>([^<]{1,300})</dc:title>")
_LANGUAGE = re.compile(r"<w:lang\b[^>]{0,200}?w:val=\"([A-Za-z-]{2,12})\"")
_NAMELESS = re.compile(r"(?i)\A(?:untitled|document\d*|microsoft word.*|.*\.docx?)\Z")


async def read_docx(data: bytes, name: str) -> Extracted:
    """A DOCX file; raises DocumentUnreadable."""
    markup = docx_html(data, name)
    found = await from_markup(markup)
    title, language = _properties(data, name)
    return Extracted(found.text, title, language)


def docx_html(data: bytes, name: str) -> str:
    """A DOCX file as HTML without pictures, not yet made safe; raises DocumentUnreadable."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise unreadable(
            name,
            "it is encrypted or an old Word file (.doc)",
            "Save it as .docx without a password, then add it.",
        )
    members = Members(data, name)
    if "word/document.xml" not in members.names and "_rels/.rels" not in members.names:
        raise unreadable(name, "it is no Word document")
    for member in members.names:
        if member.endswith((".xml", ".rels")):
            check_xml(members.read(member, MOST_XML), name)
    import mammoth  # on demand: see Engine's loaders

    try:
        # No external file is ever opened; pictures are left out.
        options = {
            "convert_image": mammoth.images.img_element(lambda image: {}),
            "external_file_access": False,
        }
        result = mammoth.convert_to_html(io.BytesIO(data), **options)
    except Exception as error:
        raise unreadable(name, f"it is damaged ({type(error).__name__})") from error
    return f"<html><body>{result.value}</body></html>"


def _properties(data: bytes, name: str) -> tuple[str, str]:
    """Title and language that the file declares, "" for those it does not."""
    members = Members(data, name)
    title = language = ""
    if "docProps/core.xml" in members.names:
        found = _TITLE.search(members.read("docProps/core.xml").decode("utf-8", "replace"))
        title = found[1].strip() if found and not _NAMELESS.match(found[1].strip()) else ""
    if "word/styles.xml" in members.names:
        declared = _LANGUAGE.search(members.read("word/styles.xml").decode("utf-8", "replace"))
        language = declared[1] if declared else ""
    return title, language
