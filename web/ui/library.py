"""The Library room: what is installed, in plain facts; packs and archives are added and removed here."""

import json

from dom import by_id, el
from pyscript import document
from strings import t


class LibraryRoom:
    """Draws the sources of an engine status; only when something changed, so that focus stays."""

    def __init__(self, documents, packs, archives):
        self._documents = documents
        self._packs = packs
        self._archives = archives
        self._drawn = ""

    def draw(self, status, focus=""):
        """Draw; then focus the element that the selector names."""
        sources = status.get("sources", [])
        self._packs.take(status.get("packs"))
        state = json.dumps([sources, self._documents.state(), self._packs.state(), self._archives.state()])
        room = by_id("view-library")
        if state != self._drawn or not room.firstElementChild:
            self._drawn = state
            packs = self._packs.section([s for s in sources if s["kind"] == "pack"])
            archives = self._archives.section([s for s in sources if s["kind"] == "archive"])
            focus = focus or _focused(room)
            own = self._documents.section()
            room.replaceChildren(el("h2", "", t("room.library")), own, packs, archives)
        target = document.querySelector("#view-library " + focus) if focus else None
        if target:
            target.focus()


def _focused(room):
    """A selector of what has the focus in the room, so that drawing anew gives it back; "" for nothing."""
    node = document.activeElement
    if not node or not room.contains(node):
        return ""
    if node.id:
        return "#" + node.id
    found = ""
    for name in ("data-action", "data-source", "data-job", "data-collection", "data-document"):
        value = node.getAttribute(name)
        if value:
            found += "[" + name + '="' + value + '"]'
    return found
