"""Threads and turns: kept as they were, found by any word, and really gone when deleted."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.errors import StorageFull
from cairn.native.files import DirectoryFiles
from cairn.storage import migrations
from cairn.storage.history import TITLE_CHARS, History, fold, shown, title_of
from cairn.storage.state import State

CITATION = {
    "n": 1,
    "title": "Boiling",
    "text": "Bring it to a rolling boil for one minute.",
    "token": "[CN-P-1]",
}


def result(text: str = "Boil it. [1]", **other: Any) -> dict[str, Any]:
    return {"query": "boil water", "text": text, "quotes": [], "citations": [CITATION], **other}


def record(text: str = "Boil it. [1]", **other: Any) -> dict[str, Any]:
    return {"result": result(text, **other), "notes": ["A note."], "settings": {"style": "short"}}


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Callable[[], History]]:
    """The history after a restart."""
    opened: list[State] = []

    def restart() -> History:
        for state in opened:
            state.close()
        opened[:] = [asyncio.run(State.open(DirectoryFiles(tmp_path)))]
        return History(opened[0].connection)

    yield restart
    for state in opened:
        state.close()


@pytest.fixture
def history() -> Iterator[History]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.apply(connection)
    yield History(connection)
    connection.close()


def ask(history: History, thread: str, turn: str, question: str, now: float = 1.0, answer: str = "") -> None:
    history.begin(thread, turn, question, now=now, settings={"chosen": None}, record=record(""))
    if answer:
        history.save(turn, record(answer), now=now, ended=True)


def test_a_turn_comes_back_after_a_restart_as_it_was(reopen: Callable[[], History]) -> None:
    """Intent: question, standalone query, answer, passages with their hash, settings, notes and debug."""
    history = reopen()
    history.begin("t1", "u1", "And for a child?", now=5.0, settings={"chosen": ["notes"]}, record=record(""))
    history.save("u1", record(), now=9.0, ended=True, debug={"fused": [1, 2]})
    history = reopen()
    thread = history.thread("t1")
    assert thread is not None
    assert (thread.title, thread.turns, thread.created_ms, thread.changed_ms) == (
        "And for a child?",
        1,
        5.0,
        9.0,
    )
    assert thread.settings == {"chosen": ["notes"]}
    (turn,) = history.turns("t1")
    assert (turn.question, turn.query, turn.answer, turn.ended) == (
        "And for a child?",
        "boil water",
        "Boil it. [1]",
        True,
    )
    kept = turn.record["result"]["citations"][0]
    assert kept["text"] == CITATION["text"]
    assert kept["sha256"] == hashlib.sha256(kept["text"].encode()).hexdigest()
    assert turn.record["notes"] == ["A note."]
    assert history.debug("u1") == {"fused": [1, 2]}


def test_a_question_is_written_down_before_its_answer(reopen: Callable[[], History]) -> None:
    """Intent: an engine that dies at once has not lost what was asked; what it had saved is there."""
    history = reopen()
    ask(history, "t", "u", "Where is water?")
    history.save("u", record("Under the"), now=2.0, ended=False)
    (turn,) = reopen().turns("t")
    assert (turn.question, turn.ended, turn.answer) == ("Where is water?", False, "Under the")


def test_asking_a_turn_again_replaces_it_where_it_stands(history: History) -> None:
    """Intent: regenerating or editing leaves the thread's order alone and nothing of the old answer."""
    ask(history, "t", "a", "First?", answer="one")
    ask(history, "t", "b", "Second?", answer="two")
    ask(history, "t", "a", "First, better?")
    first, second = history.turns("t")
    assert (first.question, first.answer, first.ended, first.position) == ("First, better?", "", False, 0)
    assert (second.question, second.position) == ("Second?", 1)
    thread = history.thread("t")
    assert thread is not None
    assert thread.title == "First, better?"
    assert history.threads("one") == []


def test_a_name_that_was_given_stays(history: History) -> None:
    """Intent: editing the first question renames only threads that nobody named."""
    ask(history, "t", "a", "First?")
    assert history.rename("t", "  My \n river ")
    ask(history, "t", "a", "Edited?")
    assert [thread.title for thread in history.threads()] == ["My river"]
    assert not history.rename("nothing", "x")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("river", ["water"]),
        ("RIVER boil", ["water"]),
        ("净化", ["chinese"]),
        ("水", ["chinese"]),
        ("água", ["portuguese"]),
        ("agua", ["portuguese"]),
        ("ماء", ["arabic"]),
        ("100%_x", ["odd"]),
        ("' OR 1=1 --", []),
        ("river 净化", []),
        ("named", ["water"]),
        ("\u200b", ["odd", "arabic", "portuguese", "chinese", "water"]),
    ],
)
def test_search_finds_words_of_questions_answers_and_names(
    history: History, query: str, found: list[str]
) -> None:
    """Intent: any script, any case, with or without accents; signs of SQL mean themselves."""
    ask(history, "water", "1", "Is river water safe?", 1, "Boil it first.")
    ask(history, "chinese", "2", "如何净化河水？", 2, "煮沸一分钟。")
    ask(history, "portuguese", "3", "A água é boa?", 3)
    ask(history, "arabic", "4", "كيف أُنقّي الماء؟", 4)
    ask(history, "odd", "5", "what is 100%_x?", 5)
    history.rename("water", "Named by me")
    assert [thread.id for thread in history.threads(query)] == found


