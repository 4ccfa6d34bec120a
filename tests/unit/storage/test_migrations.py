"""Migrations of state.db: forwards from every released version, never backwards, all or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from cairn.errors import StorageUnavailable
from cairn.storage import migrations

NEWEST = len(migrations.MIGRATIONS)

# One row or more for every table as it was in that version; a new migration adds its own.
SAMPLES = {
    1: """
    INSERT INTO settings (key, value) VALUES ('theme', '"dark"');
    INSERT INTO sources (id, kind, version, sha256, record, added_ms)
        VALUES ('field-notes', 'pack', '1', 'abc', '{"file": "packs/a.zip"}', 12.5);
    """,
    2: """
    INSERT INTO threads (id, title, words, created_ms, changed_ms, settings)
        VALUES ('t', 'Water?', 'water?', 1.0, 2.0, '{}');
    INSERT INTO turns (id, thread, position, ended, asked_ms, words, question, query, answer, record)
        VALUES ('u', 't', 0, 1, 1.0, 'water?', 'Water?', 'water', 'Boil it.', x'00');
    """,
    3: """
    INSERT INTO jobs (id, kind, record, cursor, added_ms)
        VALUES ('0123456789abcdef', 'pack', '{"name": "a.zip"}', 8388608, 3.5);
    """,
}


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def as_of(connection: sqlite3.Connection, version: int) -> None:
    """A database as that version of Cairn left it, with a person's data."""
    for number in range(version):
        connection.executescript(migrations.MIGRATIONS[number])
        connection.executescript(SAMPLES[number + 1])
    connection.execute(f"PRAGMA user_version = {version}")


def schema(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    return [(name, " ".join(sql.split())) for name, sql in rows]


def user_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("version", range(NEWEST + 1))
def test_every_older_version_arrives_at_the_newest_with_its_data(
    db: sqlite3.Connection, version: int
) -> None:
    """Intent: whoever updates after a year keeps the library, and gets the schema of a new install."""
    as_of(db, version)
    assert migrations.apply(db) == NEWEST - version
    assert user_version(db) == NEWEST
    if version >= 1:
        assert db.execute("SELECT value FROM settings").fetchall() == [('"dark"',)]
        assert db.execute("SELECT id, version, active, added_ms FROM sources").fetchall() == [
            ("field-notes", "1", 1, 12.5)
        ]
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    migrations.apply(fresh)
    assert schema(db) == schema(fresh)
    fresh.close()


def test_every_migration_has_a_sample() -> None:
    """Intent: the test above cannot be passed by forgetting it."""
    assert sorted(SAMPLES) == list(range(1, NEWEST + 1))


def test_applying_twice_changes_nothing(db: sqlite3.Connection) -> None:
    """Intent: every start applies them."""
    migrations.apply(db)
    before = list(db.iterdump())
    assert migrations.apply(db) == 0
    assert list(db.iterdump()) == before


def test_a_newer_database_is_refused_and_left_alone(db: sqlite3.Connection) -> None:
    """Intent: an app that was rolled back must not damage what the newer one wrote."""
    as_of(db, NEWEST)
    db.execute(f"PRAGMA user_version = {NEWEST + 1}")
    before = list(db.iterdump())
    with pytest.raises(StorageUnavailable, match="newer version of Cairn") as caught:
        migrations.apply(db)
    assert caught.value.hint
    assert list(db.iterdump()) == before
    assert user_version(db) == NEWEST + 1


def test_a_migration_that_fails_leaves_the_old_version_whole(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intent: one transaction each; the ones before stay, the failed one leaves no trace, no lock."""
    as_of(db, NEWEST)
    good = "CREATE TABLE extra (x INTEGER); INSERT INTO extra VALUES (1);"
    bad = "CREATE TABLE half (x); INSERT INTO settings VALUES ('half', '1'); INSERT INTO nowhere VALUES (1);"
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, good, bad))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrations.apply(db)
    assert not db.in_transaction
    assert user_version(db) == NEWEST + 1
    names = [name for name, _ in schema(db)]
    assert "extra" in names
    assert "half" not in names
    assert db.execute("SELECT count(*) FROM settings WHERE key = 'half'").fetchone() == (0,)
