"""The Library room: what is installed, in plain facts; packs and archives are added and removed here."""

import json

from dom import by_id, el
from pyscript import document
from strings import t


class LibraryRoom:
    """Draws the sources of an engine status; only when something changed, so that focus stays."""

    def __init__(self, packs, archives):
        self._packs = packs
        self._archives = archives
        self._drawn = ""

    def draw(self, status, focus=""):
        """Draw; then focus the element that the selector names."""
        sources = status.get("sources", [])
        state = json.dumps([sources, self._packs.state(), self._archives.state()])
        room = by_id("view-library")
        if state != self._drawn or not room.firstElementChild:
            self._drawn = state
            packs = self._packs.section([s for s in sources if s["kind"] == "pack"])
            archives = self._archives.section([s for s in sources if s["kind"] == "archive"])
            room.replaceChildren(el("h2", "", t("room.library")), packs, archives)
        target = document.querySelector("#view-library " + focus) if focus else None
        if target:
            target.focus()