def test_a_search_shows_the_question_that_matched(history: History) -> None:
    """Intent: a thread is named by its first question; the hit may be in another."""
    ask(history, "t", "a", "First?", answer="nothing of note")
    ask(history, "t", "b", "Second?", answer="a tourniquet")
    assert [thread.match for thread in history.threads("tourniquet")] == ["Second?"]
    assert [thread.match for thread in history.threads()] == [""]


def test_threads_and_turns_come_in_pages(history: History) -> None:
    """Intent: any number of them, a screenful at a time, newest threads first, turns in their order."""
    for n in range(120):
        ask(history, f"t{n}", f"u{n}", f"Question {n}?", float(n))
    assert [t.id for t in history.threads(offset=50, limit=50)] == [f"t{n}" for n in range(69, 19, -1)]
    assert len(history.threads(offset=100, limit=50)) == 20
    assert history.count() == 120
    for n in range(25):
        ask(history, "long", f"l{n}", f"Turn {n}?")
    assert [turn.position for turn in history.turns("long", limit=10)] == list(range(15, 25))
    assert [turn.position for turn in history.turns("long", before=15, limit=10)] == list(range(5, 15))
    assert history.turns("long", before=0) == []


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_deleting_and_clearing_leave_no_bytes_behind(reopen: Callable[[], History], tmp_path: Path) -> None:
    """Intent: what was private is not left in free pages, in the journal or in an index."""
    history = reopen()
    for n in range(20):
        ask(history, f"t{n}", f"u{n}", f"secretquestion{n} " * 30, answer=f"secretanswer{n} " * 30)
    ask(history, "keep", "k", "An open question?")
    assert b"secretquestion7 " in stored(tmp_path)
    history.delete("t7")
    assert b"secretquestion7 " not in stored(tmp_path)
    assert b"secretanswer7 " not in stored(tmp_path)
    assert history.thread("t7") is None
    assert history.turns("t7") == []
    before = len(stored(tmp_path))
    history.clear()
    assert b"secret" not in stored(tmp_path)
    assert b"open question" not in stored(tmp_path)
    assert len(stored(tmp_path)) < before / 2
    assert history.threads() == []
    assert reopen().count() == 0


def test_a_turn_that_was_deleted_while_it_was_answered_does_not_come_back(history: History) -> None:
    """Intent: deleting is final, whoever is still writing."""
    ask(history, "t", "u", "Question?")
    history.delete("t")
    history.save("u", record(), now=2.0, ended=True)
    assert history.threads() == []
    assert history.turns("t") == []


def test_a_full_disk_leaves_the_history_as_it_was(reopen: Callable[[], History]) -> None:
    """Intent: a typed error, no half turn, and the next question can be kept again."""
    history = reopen()
    ask(history, "t", "u", "Question?", answer="answer")
    pages = history._db.execute("PRAGMA page_count").fetchone()[0]
    history._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageFull):
        ask(history, "t2", "v", "x" * 100_000)
    assert [thread.id for thread in history.threads()] == ["t"]
    history._db.execute("PRAGMA max_page_count = 1000000")
    ask(history, "t2", "v", "Later?")
    assert history.count() == 2


def test_what_was_shown_is_the_text_or_the_quotes() -> None:
    """Intent: a follow-up refers to what the person read."""
    quotes = [{"text": "Boil it.", "n": 1}, {"text": "Wait.", "n": 2}]
    assert shown({"text": "Written.", "quotes": quotes}) == "Written."
    assert shown({"text": "", "quotes": quotes}) == "Boil it. Wait."
    assert shown({}) == ""


@given(st.text(max_size=300))
def test_any_question_makes_a_title_and_is_found_by_itself(question: str) -> None:
    """Intent: no text breaks a title or a search; folding is stable."""
    title = title_of(question)
    assert len(title) <= TITLE_CHARS
    assert "\n" not in title
    assert fold(fold(question)) == fold(question)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.apply(connection)
    history = History(connection)
    ask(history, "t", "u", question)
    assert [thread.id for thread in history.threads(" ".join(fold(question).split()[:3]))] == ["t"]
    connection.close()
