"""SQLite on OPFS: durable, atomic under kills, exact about what goes wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

JOURNALS = ("TRUNCATE", "PERSIST", "DELETE")
OPEN = """
import os, sqlite3
db = sqlite3.connect("/cairn/{name}", isolation_level=None)
db.execute("PRAGMA journal_mode = {journal}")
db.execute("PRAGMA synchronous = FULL")
"""


class Worker:
    """tests/browser/harness/opfs-worker.mjs."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        page.goto(f"{origin}/harness/worker-page.html?worker=opfs-worker.mjs")
        self.start()

    def start(self) -> None:
        self.page.evaluate("() => globalThis.start()")

    def terminate(self) -> None:
        self.page.evaluate("() => globalThis.terminate()")

    def call(self, action: str, *args: Any) -> Any:
        return self.page.evaluate("([action, args]) => globalThis.call(action, ...args)", [action, args])

    def run(self, code: str) -> Any:
        return self.call("run", code)

    def open(self, name: str, journal: str = "TRUNCATE") -> None:
        self.call("ensure", name, f"{name}-journal")
        self.run(OPEN.format(name=name, journal=journal))


@pytest.fixture
def worker(page: Page, harness: str) -> Worker:
    return Worker(page, harness)


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_commit_is_flushed(worker: Worker, journal: str) -> None:
    """Intent: SQLite syncs with fdatasync, which Emscripten ignores; ours must reach flush()."""
    worker.open("a.db", journal)
    worker.run("db.execute('CREATE TABLE t (x)')")
    before = worker.call("flushes")
    worker.run("db.execute('INSERT INTO t VALUES (1)')")
    assert worker.call("flushes") - before >= 2  # the journal before the database, and the database


PAIRS = """
db.execute("CREATE TABLE IF NOT EXISTS a (n INTEGER PRIMARY KEY, filler)")
db.execute("CREATE TABLE IF NOT EXISTS b (n INTEGER PRIMARY KEY, filler)")
"""
# Many transactions, each of which must be seen whole or not at all: a row in a and a row in b.
WRITE = """
for n in range({first}, {first} + {count}):
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO a VALUES (?, ?)", (n, os.urandom(6000)))
    db.execute("INSERT INTO b VALUES (?, ?)", (n, os.urandom(6000)))
    db.execute("COMMIT")
"""
CHECK = """
str([db.execute("PRAGMA integrity_check").fetchone()[0],
     db.execute("SELECT count(*) FROM a").fetchone()[0],
     db.execute("SELECT count(*) FROM a FULL JOIN b USING (n)").fetchone()[0],
     db.execute("SELECT coalesce(max(n), 0) FROM a").fetchone()[0]])
"""


def checked(worker: Worker) -> int:
    """Assert that the database is sound and pairs are whole; the last number that was committed."""
    integrity, rows, joined, last = eval(worker.run(CHECK))
    assert integrity == "ok"
    assert rows == joined
    return int(last)


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_transaction_is_atomic_when_the_worker_is_terminated(worker: Worker, journal: str) -> None:
    """Intent: whatever moment the engine dies at, the database opens as it was before or after."""
    chance = random.Random(7)
    last = 0
    for _ in range(5):
        worker.open("pairs.db", journal)
        worker.run(PAIRS)
        last = checked(worker)
        code = WRITE.format(first=last + 1, count=10_000)
        worker.page.evaluate("code => { globalThis.call('run', code); }", code)
        time.sleep(chance.uniform(0.05, 0.5))
        worker.terminate()
        worker.start()
    worker.open("pairs.db", journal)
    assert checked(worker) >= last > 0


def test_a_transaction_survives_sigkill_of_the_browser(
    on_disk: Callable[..., BrowserContext], kill: Callable[[], None], harness: str
) -> None:
    """Intent: what was committed is on the disk, not in a process that may be killed."""
    committed = 0
    for _ in range(3):
        context = on_disk()
        worker = Worker(context.new_page(), harness)
        worker.open("pairs.db")
        worker.run(PAIRS)
        assert checked(worker) >= committed
        worker.run(WRITE.format(first=committed + 1_000_000, count=20))
        committed = checked(worker)
        code = WRITE.format(first=committed + 1, count=10_000)
        worker.page.evaluate("code => { globalThis.call('run', code); }", code)
        time.sleep(0.3)
        kill()
    worker = Worker(on_disk().new_page(), harness)
    worker.open("pairs.db")
    assert checked(worker) >= committed


