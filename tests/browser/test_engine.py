"""The engine worker: start from the snapshot, state that survives, crashes, several tabs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.app import App
from tests.browser.conftest import SITE, Guard, Site
from tests.browser.test_opfs import Worker
from tests.browser.waiting import wait_until

RENEWED = "from cairn.browser.renew import renew; renew(); import random; random.random()"


def test_it_starts_from_the_snapshot_in_named_steps(page: Page, site: Site) -> None:
    """Intent: the person sees what is happening, and Python is not booted from nothing."""
    app = App(page, site.origin)
    status = app.ready()
    steps = app.steps()
    assert {"opfs", "snapshot", "python", "wheel", "cairn", "storage", "library"} <= set(steps)
    labels = [m["params"]["label"] for m in app.said("engine.step")]
    assert not [label for label in labels if "without" in label], labels
    assert status["readiness"]["library"]["state"] == "ready"
    assert app.role() == "owner"


def test_chance_is_not_frozen_in_the_snapshot(context: BrowserContext, harness: str) -> None:
    """Intent: two starts must not draw the same numbers."""
    draws = []
    worker = Worker(context.new_page(), harness)
    for _ in range(2):
        draws.append(worker.run(RENEWED))
        worker.terminate()
        worker.start()
    assert draws[0] != draws[1]


def test_state_survives_a_reload_and_a_kill(
    on_disk: Callable[..., BrowserContext], kill: Callable[[], None], site: Site
) -> None:
    """Intent: what is installed is installed; a killed browser loses nothing that was committed."""
    app = App(on_disk().new_page(), site.origin)
    first = app.ready()["sources"]
    assert first
    app.reload()
    assert app.ready()["sources"] == first
    assert "starter" not in app.steps()  # not installed again
    kill()
    again = App(on_disk().new_page(), site.origin)
    assert again.ready()["sources"] == first
    assert "starter" not in again.steps()
    assert again.search("water")


@pytest.fixture
def variant(tmp_path: Path) -> Callable[[dict[str, bytes]], Path]:
    """A copy of the site in which some files differ."""

    def make(changes: dict[str, bytes]) -> Path:
        copy = tmp_path / "site"
        shutil.copytree(SITE, copy, copy_function=lambda a, b: Path(b).hardlink_to(a))
        for name, content in changes.items():
            (copy / name).unlink()
            (copy / name).write_bytes(content)
        return copy

    return make


def test_a_snapshot_that_does_not_match_is_not_used(
    page: Page, variant: Callable[[dict[str, bytes]], Path]
) -> None:
    """Intent: another build's snapshot would crash Python; the slow way works and says so."""
    snapshot = bytearray((SITE / "python/snapshot.gz").read_bytes())
    snapshot[1000] ^= 1
    other = Site(variant({"python/snapshot.gz": bytes(snapshot)}))
    other.start()
    try:
        app = App(page, other.origin)
        assert app.ready()["readiness"]["library"]["state"] == "ready"
        labels = [m["params"]["label"] for m in app.said("engine.step")]
        assert [label for label in labels if "without its snapshot" in label]
    finally:
        other.stop()


def test_a_damaged_copy_of_the_snapshot_is_given_up(page: Page, site: Site) -> None:
    """Intent: the unpacked snapshot that a device keeps may rot; the next start must not stumble."""
    app = App(page, site.origin)
    app.ready()
    path = (
        "navigator.storage.getDirectory().then((r) => r.getDirectoryHandle('cairn-start'))"
        ".then((d) => d.getFileHandle('snapshot'))"
    )
    size = f"() => {path}.then((f) => f.getFile()).then((f) => f.size)"
    wait_until(lambda: page.evaluate(size) > 30_000_000)
    # The engine lets go of the file a moment after its last byte was written.
    damage = f"""() => {path}.then(async (file) => {{
      const writer = await file.createWritable({{ keepExistingData: true }});
      await writer.write({{ type: "write", position: 64, data: new Uint8Array(4096).fill(255) }});
      await writer.close();
      return true;
    }}).catch((error) => {{
      if (error.name !== "NoModificationAllowedError") throw error;
      return false;
    }})"""
    wait_until(lambda: page.evaluate(damage))
    app.reload()
    assert app.ready()["readiness"]["library"]["state"] == "ready"
    labels = [m["params"]["label"] for m in app.said("engine.step")]
    assert [label for label in labels if "without its snapshot" in label], labels
    app.reload()
    app.ready()
    labels = [m["params"]["label"] for m in app.said("engine.step")]
    assert not [label for label in labels if "without" in label], labels


