"""Packs in the Library room: adding, facts.

Files are chosen and handed to the engine by ``chosen-files.mjs``; this draws what became of them.
"""

from dom import action, content, el, icon_button, put, say
from pyscript import window
from strings import language_name, number, plural, size, t


class Packs:
    """State of the packs' part of the room; ``changed()`` asks for a fresh status."""

    def __init__(self, client, changed, enter):
        self._client = client
        self._changed = changed
        self._enter = enter
        self._news = []  # [kind, sentence]: what happened to files that were added
        action("add-pack", lambda node: window.cairn.chooseFiles())

    def event(self, event):
        """Take one event of chosen-files.mjs."""
        if event["type"] == "adding":
            self._news = [["adding", t("pack.adding", name=event["name"])]]
            self._enter()
        elif event["type"] == "added":
            self._news = [["added", t("archive.added", title=event["result"]["title"])]]
        else:
            sentence = event["name"] + ": " + event["message"] + " " + event["hint"]
            self._news = [["failed", sentence.strip()]]
        say(self._news[-1][1])
        self._changed()

    def state(self):
        """What this part looks like, to compare: drawing anew takes the focus away."""
        return [self._news]

    def section(self, sources):
        """The part of the room about packs."""
        section = el("section", "shelf", aria_labelledby="packs-title")
        heading = el("h3", "shelf-title", t("pack.title"), id="packs-title")
        add = icon_button("primary", "new", t("pack.add"), data_action="add-pack")
        put(section, put(el("div", "shelf-head"), heading, add))
        put(section, el("p", "hint", t("pack.hint")))
        for kind, sentence in self._news:
            put(section, el("p", "news", sentence, data_kind=kind))
        for source in sources:
            put(section, self._card(source))
        if not sources:
            put(section, el("p", "hint", t("library.empty")))
        return section

    def _card(self, source):
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
