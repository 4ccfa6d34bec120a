"""The articles of a ZIM archive as the documents of a pack."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlunsplit

from cairn.errors import ArchiveInvalid, DocumentNotFound
from cairn.sources.archives.container import Archive
from cairn.sources.archives.language import first_language
from cairn.sources.archives.listing import TitleListing
from cairn.sources.archives.metadata import metadata
from cairn.sources.archives.reader import FileReader
from cairn.sources.packs.gather import Gathered, Wishes, fault, slug
from cairn.sources.packs.reading import html_text
from cairn.sources.packs.recipe import Recipe

_LEAST_LETTERS = 40  # shorter pages only point to others


def gather_archive(path: Path, wishes: Wishes) -> Recipe:
    """Every article of an archive; title, language, licence and source as the archive states them.

    Raises PackInvalid when it has no article that can be read or no licence, ArchiveInvalid and
    ArchiveUnsupported for the archive itself.
    """
    with closing(FileReader(path)) as reader:
        archive = Archive(reader)
        said = {key: metadata(archive, key).strip() for key in ("Title", "Name", "License", "Language",
                                                                "Source", "Date")}  # fmt: skip
        gathered = Gathered(wishes, said["License"])
        for name, data in _articles(archive).items():
            read = html_text(data)
            if sum(char.isalnum() for char in read.text) >= _LEAST_LETTERS:
                gathered.add(name, read, _facts(name, said))
    title = said["Title"] or path.stem
    return gathered.recipe(
        {"id": slug(said["Name"] or path.stem), "title": title, "version": said["Date"] or "1"}
    )


def _articles(archive: Archive) -> dict[str, bytes]:
    """HTML by path, each article once however many titles lead to it."""
    found: dict[str, bytes] = {}
    for entry in TitleListing(archive):
        try:
            article = archive.resolve(entry)
            if article.full_path in found or not archive.mime_type(article).startswith("text/html"):
                continue
            found[article.full_path] = archive.read(article)
        except (DocumentNotFound, ArchiveInvalid) as error:
            raise fault(entry.full_path, error.message) from error
    return found


def _facts(path: str, archive: dict[str, str]) -> dict[str, Any]:
    source = archive["Source"]
    if source and "://" not in source:
        source = urlunsplit(("https", source, "", "", ""))
    return {
        "id": slug(path.partition("/")[2] or path),
        "language": first_language(archive["Language"]),
        "collection": archive["Title"],
        "source_url": f"{source.rstrip('/')}/{quote(path.partition('/')[2])}" if source else "",
    }
