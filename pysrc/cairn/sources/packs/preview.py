"""What a pack says of itself before it is installed: from a chosen file, or from its address.

Nothing here is trusted; it is shown, and the bytes that arrive must carry the same manifest.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO, cast

from cairn.errors import DownloadFailed, PackInvalid
from cairn.sources.archives.reader import ByteReader
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import (
    MANIFEST,
    MOST_BYTES,
    MOST_MANIFEST_BYTES,
    Manifest,
    parse_manifest,
)
from cairn.sources.packs.verify import read_manifest
from cairn.sources.seekable import Seekable, as_file
from cairn.storage.ports import Fetch

BLOCK = 256 << 10
MOST_BLOCKS = 160
"""Of a ZIP's directory and manifest that are fetched for a preview: 40 MiB."""
GROWTH = 4
"""Bytes of an index per byte of documents, for packs that come without one (schema 1); measured."""
_TOTAL = re.compile(r"bytes \d+-\d+/(\d+)")
CHECK = "Check the address of the pack."
_NOT_A_ZIP = "It is not a pack: it is not a whole ZIP file."


@dataclass(frozen=True, slots=True)
class Preview:
    """A pack's manifest and sizes in bytes; ``manifest`` None when the server shows only the size."""

    bytes: int
    installed_bytes: int
    manifest: Manifest | None = None
    manifest_sha256: str = ""


def preview_file(reader: ByteReader) -> Preview:
    """Check the structure of a chosen file and read its manifest.

    Raises PackInvalid or PackMismatch, or what reading raises (ArchiveAbsent).
    """
    archive = PackArchive("", as_file(reader, BLOCK))
    try:
        manifest = read_manifest(archive)
        data = archive.read(MANIFEST, MOST_MANIFEST_BYTES)
        packed = {name: not member.stored for name, member in archive.members.items()}
        texts = {name: member.bytes for name, member in archive.members.items()}
    finally:
        archive.close()
    return _preview(reader.size, manifest, data, packed, texts)


async def preview_url(fetch: Fetch, url: str) -> Preview:
    """Read the manifest of a pack at an address by ranges; raises DownloadFailed or PackInvalid.

    A server that knows no ranges shows the size alone.
    """
    blocks: dict[int, bytes] = {}
    total = await _probe(fetch, url)
    if total is None:
        return Preview(0, 0)
    for _ in range(MOST_BLOCKS):
        try:
            return _read_blocks(_Blocks(blocks, total))
        except _Missing as missing:
            wanted = missing.block
        try:
            blocks[wanted] = await _fetch_block(fetch, url, wanted, total)
        except _NoRanges:
            return Preview(total, total)
    raise PackInvalid("The pack's directory or manifest is too large to be shown.")


async def _probe(fetch: Fetch, url: str) -> int | None:
    """The size of the file; raises DownloadFailed when there is none, or a page in its place."""
    async with fetch.open(url, {"Range": "bytes=0-3"}) as response:
        if response.status not in (200, 206):
            raise DownloadFailed(
                f"Nothing was found at this address (status {response.status}).",
                hint=CHECK,
                retryable=True,
            )
        if response.headers.get("content-type", "").lower().startswith("text/html"):
            raise DownloadFailed("This is the address of a web page, not of a pack.", hint=CHECK)
        first = b""
        async for piece in response.pieces():
            first += piece
            if len(first) >= 4:
                break
        if not first.startswith(b"PK"):
            raise DownloadFailed("What is there is not a pack (a ZIP file).", hint=CHECK)
        found = _TOTAL.fullmatch(response.headers.get("content-range", ""))
        length = response.headers.get("content-length", "")
    if found:
        total = int(found.group(1))
    elif response.status == 200 and length.isdecimal():
        total = int(length)
    else:
        return None
    if total > MOST_BYTES:
        raise PackInvalid("The pack is larger than 2 GiB.")
    return total


async def _fetch_block(fetch: Fetch, url: str, block: int, total: int) -> bytes:
    start = block * BLOCK
    end = min(start + BLOCK, total)
    data = bytearray()
    async with fetch.open(url, {"Range": f"bytes={start}-{end - 1}"}) as response:
        if (
            response.status != 206
            or response.headers.get("content-range") != f"bytes {start}-{end - 1}/{total}"
        ):
            raise _NoRanges
        async for piece in response.pieces():
            data += piece
            if len(data) > end - start:
                raise _NoRanges
    if len(data) != end - start:
        raise _NoRanges
    return bytes(data)


def _read_blocks(blocks: _Blocks) -> Preview:
    try:
        with zipfile.ZipFile(cast(BinaryIO, Seekable(blocks))) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            if MANIFEST not in infos or infos[MANIFEST].file_size > MOST_MANIFEST_BYTES:
                raise PackInvalid(f"It is not a pack: it has no {MANIFEST}.")
            data = archive.read(MANIFEST)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, OSError) as error:
        raise PackInvalid(_NOT_A_ZIP) from error
    manifest = parse_manifest(data)
    packed = {name: info.compress_type != zipfile.ZIP_STORED for name, info in infos.items()}
    sizes = {name: info.file_size for name, info in infos.items()}
    return _preview(blocks.size, manifest, data, packed, sizes)


def _preview(
    size: int, manifest: Manifest, data: bytes, packed: dict[str, bool], sizes: dict[str, int]
) -> Preview:
    extracted = sum(entry.bytes for entry in manifest.indexes if packed.get(entry.path))
    texts = sum(sizes.get(document.path, 0) for document in manifest.documents)
    built = GROWTH * texts if manifest.fts5 is None else 0
    return Preview(size, size + extracted + built, manifest, hashlib.sha256(data).hexdigest())


class _NoRanges(Exception):
    """The server does not give parts."""


class _Missing(Exception):
    def __init__(self, block: int) -> None:
        super().__init__()
        self.block = block


class _Blocks:
    """The parts of a file that were fetched; reading another raises :class:`_Missing`."""

    def __init__(self, blocks: dict[int, bytes], size: int) -> None:
        self.size = size
        self._blocks = blocks

    def read(self, offset: int, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            block, start = divmod(offset + len(found), BLOCK)
            if block not in self._blocks:
                raise _Missing(block)
            found += self._blocks[block][start : start + length - len(found)]
        return bytes(found)
