"""state.db: what a person has, kept through restarts, crashes, full disks and damage."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.errors import StorageFull, StorageUnavailable
from cairn.native.files import DirectoryFiles
from cairn.storage import migrations
from cairn.storage.state import STATE_FILE, SourceRow, State

NOTES = SourceRow(
    id="field-notes",
    kind="pack",
    version="2026.1",
    sha256="a" * 64,
    record={"file": "packs/a.zip", "título": "水"},
    added_ms=1.5,
)


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Callable[[], State]]:
    """Open state.db, closing the one opened before: a restart."""
    opened: list[State] = []

    def restart() -> State:
        for state in opened:
            state.close()
        opened[:] = [asyncio.run(State.open(DirectoryFiles(tmp_path)))]
        return opened[0]

    yield restart
    for state in opened:
        state.close()


def connection(state: State) -> sqlite3.Connection:
    """The database below, to do to it what the device may do."""
    return state._db


def test_settings_keep_any_json_value(reopen: Callable[[], State]) -> None:
    """Intent: what was chosen is there after a restart, and absent is not null."""
    values: dict[str, Any] = {"a": None, "b": False, "c": [1, {"x": "水 😀"}], "d": "", "e": 0}
    state = reopen()
    for key, value in values.items():
        state.set_setting(key, "first")
        state.set_setting(key, value)
    state = reopen()
    assert {key: state.setting(key, "missing") for key in values} == values
    assert state.setting("nothing", "missing") == "missing"


def test_a_source_survives_a_restart_as_it_was(reopen: Callable[[], State]) -> None:
    """Intent: the record is the format's own business and comes back unchanged."""
    reopen().put_source(NOTES)
    state = reopen()
    assert state.sources() == [NOTES]
    assert state.source("field-notes") == NOTES
    assert state.source("nothing") is None


def test_putting_a_source_again_replaces_all_of_it(reopen: Callable[[], State]) -> None:
    """Intent: activation is one step; nothing of the old version is mixed into the new one."""
    newer = SourceRow("field-notes", "pack", "2026.2", "b" * 64, {"file": "packs/b.zip"}, False, 9.0)
    state = reopen()
    state.put_source(NOTES)
    state.put_source(newer)
    assert state.sources() == [newer]


def test_removed_sources_are_gone(reopen: Callable[[], State]) -> None:
    """Intent: removing what is not there is no fault."""
    state = reopen()
    state.put_source(NOTES)
    state.remove_source("field-notes")
    state.remove_source("field-notes")
    assert reopen().sources() == []


def test_an_interrupted_change_is_undone_at_the_next_start(
    reopen: Callable[[], State], tmp_path: Path
) -> None:
    """Intent: the power goes while a newer version is being recorded; the old one is there after."""
    state = reopen()
    state.put_source(NOTES)
    db = connection(state)
    db.execute("PRAGMA cache_size = 1")
    db.execute("PRAGMA cache_spill = 1")
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE sources SET version = 'half'")
    for n in range(200):  # more than the cache holds: pages reach the file before the commit
        db.execute("INSERT INTO settings VALUES (?, ?)", (f"half-{n}", "x" * 4000))
    copy = tmp_path / "after-crash"
    copy.mkdir()
    for name in (STATE_FILE, STATE_FILE + "-journal"):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    assert b"half-1" in (copy / STATE_FILE).read_bytes()

    after = asyncio.run(State.open(DirectoryFiles(copy)))
    assert after.sources() == [NOTES]
    assert after.setting("half-1", "missing") == "missing"
    after.close()


def test_a_newer_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    """Intent: fails closed, with the next step; the file's bytes stay as the newer version left them."""
    db = sqlite3.connect(tmp_path / STATE_FILE)
    db.execute("CREATE TABLE from_the_future (x)")
    db.execute(f"PRAGMA user_version = {len(migrations.MIGRATIONS) + 1}")
    db.close()
    before = (tmp_path / STATE_FILE).read_bytes()
    with pytest.raises(StorageUnavailable, match="newer version"):
        asyncio.run(State.open(DirectoryFiles(tmp_path)))
    assert (tmp_path / STATE_FILE).read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database" * 400, b"SQLite format 3\0" + b"\xff" * 8176])
def test_a_damaged_database_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    """Intent: damage is said in a sentence; nothing is silently thrown away or started anew."""
    (tmp_path / STATE_FILE).write_bytes(content)
    with pytest.raises(StorageUnavailable) as caught:
        asyncio.run(State.open(DirectoryFiles(tmp_path)))
    assert caught.value.hint
    assert (tmp_path / STATE_FILE).read_bytes() == content


def test_a_full_disk_is_a_typed_error_and_changes_nothing(reopen: Callable[[], State]) -> None:
    """Intent: the person reads what to do; the old version of the source stays recorded."""
    state = reopen()
    state.put_source(NOTES)
    pages = connection(state).execute("PRAGMA page_count").fetchone()[0]
    connection(state).execute(f"PRAGMA max_page_count = {pages}")
    big = SourceRow("field-notes", "pack", "2", "c" * 64, {"text": "x" * 100_000})
    with pytest.raises(StorageFull) as caught:
        state.put_source(big)
    assert caught.value.hint
    with pytest.raises(StorageFull):
        state.set_setting("big", "x" * 100_000)
    assert state.sources() == [NOTES]
    assert reopen().sources() == [NOTES]


def test_damage_found_later_is_a_typed_error(reopen: Callable[[], State], tmp_path: Path) -> None:
    """Intent: no sqlite3 exception leaves this module."""
    state = reopen()
    state.put_source(NOTES)
    connection(state).execute("DROP TABLE sources")
    for use in (state.sources, lambda: state.put_source(NOTES), lambda: state.remove_source("x")):
        with pytest.raises(StorageUnavailable):
            use()
