"""The library: what is installed answers; updates swap in one step; faults are said, not spread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cairn.errors import (
    CairnError,
    DocumentNotFound,
    DownloadFailed,
    PackInvalid,
    PackMismatch,
    StorageFull,
)
from cairn.native.files import DirectoryFiles
from cairn.sources.library import Library
from cairn.storage.state import SourceRow, State
from tests.unit.engine.fake_packs import FakePacks, pack_bytes, publish
from tests.unit.engine.fakes import FakeFetch


class Fixture:
    """A device: its storage outlives each library that is opened over it."""

    def __init__(self, root: Path, packs: FakePacks) -> None:
        self.files = DirectoryFiles(root)
        self.fetch = FakeFetch()
        self.packs = packs
        self.progress: list[tuple[str, int, int]] = []

    async def open(self) -> Library:
        """The library as after a start of the engine."""
        self.state = await State.open(self.files)
        library = Library(self.files, self.fetch, self.state, lambda: 42.0)
        await library.open_recorded()
        return library

    async def install(self, library: Library) -> list[str]:
        return await library.install_shipped(lambda *step: self.progress.append(step))

    def close(self, library: Library) -> None:
        library.close()
        self.state.close()

    async def pack_files(self) -> list[str]:
        return [info.name for info in await self.files.list("packs/")]


Scenario = Callable[[Fixture], Awaitable[None]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Scenario], None]:
    packs = FakePacks()
    monkeypatch.setattr("cairn.sources.packs.shelf.packs", packs)

    def go(scenario: Scenario) -> None:
        fixture = Fixture(tmp_path, packs)
        try:
            asyncio.run(scenario(fixture))
        finally:
            fixture.state.close()

    return go


def test_the_shipped_pack_is_installed_once(run: Callable[[Scenario], None]) -> None:
    """Intent: the first start installs; the second opens what is there and fetches no pack."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        assert library.sources == {}
        assert await f.install(library) == ["notes"]
        assert f.progress
        assert library.get("notes").title == "Field notes 1"
        f.close(library)

        del f.fetch.files["packs/notes.zip"]
        library = await f.open()
        assert [info["id"] for info in library.infos()] == ["notes"]
        assert await f.install(library) == []
        row = f.state.source("notes")
        assert row is not None
        assert (row.kind, row.version, row.active, row.added_ms) == ("pack", "1", True, 42.0)

    run(scenario)


def test_an_update_swaps_in_one_step(run: Callable[[Scenario], None]) -> None:
    """Intent: the old version answers until the new one is recorded, then only the new one exists."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        old = library.get("notes")
        publish(f.fetch, pack_bytes(version="2"))
        seen: list[str] = []
        await library.install_shipped(lambda *step: seen.append(library.get("notes").title))
        assert set(seen) == {"Field notes 1"}
        assert library.get("notes").title == "Field notes 2"
        assert f.packs.open_now == [library.get("notes")]
        assert old.closed  # type: ignore[attr-defined]
        row = f.state.source("notes")
        assert row is not None
        assert await f.pack_files() == [row.record["file"]]

    run(scenario)


def test_the_swap_waits_until_no_question_is_running(run: Callable[[Scenario], None]) -> None:
    """Intent: a question that is being answered never finds its source closed under it."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        publish(f.fetch, pack_bytes(version="2"))
        quiet = asyncio.Event()

        async def wait_for_quiet() -> None:
            await quiet.wait()

        library.quiet = wait_for_quiet
        installing = asyncio.ensure_future(f.install(library))
        await asyncio.sleep(0.05)
        (asked,) = library.select(None)
        assert asked.title == "Field notes 1"
        assert not asked.closed  # type: ignore[attr-defined]
        quiet.set()
        await installing
        assert library.get("notes").title == "Field notes 2"

    run(scenario)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (lambda f: publish(f.fetch, pack_bytes(version="2"), sha256="f" * 64), PackMismatch),
        (lambda f: publish(f.fetch, pack_bytes(version="2", unreadable=True)), PackInvalid),
        (
            lambda f: (publish(f.fetch, pack_bytes(version="2")), f.fetch.files.pop("packs/notes.zip")),
            DownloadFailed,
        ),
        (lambda f: f.fetch.files.update({"precache.json": b"<html>"}), DownloadFailed),
        (lambda f: f.fetch.files.update({"precache.json": b'{"packs": [{}]}'}), DownloadFailed),
        (lambda f: f.fetch.files.update({"precache.json": b"[]"}), DownloadFailed),
    ],
    ids=["wrong bytes", "unreadable", "not there", "no list", "list without fields", "no object"],
)
def test_a_failed_update_keeps_the_old_version(
    run: Callable[[Scenario], None], fault: Callable[[Fixture], object], error: type[CairnError]
) -> None:
    """Intent: whatever is wrong with the new one, what worked goes on working, also after a restart."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        fault(f)
        with pytest.raises(error):
            await f.install(library)
        assert library.get("notes").title == "Field notes 1"
        assert f.packs.open_now == [library.get("notes")]
        f.close(library)
        library = await f.open()
        assert library.get("notes").title == "Field notes 1"
        await library.remove_orphans()
        row = f.state.source("notes")
        assert row is not None
        assert await f.pack_files() == [row.record["file"]]

    run(scenario)


def test_an_update_that_cannot_be_recorded_leaves_nothing_open(
    run: Callable[[Scenario], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: a disk that fills up at the last step costs nothing but the update."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        publish(f.fetch, pack_bytes(version="2"))

        def full(self: State, row: SourceRow, *, ends_job: str = "") -> None:
            raise StorageFull("No room.")

        monkeypatch.setattr(State, "put_source", full)
        with pytest.raises(StorageFull):
            await f.install(library)
        assert library.get("notes").title == "Field notes 1"
        assert f.packs.open_now == [library.get("notes")]

    run(scenario)


def test_orphans_are_removed_and_nothing_else(run: Callable[[Scenario], None]) -> None:
    """Intent: half installs and replaced versions free their room; other files are not ours to judge."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        await f.files.ensure("packs/half.part")
        await f.files.ensure("models/weights")
        assert await library.remove_orphans() == ["packs/half.part"]
        assert len(await f.pack_files()) == 1
        assert {"models/weights", "state.db"} <= {info.name for info in await f.files.list()}

    run(scenario)


