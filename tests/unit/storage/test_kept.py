"""What the Settings room says of storage."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cairn.native.files import DirectoryFiles
from cairn.storage.kept import kept


def test_bytes_are_counted_by_what_a_person_knows(tmp_path: Path) -> None:
    """Intent: the person's own documents are named as such, not among records."""
    names = {"packs/a.zip": 5, "archives/b.zim": 7, "originals/0f": 11, "library.db": 13, "state.db": 17}
    for name, size in names.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    told = asyncio.run(kept(DirectoryFiles(tmp_path)))
    assert told["bytes"] == {"packs": 5, "archives": 7, "documents": 24, "records": 17}
