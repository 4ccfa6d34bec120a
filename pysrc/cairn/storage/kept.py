"""What the library takes on this device, by kind."""

from __future__ import annotations

from typing import Any

from cairn.storage.ports import Files

FOLDERS = ("packs", "archives", "documents")
RECORDS = "records"


async def kept(files: Files) -> dict[str, Any]:
    """Bytes by kind (files outside the folders of sources are records), and what the browser says."""
    found = dict.fromkeys((*FOLDERS, RECORDS), 0)
    for file in await files.list():
        folder = file.name.split("/", 1)[0]
        found[folder if folder in FOLDERS else RECORDS] += file.bytes
    space = await files.space()
    return {
        "bytes": found,
        "used": space.used,
        "quota": space.quota,
        "persisted": bool(space.persisted),
    }
