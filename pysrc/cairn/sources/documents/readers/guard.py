"""What every ZIP and every XML part of a document must keep to before anything reads it.

DOCX, ODT and EPUB are ZIPs of XML. Sizes that a ZIP declares are not believed: members are read
against a limit. XML may declare no entities (a few lines of them expand to gigabytes) and may not
be nested deeper than any word processor nests, because parsers after this one recurse.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import BinaryIO
from xml.parsers import expat

from cairn.errors import DocumentUnreadable

MOST_MEMBERS = 20_000
MOST_MEMBER_BYTES = 64 << 20
MOST_BYTES = 512 << 20
"""Unpacked, of all members together."""

MOST_RATIO = 200
"""Unpacked size by packed size of a member above 1 MiB; text packs to a tenth, markup to a fiftieth."""

DEEPEST = 256


def unreadable(name: str, reason: str, hint: str = "") -> DocumentUnreadable:
    """The error of a file that cannot be imported: one sentence and a next step."""
    return DocumentUnreadable(
        f"“{name}” cannot be read: {reason}.", hint=hint or "Check the file, or save it again and add it."
    )


class Members:
    """The members of a ZIP by name, each read against a limit."""

    def __init__(self, data: bytes | BinaryIO, name: str, most: int = MOST_BYTES) -> None:
        self.name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data)
            infos = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise unreadable(name, "it is damaged (not a whole ZIP)") from error
        if len(infos) > MOST_MEMBERS:
            raise unreadable(name, f"it has {len(infos)} parts")
        self._infos = {info.filename: info for info in infos if not info.is_dir()}
        self._left = most

    @property
    def names(self) -> list[str]:
        """Names of the members, as the ZIP has them."""
        return list(self._infos)

    def bytes_of(self, member: str) -> int:
        """Unpacked size that the ZIP declares."""
        return self._infos[member].file_size

    def read(self, member: str, limit: int = MOST_MEMBER_BYTES) -> bytes:
        """A member; raises DocumentUnreadable when it is missing, damaged, encrypted or too large."""
        info = self._infos.get(member)
        if info is None:
            raise unreadable(self.name, f"its part {member} is missing")
        if info.flag_bits & 0x1:
            raise unreadable(self.name, "it is encrypted", "Save it without a password, then add it.")
        limit = min(limit, self._left)
        suspicious = info.file_size > (1 << 20) and info.file_size > MOST_RATIO * max(1, info.compress_size)
        if suspicious or info.file_size > limit:
            raise unreadable(self.name, "it unpacks to far more than its size")
        try:
            with self._zip.open(info) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise unreadable(self.name, f"its part {member[:80]} is damaged") from error
        if len(data) > limit:
            raise unreadable(self.name, "it unpacks to far more than its size")
        self._left -= len(data)
        return data


def check_xml(data: bytes, name: str) -> None:
    """Raise DocumentUnreadable for XML that is broken, declares entities or is nested too deep."""
    parser = expat.ParserCreate()
    depth = 0

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise unreadable(name, "its XML is nested too deep")

    def closed(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def declared(*entity: object) -> None:
        raise unreadable(name, "its XML declares entities, which no document needs")

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.EntityDeclHandler = declared
    parser.UnparsedEntityDeclHandler = declared
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise unreadable(name, f"its XML is broken ({expat.errors.messages[error.code]})") from error
