"""The Library room: what is installed, in plain facts; archives are added and removed here."""

import json

from dom import by_id, content, el, put
from pyscript import document
from strings import language_name, number, plural, size, t


class LibraryRoom:
    """Draws the sources of an engine status; only when something changed, so that focus stays."""

    def __init__(self, archives):
        self._archives = archives
        self._drawn = ""

    def draw(self, status, focus=""):
        """Draw; then focus the element that the selector names."""
        sources = status.get("sources", [])
        state = json.dumps([sources, self._archives.state()])
        room = by_id("view-library")
        if state != self._drawn or not room.firstElementChild:
            self._drawn = state
            packs = [source for source in sources if source["kind"] != "archive"]
            shelf = el("section", "shelf", aria_labelledby="packs-title")
            put(shelf, el("h3", "shelf-title", t("packs.title"), id="packs-title"))
            for source in packs:
                put(shelf, _card(source))
            if not packs:
                put(shelf, el("p", "hint", t("library.empty")))
            archives = self._archives.section([s for s in sources if s["kind"] == "archive"])
            room.replaceChildren(el("h2", "", t("room.library")), archives, shelf)
        target = document.querySelector("#view-library " + focus) if focus else None
        if target:
            target.focus()


def _card(source):
    facts = el("dl", "facts")
    rows = (
        (t("fact.version"), source["version"]),
        (t("fact.documents"), plural("documents", source["documents"])),
        (t("fact.passages"), number(source["passages"])),
        (t("fact.languages"), ", ".join(language_name(code) for code in source["languages"])),
        (t("fact.size"), size(source["bytes"])),
        (t("fact.licence"), source["licence"]),
    )
    for name, value in rows:
        put(facts, el("dt", "", name), content("dd", "", value))
    return put(
        el("article", "card", data_source=source["id"]),
        content("h4", "", source["title"]),
        content("p", "", source["notice"]),
        facts,
    )