def test_a_source_that_cannot_be_opened_is_reported_and_the_others_go_on(
    run: Callable[[Scenario], None],
) -> None:
    """Intent: one damaged pack is not the end of the library; its record is not lost."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes("alpha"), pack_bytes("beta"))
        library = await f.open()
        await f.install(library)
        f.close(library)
        state = await State.open(f.files)
        row = next(row for row in state.sources() if row.id == "alpha")
        state.close()
        Path(await f.files.ensure(row.record["file"])).write_bytes(b"")

        library = await f.open()
        assert list(library.sources) == ["beta"]
        assert [source.id for source in library.select(["alpha", "beta"])] == ["beta"]
        assert isinstance(library.problems["alpha"], PackInvalid)
        with pytest.raises(PackInvalid):
            library.get("alpha")
        assert f.state.source("alpha") is not None
        assert row.record["file"] in await f.pack_files()

        # The app still has it: installing again repairs it.
        assert await f.install(library) == ["alpha"]
        assert library.problems == {}
        assert library.get("alpha").title == "Field notes 1"

    run(scenario)


def test_one_shipped_pack_that_fails_does_not_stop_the_next(run: Callable[[Scenario], None]) -> None:
    """Intent: the person gets what can be had, and hears of the rest."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes("alpha", unreadable=True), pack_bytes("beta"))
        library = await f.open()
        with pytest.raises(PackInvalid):
            await f.install(library)
        assert list(library.sources) == ["beta"]

    run(scenario)


def test_a_source_that_was_turned_off_stays_off(run: Callable[[Scenario], None]) -> None:
    """Intent: an update of the app does not overrule the person."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes())
        library = await f.open()
        await f.install(library)
        row = f.state.source("notes")
        assert row is not None
        f.state.put_source(SourceRow(row.id, row.kind, row.version, row.sha256, row.record, active=False))
        f.close(library)
        library = await f.open()
        publish(f.fetch, pack_bytes(version="2"))
        assert await f.install(library) == []
        assert library.sources == {}
        assert await library.remove_orphans() == []

    run(scenario)


def test_selecting_asks_for_what_is_there(run: Callable[[Scenario], None]) -> None:
    """Intent: None means all; unknown ids are left out; a citation of nothing is told so."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes("alpha"), pack_bytes("beta"))
        library = await f.open()
        await f.install(library)
        assert {source.id for source in library.select(None)} == {"alpha", "beta"}
        assert [source.id for source in library.select(["beta", "gamma"])] == ["beta"]
        assert library.select([]) == []
        with pytest.raises(DocumentNotFound) as caught:
            library.get("gamma")
        assert caught.value.hint

    run(scenario)


def test_closing_closes_every_source(run: Callable[[Scenario], None]) -> None:
    """Intent: another tab takes over and must find the files free."""

    async def scenario(f: Fixture) -> None:
        publish(f.fetch, pack_bytes("alpha"), pack_bytes("beta"))
        library = await f.open()
        await f.install(library)
        library.close()
        library.close()
        assert f.packs.open_now == []

    run(scenario)
