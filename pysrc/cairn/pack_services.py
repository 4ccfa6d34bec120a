"""The protocol's ``packs.…`` methods, each a few lines that ask the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cairn.parameters import text
from cairn.session import Emit, RequestId

if TYPE_CHECKING:
    from cairn.engine import Engine


class PackServices:
    """Serves the methods named in :attr:`methods`; parameters were checked by name already."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.methods = {"packs.add": self._add}

    async def _add(self, params: dict[str, Any], request: RequestId, emit: Emit) -> Any:
        engine = self._engine
        await engine.wait_started()
        try:
            return await engine.require_library().add_picked(text(params, "key"))
        finally:
            engine.library_changed()