def test_a_wheel_that_does_not_match_fails_with_a_reason(
    page: Page, variant: Callable[[dict[str, bytes]], Path]
) -> None:
    """Intent: code of another build never runs; the page gets a code, a sentence and a step."""
    record = json.loads((SITE / "python/boot.json").read_text("utf-8"))
    record["wheel"]["sha256"] = "0" * 64
    other = Site(variant({"python/boot.json": json.dumps(record).encode()}))
    other.start()
    try:
        app = App(page, other.origin)
        [failed] = wait_until(lambda: app.said("engine.failed"))
        assert failed["params"]["code"] == "pack_mismatch"
        assert "cairn-" in failed["params"]["message"]
        assert failed["params"]["hint"]
    finally:
        other.stop()


REMEMBER_WORKERS = """
globalThis.workers = [];
globalThis.Worker = class extends Worker {
  constructor(...args) { super(...args); workers.push(this); }
};
"""


def test_a_dead_engine_is_noticed_and_started_once_more(page: Page, site: Site, guard: Guard) -> None:
    """Intent: a worker that ends without a word (out of memory) must not leave the page waiting."""
    page.add_init_script(REMEMBER_WORKERS)
    app = App(page, site.origin)
    app.ready()
    page.evaluate(
        "() => { globalThis.asked = engine.request('engine.ask', {question: 'water'})"
        ".catch((error) => error.code); globalThis.workers.splice(0)[0].terminate(); }"
    )
    assert page.evaluate("() => globalThis.asked") == "worker_crashed"
    [failed] = app.said("engine.failed")
    assert failed["params"]["code"] == "worker_crashed"
    wait_until(lambda: len(app.said("engine.started")) == 2)
    assert app.search("water")
    page.evaluate("() => globalThis.workers[0].terminate()")
    wait_until(lambda: len(app.said("engine.failed")) == 2)
    assert "starting again" not in app.said("engine.failed")[1]["params"]["message"]


def test_a_second_tab_works_through_the_first_and_takes_over(context: BrowserContext, site: Site) -> None:
    """Intent: one engine per origin; every tab is served; the lock moves when asked, not before."""
    first = App(context.new_page(), site.origin)
    first.ready()
    second = App(context.new_page(), site.origin)
    wait_until(lambda: second.role() == "attached")
    assert second.ready()["sources"]
    assert second.search("water")
    second.page.evaluate("() => cairn.takeOver()")
    wait_until(lambda: second.role() == "owner" and first.role() == "released")
    assert second.search("water")
    assert first.search("water")  # the first one is served by the second now


def test_when_the_owner_closes_another_tab_takes_over(context: BrowserContext, site: Site) -> None:
    """Intent: nothing that was asked is lost when the tab in charge goes away."""
    first = App(context.new_page(), site.origin)
    first.ready()
    second = App(context.new_page(), site.origin)
    third = App(context.new_page(), site.origin)
    wait_until(lambda: second.role() == third.role() == "attached")
    second.ready()
    first.page.close()
    wait_until(lambda: "owner" in (second.role(), third.role()), seconds=10)
    assert second.search("water")
    assert third.search("water")


def test_a_frozen_owner_is_robbed_after_three_seconds(context: BrowserContext, site: Site) -> None:
    """Intent: a tab that does not answer cannot keep the library; it lets go when it wakes."""
    first = App(context.new_page(), site.origin)
    first.ready()
    second = App(context.new_page(), site.origin)
    wait_until(lambda: second.role() == "attached")
    # Deaf for the channel, as a frozen page is.
    first.page.evaluate("() => { BroadcastChannel.prototype.dispatchEvent = () => true; }")
    first.page.evaluate(
        "() => { Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set() {} }); }"
    )
    session = context.new_cdp_session(first.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    second.page.evaluate("() => cairn.takeOver()")
    wait_until(lambda: second.role() == "owner", seconds=15)
    assert second.search("water")


def test_a_question_asked_before_the_page_runs_is_kept(page: Page, site: Site) -> None:
    """Intent: the box is there before the interface is; what is asked meanwhile is not lost."""
    page.route("**/vendor/pyscript/**", lambda route: route.abort())  # the interface never comes
    App(page, site.origin)
    page.fill("#question", "  How do I purify water?  ")
    page.press("#question", "Enter")
    assert page.evaluate("() => document.documentElement.dataset.queued") == "yes"
    assert page.evaluate("() => cairn.takeQueuedQuestion()") == "How do I purify water?"
    assert page.evaluate("() => document.documentElement.dataset.queued ?? ''") == ""


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("delete StorageManager.prototype.getDirectory; delete globalThis.indexedDB", "OPFS"),
        ("delete globalThis.Worker", "workers"),
        ("delete globalThis.WebAssembly", "WebAssembly"),
    ],
)
def test_a_browser_that_lacks_a_part_is_told_which(
    page: Page, harness: str, missing: str, named: str
) -> None:
    """Intent: no hanging page; what is missing is named, and what to use instead."""
    page.add_init_script(missing)
    app = App(page, harness, "/harness/app.html")
    [failed] = app.said("engine.failed")
    assert named in failed["params"]["message"]
    assert failed["params"]["hint"]
    with pytest.raises(Exception, match=named):
        app.request("engine.status")
