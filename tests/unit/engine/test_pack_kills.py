"""SIGKILL at random points of installs, updates and removals, on an ordinary disk.

``CAIRN_KILLS=60`` for more of them, ``CAIRN_SEED`` to repeat a run. tests/browser has the same for
Chromium and OPFS.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from cairn.index.types import LexicalQuery
from cairn.native.picked import PickedPaths
from tests.unit.engine.kill_driver import PACK, install, opened
from tests.unit.packs.published import deflated
from tests.unit.packs.sea_pack import sea_pack

KILLS = int(os.environ.get("CAIRN_KILLS", "5"))
SEED = int(os.environ.get("CAIRN_SEED", "0")) or random.SystemRandom().randrange(1, 1_000_000)
ROOT = Path(__file__).resolve().parents[3]


class Disk:
    """A library on a disk, and processes that work on it and die."""

    def __init__(self, folder: Path, packs: dict[str, Path]) -> None:
        self.folder = folder
        self.packs = packs

    def killed(self, operation: str, version: str, after: float) -> bool:
        """Begin an operation and kill it ``after`` seconds; whether it had ended before."""
        command = [sys.executable, "-m", "tests.unit.engine.kill_driver", str(self.folder), operation]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pysrc'}{os.pathsep}{ROOT}"}
        with subprocess.Popen(
            [*command, str(self.packs.get(version, ""))], cwd=ROOT, env=environment, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(after)
            process.kill()
            return b"done" in process.stdout.read()

    def whole(self, operation: str, version: str) -> float:
        """How long an operation takes that nobody interrupts."""
        command = [sys.executable, "-m", "tests.unit.engine.kill_driver", str(self.folder), operation]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pysrc'}{os.pathsep}{ROOT}"}
        with subprocess.Popen(
            [*command, str(self.packs.get(version, ""))], cwd=ROOT, env=environment, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            began = time.monotonic()
            assert process.stdout.readline() == b"done\n"
            process.kill()
            return time.monotonic() - began

    def check(self, go_on: str = "") -> str:
        """The installed version, after a look at everything; ``go_on`` ends an interrupted install."""
        return asyncio.run(self._check(go_on))

    async def _check(self, go_on: str) -> str:
        library = await opened(self.folder)
        try:
            assert not library.problems
            for job in library.jobs.infos():
                assert job["state"] == "waiting"
                if go_on:
                    assert isinstance(library.picked, PickedPaths)
                    await install(library, self.packs[go_on])
                else:
                    await library.jobs.stop(job["id"])
            assert library.jobs.infos() == []
            stored = sum(info.bytes for info in await library.files.list("packs/"))
            assert stored == sum(row.record["stored_bytes"] for row in library.packs.rows())
            if PACK not in library.sources:
                return ""
            source = library.sources[PACK]
            version = source.manifest.version
            for word in "12":
                assert bool(source.search_words(LexicalQuery((f"keeper{word}",)), 5)) == (word == version)
            await library.packs.verify(PACK, lambda phase, done, total: None)
            return version
        finally:
            await library.jobs.close()
            library.close()
            library.state.close()


def test_the_old_state_or_the_new_one_and_no_lost_bytes(tmp_path: Path) -> None:
    """Intent: never a mixture, whatever the moment; what is half done goes on or leaves no byte."""
    packs = {"1": sea_pack(tmp_path, "1")}
    packs["2"] = deflated(sea_pack(tmp_path, "2", compatible=True), tmp_path / "deflated.zip")
    disk = Disk(tmp_path / "disk", packs)
    chance = random.Random(SEED)
    seconds = {"1": disk.whole("install", "1"), "2": disk.whole("install", "2")}
    outcomes: Counter[str] = Counter()
    before = disk.check()
    for number in range(KILLS):
        operation = chance.choice(["install", "remove"]) if before else "install"
        wanted = "" if operation == "remove" else "2" if before == "1" else "1"
        ended = disk.killed(operation, wanted, chance.uniform(0, seconds.get(wanted, 0.02)))
        go_on = wanted if wanted and chance.random() < 0.5 else ""
        after = disk.check(go_on)
        message = f"seed {SEED}, kill {number}: {operation} {before!r} → {after!r}, wanted {wanted!r}"
        assert after in (before, wanted), message
        assert after == wanted or not ended, message
        outcomes[f"{operation}: {'new' if after == wanted else 'old'}"] += 1
        before = after
    print(f"\nseed {SEED}, {seconds}, {dict(outcomes)}")


if os.name != "posix":
    pytest.skip("processes are killed by signal", allow_module_level=True)
