"""What every adapter of the files port must do; each check runs against all of them.

A check is an async function of ``restart``, which gives a :class:`cairn.storage.ports.Files` over
storage that is empty at first, and over the same storage again at every further call, as after a
restart of the engine. ``test_files.py`` runs the checks on a directory, ``tests/pyodide`` on OPFS.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

from cairn.errors import StorageUnavailable
from cairn.storage.ports import Files

Restart = Callable[[], Awaitable[Files]]
Check = Callable[[Restart], Awaitable[None]]

CHECKS: dict[str, Check] = {}

DB = "notes.db"
JOURNAL = DB + "-journal"


def check(function: Check) -> Check:
    """Add a check to the suite."""
    CHECKS[function.__name__] = function
    return function


def write(path: str, content: bytes) -> None:
    with Path(path).open("r+b") as file:
        file.truncate(0)
        file.write(content)


async def sizes(files: Files, prefix: str = "") -> dict[str, int]:
    return {info.name: info.bytes for info in await files.list(prefix)}


@check
async def an_ensured_file_is_there_empty_and_can_be_opened(restart: Restart) -> None:
    """Intent: Python and SQLite open by path, which on OPFS works only for ensured files."""
    files = await restart()
    path = await files.ensure("a.txt")
    assert Path(path).read_bytes() == b""
    assert await sizes(files) == {"a.txt": 0}


@check
async def ensuring_again_keeps_the_content(restart: Restart) -> None:
    """Intent: ensure is asked at every start."""
    files = await restart()
    write(await files.ensure("a.txt"), b"kept")
    assert Path(await files.ensure("a.txt")).read_bytes() == b"kept"


@check
async def content_survives_a_restart(restart: Restart) -> None:
    """Intent: that is what storage is for; names may hold folders and any letter."""
    names = ["a.txt", "packs/deep/b.bin", "packs/field notes 100% 水😀.zip"]
    files = await restart()
    for name in names:
        write(await files.ensure(name), name.encode())
    files = await restart()
    assert await sizes(files) == {name: len(name.encode()) for name in names}
    for name in names:
        assert Path(await files.ensure(name)).read_bytes() == name.encode()


@check
async def a_released_file_keeps_its_content_and_is_ensured_again(restart: Restart) -> None:
    """Intent: originals are many more than the handles that a browser keeps open."""
    files = await restart()
    write(await files.ensure("originals/a"), b"kept")
    await files.release("originals/a")
    await files.release("originals/unknown")
    assert await sizes(files) == {"originals/a": 4}
    assert Path(await files.ensure("originals/a")).read_bytes() == b"kept"
    await files.release("originals/a")
    await files.remove("originals/a")
    assert await sizes(files) == {}


@check
async def companions_are_ready_with_the_file(restart: Restart) -> None:
    """Intent: SQLite opens its journal by itself, in the middle of a synchronous call."""
    files = await restart()
    path = await files.ensure(DB, companions=(JOURNAL,))
    assert Path(path + "-journal").read_bytes() == b""
    write(path + "-journal", b"j")
    assert (await sizes(files))[JOURNAL] == 1


@check
async def many_files_may_be_ensured_at_once(restart: Restart) -> None:
    """Intent: opening is asynchronous; several parts open theirs at the same time."""
    files = await restart()
    paths = await asyncio.gather(*(files.ensure(f"f{n % 12}") for n in range(24)))
    assert paths[:12] == paths[12:]
    for n, path in enumerate(paths[:12]):
        write(path, bytes([n]))
    assert [Path(path).read_bytes() for path in paths[:12]] == [bytes([n]) for n in range(12)]


@check
async def files_can_be_written_anywhere_grown_and_cut(restart: Restart) -> None:
    """Intent: SQLite writes pages out of order, packs are written in large pieces."""
    files = await restart()
    path = await files.ensure("big.bin")
    with Path(path).open("r+b") as file:
        file.write(b"x" * 3_000_000)
        file.seek(1_000_000)
        file.write(b"middle")
        file.seek(3_500_000)
        file.write(b"end")
    content = Path(path).read_bytes()
    assert len(content) == 3_500_003
    assert content[999_999:1_000_007] == b"xmiddlex"
    assert content[3_000_000:3_500_000] == bytes(500_000)  # what was skipped reads as zeros
    with Path(path).open("r+b") as file:
        file.truncate(10)
    assert Path(path).read_bytes() == b"x" * 10
    assert await sizes(files) == {"big.bin": 10}


@check
async def list_filters_by_prefix_and_sorts_by_name(restart: Restart) -> None:
    """Intent: orphans are found by their prefix; order does not depend on the device."""
    files = await restart()
    for name in ("packs/b", "packs/a", "pack", "other"):
        write(await files.ensure(name), b"1")
    assert [info.name for info in await files.list("packs/")] == ["packs/a", "packs/b"]
    assert [info.name for info in await files.list()] == ["other", "pack", "packs/a", "packs/b"]
    assert await files.list("nothing/") == []


@check
async def a_removed_file_is_gone_and_its_name_starts_anew(restart: Restart) -> None:
    """Intent: nothing of a removed pack comes back; removing what is missing is no fault."""
    files = await restart()
    write(await files.ensure("a"), b"secret")
    await files.remove("a")
    await files.remove("a")
    await files.remove("never/was")
    assert await sizes(files) == {}
    assert Path(await files.ensure("a")).read_bytes() == b""
    files = await restart()
    assert (await sizes(files)).get("a", 0) == 0


@check
async def a_file_that_was_not_opened_can_be_removed(restart: Restart) -> None:
    """Intent: orphans of an earlier run are removed without being opened."""
    files = await restart()
    write(await files.ensure("packs/old"), b"old")
    files = await restart()
    await files.remove("packs/old")
    assert await sizes(files) == {}
    assert await sizes(await restart()) == {}


@check
async def rename_moves_the_content_and_replaces(restart: Restart) -> None:
    """Intent: a verified download takes its place in one step, also across a restart."""
    files = await restart()
    write(await files.ensure("packs/new.part"), b"new content")
    write(await files.ensure("packs/pack.zip"), b"old")
    await files.rename("packs/new.part", "packs/pack.zip")
    assert await sizes(files) == {"packs/pack.zip": 11}
    assert Path(await files.ensure("packs/pack.zip")).read_bytes() == b"new content"
    write(await files.ensure("packs/new.part"), b"again")
    files = await restart()
    assert await sizes(files) == {"packs/new.part": 5, "packs/pack.zip": 11}
    assert Path(await files.ensure("packs/pack.zip")).read_bytes() == b"new content"
    assert Path(await files.ensure("packs/new.part")).read_bytes() == b"again"


@check
async def a_slice_shows_its_bytes_and_no_others(restart: Restart) -> None:
    """Intent: a member of a pack is opened in place; it must not see its neighbours."""
    files = await restart()
    write(await files.ensure("packs/p.zip"), b"before|inside|after")
    path = await files.slice("packs/p.zip", 7, 6, "view/inside")
    view = Path(path)
    assert view.stat().st_size == 6
    assert view.read_bytes() == b"inside"
    with view.open("rb") as file:
        file.seek(4)
        assert file.read(100) == b"de"
        assert file.read(1) == b""
        file.seek(-3, 2)
        assert file.read() == b"ide"


@check
async def writing_to_a_slice_never_reaches_the_file(restart: Restart) -> None:
    """Intent: a pack's bytes were verified; nothing changes them afterwards."""
    files = await restart()
    write(await files.ensure("packs/p.zip"), b"before|inside|after")
    view = await files.slice("packs/p.zip", 7, 6, "view/inside")
    with suppress(OSError):
        write(view, b"X")
    assert Path(await files.ensure("packs/p.zip")).read_bytes() == b"before|inside|after"


