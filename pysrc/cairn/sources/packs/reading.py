"""Files as texts for a pack, by the readers that imports have."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cairn.errors import PackInvalid
from cairn.sources.archives.article import decode_html, read_article
from cairn.sources.documents.readers.docx import read_docx
from cairn.sources.documents.readers.epub import read_epub
from cairn.sources.documents.readers.html import read_html
from cairn.sources.documents.readers.odt import read_odt
from cairn.sources.documents.text import Extracted
from cairn.sources.packs.manifest import MOST_DOCUMENT_BYTES

_PLAIN = frozenset((".txt", ".text", ".md", ".markdown"))
_READERS: dict[str, Callable[[bytes, str], Coroutine[Any, Any, Extracted]]] = {
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".epub": read_epub,
    ".docx": read_docx,
    ".odt": read_odt,
}
READABLE = _PLAIN | _READERS.keys()
_FENCE = "+++"
_HEADING = re.compile(r"#{1,2}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReadText:
    """A file's text, its own title ("" when it has none) and what its front matter says."""

    text: str
    title: str
    said: dict[str, Any] = field(default_factory=dict)


def read_text(path: Path, shown: str) -> ReadText:
    """Read a file by its ending; raises PackInvalid naming it as ``shown``."""
    ending = path.suffix.lower()
    if ending not in READABLE:
        raise _fault(shown, f"files that end in {ending or 'nothing'} are not read")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _fault(shown, f"it cannot be read ({error.strerror})") from error
    if len(data) > MOST_DOCUMENT_BYTES:
        raise _fault(shown, "it is larger than 64 MiB")
    if ending in _READERS:
        found = _finished(_READERS[ending](data, shown))
        return _titled(found.text, found.title, {"language": found.language} if found.language else {})
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise _fault(shown, f"it is not UTF-8 (byte {error.start})") from error
    said, body = _front_matter(text, shown)
    heading = _HEADING.search(body[:2000]) if ending in (".md", ".markdown") else None
    return ReadText(body, heading.group(1) if heading else "", said)


def html_text(data: bytes) -> ReadText:
    """An archive's page as text; its title is the page's own and opens the text where no heading does."""
    article = read_article(decode_html(data))
    return _titled(article.text, article.title, {})


def _titled(text: str, title: str, said: dict[str, Any]) -> ReadText:
    opens = text.lstrip().startswith("#")
    return ReadText(text if opens or not title else f"# {title}\n\n{text}", title, said)


def _finished(reading: Coroutine[Any, Any, Extracted]) -> Extracted:
    """Run a reader to its end: it only ever lets others run, and here are none."""
    while True:
        try:
            reading.send(None)
        except StopIteration as end:
            found: Extracted = end.value
            return found


def _front_matter(text: str, shown: str) -> tuple[dict[str, Any], str]:
    if not text.startswith(_FENCE + "\n"):
        return {}, text
    front, found, body = text[len(_FENCE) + 1 :].partition(f"\n{_FENCE}\n")
    if not found:
        raise _fault(shown, "its front matter does not end with a line +++")
    try:
        return tomllib.loads(front), body
    except tomllib.TOMLDecodeError as error:
        raise _fault(shown, f"its TOML is wrong ({error})") from error


def _fault(name: str, reason: str) -> PackInvalid:
    return PackInvalid(f"{name} cannot go into a pack: {reason}.", hint="Correct the file or leave it out.")
