"""A power cut at any moment of an install, an update or a removal: the old state or the new one.

Chromium is killed (SIGKILL) at random points, four of them by default; ``CAIRN_KILLS=60`` for more,
``CAIRN_SEED`` to repeat a run.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import SITE, Guard, Site
from tests.browser.waiting import wait_until
from tests.unit.packs.published import deflated
from tests.unit.packs.sea_pack import sea_pack

KILLS = int(os.environ.get("CAIRN_KILLS", "4"))
SEED = int(os.environ.get("CAIRN_SEED", "0")) or random.SystemRandom().randrange(1, 1_000_000)
START_SECONDS = 60

# The page is a link to the engine and nothing else, so that a start is quick.
PAGE = '<!doctype html><title>Kill</title><script type="module" src="/kill.mjs"></script>'
SCRIPT = """
import { connect } from "/connection.mjs";
const engine = connect();
globalThis.call = (method, params) => engine.request(method, params, { timeoutMs: 60000 });
globalThis.show = async (url) => {
  const key = crypto.randomUUID();
  const blob = await (await fetch(url)).blob();
  engine.sendFiles(key, [new File([blob], url.slice(1))], [url.slice(1)]);
  return call("packs.add", { key });
};
globalThis.stored = async () => {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("cairn");
  let bytes = 0;
  for await (const [name, handle] of root.entries()) {
    if (!/^(state|library|\\\\.names)/.test(name)) bytes += (await handle.getFile()).size;
  }
  return bytes;
};
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site without models, with two versions of a pack: one of ours, one as others publish."""
    copy = tmp_path_factory.mktemp("kills") / "site"
    ignore = shutil.ignore_patterns("models")
    shutil.copytree(SITE, copy, ignore=ignore, copy_function=lambda a, b: Path(b).hardlink_to(a))
    shutil.move(sea_pack(copy.parent, "1"), copy / "1.zip")
    deflated(sea_pack(copy.parent, "2", compatible=True), copy / "2.zip")
    (copy / "kill.html").write_text(PAGE, encoding="utf-8")
    (copy / "kill.mjs").write_text(SCRIPT.replace("\\\\", "\\"), encoding="utf-8")
    return copy


@pytest.fixture
def bare(folder: Path) -> Iterator[Site]:
    site = Site(folder)
    site.start()
    yield site
    site.stop()


class Device:
    """A device that loses its power."""

    def __init__(self, site: Site, start: Callable[..., BrowserContext], kill: Callable[[], None]) -> None:
        self._site = site
        self._start = start
        self._kill = kill
        self.page: Page = self._open()

    def cut(self) -> None:
        """Kill everything, then start again on the same profile."""
        self._kill()
        self.page = self._open()

    def begin(self, operation: str, version: str) -> None:
        """Start an operation and do not wait for it."""
        if operation == "delete":
            self.page.evaluate("void call('packs.remove', { source: 'sea-notes' })")
        else:
            self.page.evaluate(
                "url => { void show(url).then(({ id }) => call('packs.start', { job: id })) }",
                f"/{version}.zip",
            )

    def status(self) -> Any:
        return self.page.evaluate("call('engine.status')")

    def installed(self) -> str:
        """The installed version, "" for none."""
        found = [source for source in self.status()["sources"] if source["id"] == "sea-notes"]
        return str(found[0]["version"]) if found else ""

    def version(self) -> str:
        """The installed version, "" for none; what it says of itself must be what it answers."""
        found = [source for source in self.status()["sources"] if source["id"] == "sea-notes"]
        assert all(source["pack"]["state"] == "on" for source in found), found
        version = str(found[0]["version"]) if found else ""
        for word in "12":
            query = {"query": f"keeper{word}", "sources": ["sea-notes"], "semantic": False}
            hits = self.page.evaluate("query => call('engine.search', query)", query)["hits"]
            assert bool(hits) == (word == version), (version, word, len(hits))
        return version

    def settle(self, go_on: bool, version: str) -> None:
        """End what was interrupted: give it the file again, or discard it."""
        for job in self.status()["packs"]["jobs"]:
            assert job["state"] in ("waiting", "asking"), job
            if go_on and job["state"] == "waiting":
                assert self.page.evaluate("url => show(url)", f"/{version}.zip")["id"] == job["id"]
            else:
                self.page.evaluate("job => call('packs.stop', { job })", job["id"])
        wait_until(lambda: not self.status()["packs"]["jobs"], 60)

    def check_bytes(self) -> None:
        """What is stored is what is installed: no orphan, byte for byte."""

        def counted() -> tuple[int, int]:
            packs = [source["pack"]["installed_bytes"] for source in self.status()["sources"]]
            return sum(packs), int(self.page.evaluate("stored()"))

        wait_until(lambda: counted()[0] == counted()[1], 20)

    def _open(self) -> Page:
        page = self._start().new_page()
        page.goto(f"{self._site.origin}/kill.html")
        page.wait_for_function("() => Boolean(globalThis.call)")

        def answers() -> bool:
            state = page.evaluate("call('engine.status')")["readiness"]["library"]["state"]
            return state in ("ready", "empty")

        wait_until(answers, START_SECONDS)
        return page


def test_killed_at_random_points(
    bare: Site, on_disk: Callable[..., BrowserContext], kill: Callable[[], None], guard: Guard
) -> None:
    """Intent: after the restart the previous state or the new one, never a mixture, and no lost bytes."""
    chance = random.Random(SEED)
    device = Device(bare, on_disk, kill)
    whole = 0.0
    for version in "121":  # the first one shares the machine with the start of everything
        began = time.monotonic()
        device.begin("install", version)
        wait_until(lambda: device.installed() == version, 60, 0.02)  # noqa: B023
        whole = time.monotonic() - began
    outcomes: Counter[str] = Counter()
    for number in range(KILLS):
        before = device.version()
        operation = chance.choice(["delete", "update"]) if before else "install"
        wanted = "2" if before == "1" else "1"
        device.begin(operation, wanted)
        time.sleep(chance.uniform(0, 0.05 if operation == "delete" else whole))
        device.cut()
        after = device.version()
        new = "" if operation == "delete" else wanted
        assert after in (before, new), f"seed {SEED}, kill {number}: {operation} {before} → {after}"
        go_on = chance.random() < 0.5
        interrupted = bool(device.status()["packs"]["jobs"])
        device.settle(go_on, wanted)
        if interrupted:
            assert device.version() == (new if go_on else before)
        device.check_bytes()
        if device.version():
            device.page.evaluate("call('packs.verify', { source: 'sea-notes' })")
        outcomes[f"{operation}: {'new' if after == new else 'old'}{', half' if interrupted else ''}"] += 1
    print(f"\nseed {SEED}, an install takes {whole:.2f} s; {dict(outcomes)}")
