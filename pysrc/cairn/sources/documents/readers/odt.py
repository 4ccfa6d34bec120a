"""OpenDocument texts: ``content.xml`` to Markdown (OASIS OpenDocument 1.3, part 3).

Headings, paragraphs, lists, tables and notes in their order; deleted text of tracked changes is
not part of the document and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, fromstring

from cairn.sources.documents.readers.guard import Members, check_xml, unreadable
from cairn.sources.documents.text import Extracted

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
MOST_XML = 48 << 20
MOST_SPACES = 100
_LEFT_OUT = {TEXT + "tracked-changes", TEXT + "sequence-decls", OFFICE + "forms", OFFICE + "annotation"}


async def read_odt(data: bytes, name: str) -> Extracted:
    """An ODT file; raises DocumentUnreadable."""
    members = Members(data, name)
    body = _parse(members, "content.xml").find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        raise unreadable(name, "it is no OpenDocument text")
    title = language = ""
    if "meta.xml" in members.names:
        meta = _parse(members, "meta.xml")
        title = (meta.findtext(f".//{DC}title") or "").strip()[:200]
        language = (meta.findtext(f".//{DC}language") or "").strip()
    return Extracted("\n\n".join(block for block in _blocks(body) if block.strip()), title, language)


def _parse(members: Members, member: str) -> Element:
    data = members.read(member, MOST_XML)
    check_xml(data, members.name)
    return fromstring(data)


def _blocks(parent: Element) -> Iterator[str]:
    for child in parent:
        if child.tag in _LEFT_OUT:
            continue
        if child.tag == TEXT + "h":
            level = child.get(TEXT + "outline-level", "1")
            depth = min(6, int(level)) if level.isdigit() else 1
            yield f"{'#' * max(1, depth)} {_words(child).strip()}"
        elif child.tag == TEXT + "p":
            yield _words(child)
        elif child.tag == TEXT + "list":
            yield "\n".join(_items(child, 0))
        elif child.tag == TABLE + "table":
            yield "\n".join(_table_rows(child))
        else:  # sections, indexes, frames
            yield from _blocks(child)


def _items(listed: Element, depth: int) -> Iterator[str]:
    for item in listed:
        first = True
        for part in item:
            if part.tag == TEXT + "list":
                yield from _items(part, depth + 1)
            elif part.tag in (TEXT + "p", TEXT + "h"):
                mark = "- " if first else "  "
                yield f"{'  ' * min(depth, 6)}{mark}{' '.join(_words(part).split())}"
                first = False


def _table_rows(table: Element) -> Iterator[str]:
    for row in table.iter(TABLE + "table-row"):
        cells = [" ".join(" ".join(_all_words(cell)).split()) for cell in row.findall(TABLE + "table-cell")]
        if any(cells):
            yield "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _all_words(cell: Element) -> Iterator[str]:
    for part in cell.iter():
        if part.tag in (TEXT + "p", TEXT + "h"):
            yield _words(part)


def _words(paragraph: Element) -> str:
    """The characters of a paragraph; notes in brackets where they are referred to."""
    parts: list[str] = [paragraph.text or ""]
    for child in paragraph:
        if child.tag == TEXT + "s":
            count = child.get(TEXT + "c", "1")
            parts.append(" " * min(MOST_SPACES, int(count) if count.isdigit() else 1))
        elif child.tag == TEXT + "tab":
            parts.append("\t")
        elif child.tag == TEXT + "line-break":
            parts.append("\n")
        elif child.tag == TEXT + "note":
            note = child.find(TEXT + "note-body")
            parts.append(f" [{' '.join(' '.join(_all_words(note)).split())}]" if note is not None else "")
        elif child.tag not in _LEFT_OUT:
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)
