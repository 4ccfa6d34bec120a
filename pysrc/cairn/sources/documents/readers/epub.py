"""EPUB books: the chapters of the spine in their order (EPUB 3.3, and EPUB 2 alike)."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element, fromstring

from cairn.sources.documents.readers.guard import Members, check_xml, unreadable
from cairn.sources.documents.readers.html import characters, from_markup
from cairn.sources.documents.text import Extracted

CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
MOST_CHAPTER = 16 << 20
_MARKUP = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")


async def read_epub(data: bytes, name: str) -> Extracted:
    """An EPUB file; raises DocumentUnreadable."""
    members = Members(data, name)
    if "META-INF/encryption.xml" in members.names and "META-INF/rights.xml" in members.names:
        raise unreadable(name, "it is locked by its seller (DRM)", "Only books without a lock can be read.")
    package_path, package = _package(members)
    parts: list[str] = []
    missing: list[str] = []
    for path in _spine(package_path, package):
        if path not in members.names:
            missing.append(path)
            continue
        chapter = await from_markup(characters(members.read(path, MOST_CHAPTER), name))
        if chapter.text.strip():
            parts.append(chapter.text)
    if not parts:
        raise unreadable(name, "it has no chapter with text")
    notes = (f"{len(missing)} chapters that it lists are missing from the file.",) if missing else ()
    metadata = package.find(f"{OPF}metadata")
    title = language = ""
    if metadata is not None:
        title = (metadata.findtext(f".//{DC}title") or "").strip()[:200]
        language = (metadata.findtext(f".//{DC}language") or "").strip()
    return Extracted("\n\n".join(parts), title, language, notes)


def _package(members: Members) -> tuple[str, Element]:
    rootfile = _parse(members, "META-INF/container.xml").find(f".//{CONTAINER}rootfile")
    path = rootfile.get("full-path", "") if rootfile is not None else ""
    if path not in members.names:
        raise unreadable(members.name, "it is no EPUB book (its package is missing)")
    return path, _parse(members, path)


def _spine(package_path: str, package: Element) -> list[str]:
    """Paths of the chapters in reading order."""
    folder = posixpath.dirname(package_path)
    items = {
        item.get("id", ""): posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in package.iter(f"{OPF}item")
        if item.get("media-type", "").lower() in _MARKUP
    }
    order = [ref.get("idref", "") for ref in package.iter(f"{OPF}itemref")]
    return list(dict.fromkeys(items[one] for one in order if one in items))


def _parse(members: Members, member: str) -> Element:
    data = members.read(member)
    check_xml(data, members.name)
    return fromstring(data)
