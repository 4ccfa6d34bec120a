"""The protocol's ``threads.…`` methods, and what ``engine.ask`` needs of a thread.

With history turned off, turns go to a database in memory: a conversation still works, and is gone
with the engine. What was kept before stays until it is deleted.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cairn.answering.conversation import MOST_TURNS, PastTurn
from cairn.errors import CairnError, InvalidRequest, ThreadNotFound
from cairn.parameters import flag, text, whole_number
from cairn.protocol import MAX_QUESTION_CHARS, ThreadInfo, ThreadList, ThreadResult, TurnInfo
from cairn.recording import Emitted, Recorder
from cairn.session import Emit, RequestId
from cairn.storage import migrations
from cairn.storage.history import History, ThreadRow, TurnRow

if TYPE_CHECKING:
    from cairn.engine import Engine

KEEP = "history.keep"
"""Setting: whether new turns are kept (yes when absent)."""

THREADS_AT_ONCE = 50
TURNS_AT_ONCE = 10
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


class ThreadServices:
    """Serves the methods named in :attr:`methods`; parameters were checked by name already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._running: set[str] = set()  # turns
        self._unkept: History | None = None
        self.methods = {
            "threads.list": self._list,
            "threads.get": self._get,
            "threads.debug": self._debug,
            "threads.rename": self._rename,
            "threads.delete": self._delete,
            "threads.clear": self._clear,
            "threads.keep": self._set_keep,
        }

    # --- for engine.ask --------------------------------------------------------------------------

    def past(self, thread: str, turn: str) -> list[PastTurn]:
        """The turns before this one, oldest first; a turn asked again does not count as its own past."""
        if not thread:
            return []
        turns: list[TurnRow] = []
        for history in self._histories():
            turns += history.turns(thread, before=history.position(turn), limit=MOST_TURNS)
        return [PastTurn(t.question, t.query, t.answer) for t in turns[-MOST_TURNS:]]

    def names(self, params: dict[str, Any]) -> tuple[str, str]:
        """Thread and turn as the page named them; a turn gets a name where it has none."""
        return identifier(params, "thread", ""), identifier(params, "turn", "") or secrets.token_hex(8)

    @contextmanager
    def recording(
        self, thread: str, turn: str, question: str, settings: dict[str, Any], tell: Emitted
    ) -> Iterator[Recorder]:
        """Write a turn down while it is answered, however it ends; without a thread nothing is kept."""
        history = self._history_for(turn) if thread else None
        self._running.add(turn)
        try:
            recorder = Recorder(history, thread, turn, question, settings, now=self._engine.now, tell=tell)
            try:
                yield recorder
            except CairnError as error:
                recorder.fail(error)
                raise
            except asyncio.CancelledError:
                recorder.stop()
                raise
        finally:
            self._running.discard(turn)

    # --- methods ---------------------------------------------------------------------------------

    async def _list(self, params: dict[str, Any], request: RequestId, emit: Emit) -> ThreadList:
        query = text(params, "query", "")[:MAX_QUESTION_CHARS]
        offset = whole_number(params, "offset", 0)
        await self._engine.wait_started()
        rows = self._kept.threads(query, offset=offset, limit=THREADS_AT_ONCE + 1)
        return {
            "threads": [_thread(row) for row in rows[:THREADS_AT_ONCE]],
            "more": len(rows) > THREADS_AT_ONCE,
            "total": self._kept.count(),
            "keep": self._keep,
        }

    async def _get(self, params: dict[str, Any], request: RequestId, emit: Emit) -> ThreadResult:
        thread = identifier(params, "thread")
        before = whole_number(params, "before", 0) if "before" in params else None
        await self._engine.wait_started()
        for history in self._histories():
            row = history.thread(thread)
            if row is not None:
                turns = history.turns(thread, before=before, limit=TURNS_AT_ONCE)
                earlier = bool(turns) and turns[0].position > 0
                return {"thread": _thread(row), "turns": [self._turn(t) for t in turns], "earlier": earlier}
        raise ThreadNotFound("This thread is not in your history.", hint="It may have been deleted.")

    async def _debug(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        turn = identifier(params, "turn")
        await self._engine.wait_started()
        found = (history.debug(turn) for history in self._histories())
        return {"debug": next(filter(None, found), {})}

    async def _rename(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        thread, title = identifier(params, "thread"), text(params, "title").strip()
        if not title:
            raise InvalidRequest("A thread needs a name.")
        await self._engine.wait_started()
        if not self._kept.rename(thread, title):
            raise ThreadNotFound("This thread is not in your history.", hint="It may have been deleted.")
        return {}

    async def _delete(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        thread = identifier(params, "thread")
        await self._engine.wait_started()
        for history in self._histories():
            history.delete(thread)
        return {}

    async def _clear(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        await self._engine.wait_started()
        for history in self._histories():
            history.clear()
        return {}

    async def _set_keep(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        keep = flag(params, "keep")
        await self._engine.wait_started()
        self._engine.require_state().set_setting(KEEP, keep)
        return {}

    # --- internals -------------------------------------------------------------------------------

    @property
    def _keep(self) -> bool:
        return self._engine.require_state().setting(KEEP, True) is not False

    @property
    def _kept(self) -> History:
        return History(self._engine.require_state().connection)

    def _history_for(self, turn: str) -> History:
        """Where a turn is written: asked again, where it was."""
        return self._kept if self._keep or self._kept.position(turn) is not None else self._memory()

    def _memory(self) -> History:
        if self._unkept is None:
            connection = sqlite3.connect(":memory:", isolation_level=None)
            migrations.apply(connection)
            self._unkept = History(connection)
        return self._unkept

    def _histories(self) -> list[History]:
        return [self._kept, *([self._unkept] if self._unkept else [])]

    def _turn(self, row: TurnRow) -> TurnInfo:
        state = "ended" if row.ended else "running" if row.id in self._running else "interrupted"
        return {
            "id": row.id,
            "position": row.position,
            "asked_ms": row.asked_ms,
            "question": row.question,
            "state": state,  # type: ignore[typeddict-item]
            "result": row.record["result"],
            "notes": row.record["notes"],
            "settings": row.record["settings"],
        }


def identifier(params: dict[str, Any], name: str, default: str | None = None) -> str:
    """The id of a thread or a turn as the page made it; raises InvalidRequest for anything else."""
    value = text(params, name, default)
    if not _ID.fullmatch(value) and value != default:
        raise InvalidRequest(f"{name} must be 1 to 64 letters, digits or hyphens.")
    return value


def _thread(row: ThreadRow) -> ThreadInfo:
    return {
        "id": row.id,
        "title": row.title,
        "created_ms": row.created_ms,
        "changed_ms": row.changed_ms,
        "turns": row.turns,
        "settings": row.settings,
        "match": row.match,
    }