@check
async def a_slice_outside_its_file_is_refused(restart: Restart) -> None:
    """Intent: a damaged directory of a pack must not open something else, or nothing."""
    files = await restart()
    write(await files.ensure("packs/p.zip"), b"0123456789")
    for name, offset, length in (
        ("packs/p.zip", 5, 6),
        ("packs/p.zip", 11, 1),
        ("packs/p.zip", -1, 2),
        ("packs/missing.zip", 0, 1),
    ):
        try:
            await files.slice(name, offset, length, "view/bad")
        except StorageUnavailable:
            continue
        raise AssertionError(f"{name} {offset} {length} was accepted")
    assert await sizes(files) == {"packs/p.zip": 10}  # asking for a missing file does not create it


@check
async def slices_are_no_files_and_end_with_unmount(restart: Restart) -> None:
    """Intent: views are not stored, not listed, and their names can be used again."""
    files = await restart()
    write(await files.ensure("p"), b"0123456789")
    first = await files.slice("p", 0, 3, "view")
    assert await sizes(files) == {"p": 10}
    await files.unmount("view")
    await files.unmount("view")
    await files.unmount("never was")
    assert not Path(first).exists()
    second = await files.slice("p", 5, 2, "view")
    assert Path(second).read_bytes() == b"56"
    assert await sizes(await restart()) == {"p": 10}


@check
async def sqlite_keeps_committed_and_drops_rolled_back_rows(restart: Restart) -> None:
    """Intent: a transaction is a transaction on this storage, with the journal made ahead."""
    files = await restart()
    path = await files.ensure(DB, companions=(JOURNAL,))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert db.execute("PRAGMA journal_mode = TRUNCATE").fetchone() == ("truncate",)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cache_size = 5")  # forces pages out before the commit
        db.execute("CREATE TABLE t (x)")
        rows = [("r" * 500,)] * 500
        for ending in ("COMMIT", "ROLLBACK"):
            db.execute("BEGIN")
            db.executemany("INSERT INTO t VALUES (?)", rows)
            db.execute(ending)
    files = await restart()
    path = await files.ensure(DB, companions=(JOURNAL,))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*), sum(length(x)) FROM t").fetchone() == (500, 250_000)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@check
async def sqlite_opens_an_index_inside_a_larger_file(restart: Restart) -> None:
    """Intent: full-text search in place, without extracting, as packs do."""
    files = await restart()
    path = await files.ensure("build.db", companions=("build.db-journal",))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = TRUNCATE")
        db.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        db.execute("BEGIN")
        db.executemany("INSERT INTO t VALUES (?)", [(f"boil water {n} minutes",) for n in range(300)])
        db.execute("COMMIT")
    content = Path(path).read_bytes()
    pack = await files.ensure("packs/p.zip")
    write(pack, b"#" * 1111 + content + b"#" * 99)
    view = await files.slice("packs/p.zip", 1111, len(content), "index.db")
    with closing(sqlite3.connect(f"file:{view}?immutable=1", uri=True)) as db:
        assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)
        found = db.execute("SELECT rowid FROM t WHERE t MATCH 'boil AND 17'").fetchall()
        assert found == [(18,)]


@check
async def space_says_numbers_or_does_not_know(restart: Restart) -> None:
    """Intent: quota is shown to people; a wrong type would break the page."""
    space = await (await restart()).space()
    for value in (space.used, space.quota):
        assert value is None or (isinstance(value, int) and value >= 0)
    assert space.persisted in (None, True, False)
