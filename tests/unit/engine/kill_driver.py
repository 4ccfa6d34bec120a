"""One operation on a library, in a process of its own that may be killed at any moment.

``python -m tests.unit.engine.kill_driver FOLDER install|remove [PACK]`` prints "ready" before it
begins and "done" after it ended.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from cairn.errors import CairnError
from cairn.native.fetch import LocalFetch
from cairn.native.files import DirectoryFiles
from cairn.native.picked import PickedPaths
from cairn.sources.library import Library
from cairn.sources.packs import copying
from cairn.storage.state import State

PACK = "sea-notes"


async def opened(folder: Path) -> Library:
    """The library as a start of the engine finds it, cleared up."""
    files = DirectoryFiles(folder)
    state = await State.open(files)
    picked = PickedPaths()
    library = Library(files, LocalFetch(folder), state, lambda: time.time() * 1000, picked=picked)
    await library.open_recorded()
    library.jobs.restore()
    await library.remove_orphans()
    return library


async def install(library: Library, pack: Path) -> None:
    """Install a pack from a file and wait for it; an interrupted install goes on."""
    assert isinstance(library.picked, PickedPaths)
    over = asyncio.Event()
    library.jobs.ended = lambda *_: over.set()
    library.picked.pick("key", [pack])
    job = await library.jobs.add_file("key")
    library.jobs.start(job["id"])
    await over.wait()


async def main(folder: Path, operation: str, pack: str) -> None:
    copying.PIECE = copying.FLUSH = 64 << 10  # as many moments to be killed at as a large pack has
    library = await opened(folder)
    print("ready", flush=True)
    if operation == "remove":
        await library.packs.remove(PACK)
    else:
        await install(library, Path(pack))
    print("done", flush=True)
    await asyncio.sleep(60)


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1]), sys.argv[2], *sys.argv[3:] or [""]))
    except CairnError as error:
        sys.exit(f"{error.code}: {error.message}")
