"""What an archive says of itself: the ``M`` namespace, its counts and its picture."""

from __future__ import annotations

import re

from cairn.sources.archives.container import Archive

_MOST_BYTES = 1_048_576
_ILLUSTRATION = "Illustration_48x48@1"
# A MIME type may have parameters, which contain the separators: "text/html;raw=true=12;image/png=3".
_COUNT = re.compile(r"([^;=]+/[^;=]+(?:;[^;=/]+=[^;=/]+)*?)=(\d+)(?=;|$)")


def metadata(archive: Archive, key: str) -> str:
    """``M/<key>`` as text (``Title``, ``Language``, ``Date`` …), "" when absent."""
    return metadata_bytes(archive, key).decode("utf-8", "replace").strip("\0").strip()


def metadata_bytes(archive: Archive, key: str) -> bytes:
    """``M/<key>`` as it is, b"" when absent or unreasonably large."""
    entry = archive.lookup("M", key)
    if entry is None or archive.length(entry) > _MOST_BYTES:
        return b""
    return archive.read(entry)


def counts(archive: Archive) -> dict[str, int]:
    """``M/Counter``: how many entries of each MIME type; {} when absent."""
    return parse_counter(metadata(archive, "Counter"))


def parse_counter(text: str) -> dict[str, int]:
    """``mime=count;mime=count`` where MIME parameters may contain ``;`` and ``=``."""
    found: dict[str, int] = {}
    for match in _COUNT.finditer(text):
        name = match[1].strip()
        found[name] = found.get(name, 0) + int(match[2][:12])
    return found


def is_recorded_site(archive: Archive) -> bool:
    """Whether an archive is a recorded web site (zimit, warc2zim), whose pages need their scripts."""
    scraper = metadata(archive, "Scraper").lower()
    return "zimit" in scraper or "warc2zim" in scraper


def illustration(archive: Archive) -> bytes:
    """The archive's picture (PNG, 48 pixels), b"" when it has none."""
    picture = metadata_bytes(archive, _ILLUSTRATION)
    if picture:
        return picture
    for namespace, path in (("W", "favicon"), ("-", "favicon"), ("I", "favicon.png")):
        entry = archive.lookup(namespace, path)
        if entry is not None and archive.length(entry) <= _MOST_BYTES:
            return archive.read(entry)
    return b""