def test_a_slice_is_read_in_place_and_never_written(worker: Worker) -> None:
    """Intent: a database inside a pack is opened without a copy; the pack cannot be harmed."""
    worker.open("inner.db")
    worker.run("""
db.execute("CREATE VIRTUAL TABLE f USING fts5(body)")
db.executemany("INSERT INTO f VALUES (?)", [(f"river {n} water",) for n in range(500)])
db.close()
""")
    worker.call("ensure", "packs/p.zip")
    size = worker.run("""
inner = open("/cairn/inner.db", "rb").read()
with open("/cairn/packs/p.zip", "wb") as pack:
    pack.write(b"x" * 1234 + inner + b"y" * 77)
len(inner)
""")
    path = worker.call("slice", "packs/p.zip", 1234, size, "view.db")
    worker.run(f"db = sqlite3.connect('file:{path}?immutable=1', uri=True)")
    assert worker.run("db.execute(\"SELECT count(*) FROM f WHERE f MATCH 'river'\").fetchone()[0]") == 500
    assert worker.run("db.execute('PRAGMA integrity_check').fetchone()[0]") == "ok"
    assert (
        worker.run("""
try:
    db.execute("INSERT INTO f VALUES ('no')"); said = "written"
except sqlite3.OperationalError as error:
    said = str(error)
said
""")
        == "attempt to write a readonly database"
    )
    assert (
        worker.run(f"""
try:
    open("{path}", "r+b"); said = 0
except OSError as error:
    said = error.errno
said
""")
        == 2
    )  # EACCES
    assert worker.run(f"open('{path}', 'rb').read()[-3:] == inner[-3:]") is True
    assert worker.run(f"os.stat('{path}').st_size") == size


@pytest.mark.parametrize("name", ["QuotaExceededError", "NS_ERROR_FILE_NO_DEVICE_SPACE"])
def test_a_full_disk_is_enospc_and_rolls_back(worker: Worker, name: str) -> None:
    """Intent: browsers name it differently; Python and SQLite must see ENOSPC, and nothing is lost."""
    worker.open("full.db")
    worker.run("db.execute('CREATE TABLE t (x)'); db.execute('INSERT INTO t VALUES (1)')")
    worker.call("fail", "write", name, 1_000)
    assert (
        worker.run("""
try:
    db.execute("INSERT INTO t VALUES (zeroblob(50000))"); said = ""
except sqlite3.OperationalError as error:
    said = str(error)
said
""")
        == "database or disk is full"
    )
    assert (
        worker.run("""
try:
    with open("/cairn/full.db", "r+b", buffering=0) as file: file.write(b"")
    open("/cairn/full.db", "r+b", buffering=0).write(b"x"); said = 0
except OSError as error:
    said = error.errno
said
""")
        == 51
    )  # ENOSPC of WASI


def test_names_survive_and_leftovers_do_not(worker: Worker) -> None:
    """Intent: a synchronous rename or creation is as durable as any, and nothing is left lying about."""
    worker.call("ensure", "one.txt", "packs/two.txt")
    worker.run("""
import os
for name in ("one.txt", "packs/two.txt"):
    with open("/cairn/" + name, "w") as file: file.write(name)
with open("/cairn/made.txt", "w") as file: file.write("made at once")
os.replace("/cairn/one.txt", "/cairn/packs/two.txt")
os.rename("/cairn/made.txt", "/cairn/packs/made.txt")
""")
    worker.terminate()
    worker.start()
    assert worker.call("list") == [
        {"name": "packs/made.txt", "bytes": 12},
        {"name": "packs/two.txt", "bytes": 7},
    ]
    worker.call("ensure", "packs/two.txt", "packs/made.txt", "one.txt")
    assert worker.run("open('/cairn/packs/two.txt').read()") == "one.txt"
    assert worker.run("','.join(sorted(__import__('os').listdir('/cairn/packs')))") == "made.txt,two.txt"
    worker.call("remove", "packs/two.txt")
    worker.call("remove", "packs/made.txt")
    worker.call("remove", "one.txt")
    assert worker.call("list") == []
    assert all(name.startswith(".") for name in worker.call("stored"))


def test_a_missing_file_is_enoent_and_creation_never_runs_dry(worker: Worker) -> None:
    """Intent: Python's own errors for Python's own mistakes; spares are refilled between turns."""
    assert (
        worker.run("""
try:
    open("/cairn/nothing"); said = ""
except FileNotFoundError as error:
    said = error.strerror
said
""")
        == "No such file or directory"
    )
    for turn in range(4):
        worker.run(f"""
for n in range(3):
    with open(f"/cairn/file-{turn}-{{n}}", "w") as file: file.write("x")
""")
        worker.call("stored")  # waits for the spares
    assert len(worker.call("list")) == 12
