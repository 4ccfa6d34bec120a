"""What the library takes on this device, by kind."""

from __future__ import annotations

from typing import Any

from cairn.storage.ports import Files

KINDS = {"packs": "packs", "archives": "archives", "originals": "documents", "library.db": "documents"}
"""Of folders, and of files that lie in none."""

RECORDS = "records"


async def kept(files: Files) -> dict[str, Any]:
    """Bytes by kind (what belongs to no kind of source are records), and what the browser says."""
    found = dict.fromkeys((*KINDS.values(), RECORDS), 0)
    for file in await files.list():
        found[KINDS.get(file.name.split("/", 1)[0], RECORDS)] += file.bytes
    space = await files.space()
    return {
        "bytes": found,
        "used": space.used,
        "quota": space.quota,
        "persisted": bool(space.persisted),
    }
