"""The thorough check of an archive that a person may ask for: about 5 ms per MB."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from cairn.errors import CairnError
from cairn.sources.archives.container import Archive
from cairn.sources.archives.guard import damaged

_STEP = 1_048_576


def verify_checksum(archive: Archive, progress: Callable[[int, int], None] | None = None) -> None:
    """Compare the MD5 of the whole file with the one it carries; raises ArchiveInvalid."""
    digest = hashlib.md5(usedforsecurity=False)
    end = archive.header.checksum
    for at in range(0, end, _STEP):
        digest.update(archive.reader.read(at, min(_STEP, end - at)))
        if progress:
            progress(min(end, at + _STEP), end)
    if digest.digest() != archive.reader.read(end, 16):
        raise damaged("its checksum does not match")


def faults(archive: Archive) -> Iterator[str]:
    """What is wrong with the entries, one sentence each; nothing for a sound archive."""
    before = (b"", b"")
    for index in range(len(archive)):
        try:
            entry = archive.entry(index)
            if index and entry.key <= before:
                yield f"Entry {index} is out of order."
            before = entry.key
            if not entry.is_redirect and entry.is_content:
                archive.mime_type(entry)
                archive.length(entry)
        except CairnError as error:
            yield error.message
    yield from _title_faults(archive)


def _title_faults(archive: Archive) -> Iterator[str]:
    header = archive.header
    if not header.has_title_pointers:
        return
    before = (b"", b"")
    for position in range(header.entries):
        data = archive.reader.read(header.title_pointers + 4 * position, 4)
        try:
            key = archive.entry(int.from_bytes(data, "little")).title_key
        except CairnError as error:
            yield error.message
            continue
        if key < before:
            yield f"Title {position} is out of order."
        before = key
