"""A catalogue of archives in the Library room: a saved file that is browsed; nothing is downloaded.

What was typed and found is kept here, because the room is drawn anew when something in it changes.
"""

from dom import Later, action, by_id, content, el, icon_button, listen, put, say
from pyscript import document, window
from strings import language_name, number, plural, size, t

TYPING_MS = 200


class Catalogue:
    """The open catalogue; ``changed(focus)`` draws the room, ``enter()`` shows it."""

    def __init__(self, client, changed, enter):
        self._client = client
        self._changed = changed
        self._enter = enter
        self._info = None
        self._news = []
        self._query = ""
        self._language = ""
        self._asked = 0  # number of the last question: late answers to others are dropped
        self._found = {"total": 0, "entries": []}
        self._later = Later(self._search, TYPING_MS)
        action("close-catalogue", self._close)
        action("more-catalogue", lambda node: self._ask(len(self._found["entries"])))
        action("copy-address", self._copy)
        listen(document, "input", self._typed)
        listen(document, "change", self._typed)

    def event(self, event):
        """Take one event of chosen-files.mjs."""
        kind = event["type"]
        if kind == "adding":
            self._news = [["adding", t("archive.adding", name=event["name"])]]
            self._enter()
        elif kind == "added":
            self._info = event["result"]
            self._news = []
            self._query = self._language = ""
            say(t("catalogue.opened", title=self._info["title"]))
            self._search()
        else:
            sentence = event["name"] + ": " + event["message"] + " " + event["hint"]
            self._news = [["failed", sentence.strip()]]
            say(sentence)
        self._changed()

    def state(self):
        """What this part looks like, to compare; what is found is drawn by itself."""
        return [self._news, self._info]

    def parts(self):
        """The elements of this part: [] while no catalogue is open."""
        nodes = [el("p", "news", sentence, data_kind=kind) for kind, sentence in self._news]
        return nodes + ([self._panel()] if self._info else [])

    # --- drawing ---------------------------------------------------------------------------------

    def _panel(self):
        info = self._info
        facts = " · ".join([part for part in (plural("archives", info["archives"]), info["date"]) if part])
        panel = el("section", "shelf catalogue", aria_labelledby="catalogue-title")
        head = el("div", "shelf-head")
        title = content("h4", "shelf-title", t("catalogue.title", title=info["title"]))
        title.id = "catalogue-title"
        close = icon_button("quiet", "remove", t("catalogue.close"), data_action="close-catalogue")
        put(panel, put(head, title, close), el("p", "hint", facts), el("p", "hint", t("catalogue.hint")))
        put(panel, self._form(info))
        put(panel, el("p", "hint", id="catalogue-count", role="status"))
        put(panel, el("div", "shelf", id="catalogue-list"))
        more = icon_button("", "new", t("catalogue.more"), data_action="more-catalogue", id="catalogue-more")
        put(panel, more)
        self._list(panel, self._found["entries"])
        return panel

    def _form(self, info):
        form = el("div", "catalogue-form", role="search")
        box = el("input", "", id="catalogue-query", type="search", aria_label=t("catalogue.search"))
        box.placeholder = t("catalogue.search")
        box.value = self._query
        box.setAttribute("dir", "auto")
        put(form, box)
        if len(info["languages"]) > 1:
            choice = el("select", "", id="catalogue-language", aria_label=t("fact.languages"))
            put(choice, el("option", "", t("catalogue.every_language"), value=""))
            for code in info["languages"]:
                put(choice, el("option", "", language_name(code), value=code))
            choice.value = self._language
            put(form, choice)
        return form

    def _list(self, panel, entries):
        """Add entries to the list, and say how many there are."""
        shown, total = len(self._found["entries"]), self._found["total"]
        put(panel.querySelector("#catalogue-list"), *[self._card(entry) for entry in entries])
        panel.querySelector("#catalogue-count").textContent = t(
            "catalogue.count", shown=number(shown), total=number(total)
        )
        panel.querySelector("#catalogue-more").hidden = shown >= total

    def _card(self, entry):
        card = el("article", "card")
        put(card, content("h5", "", entry["title"]), content("p", "", entry["description"]))
        facts = el("dl", "facts")
        rows = (
            (t("fact.languages"), ", ".join([language_name(code) for code in entry["languages"]])),
            (t("fact.date"), entry["date"]),
            (t("fact.publisher"), entry["publisher"]),
            (t("fact.articles"), plural("articles", entry["articles"]) if entry["articles"] else ""),
            (t("fact.size"), size(entry["bytes"]) if entry["bytes"] else ""),
            (t("fact.licence"), entry["licence"] or t("catalogue.licence.none")),
            (t("catalogue.name"), " ".join([part for part in (entry["name"], entry["flavour"]) if part])),
        )
        for name, value in rows:
            if value:
                put(facts, el("dt", "", name), content("dd", "", value))
        put(card, facts)
        address = entry["address"]
        if not address:
            return put(card, el("p", "hint", t("catalogue.no_address")))
        label = t("catalogue.copy") + ": " + entry["title"]
        button = icon_button(
            "",
            "copy",
            t("catalogue.copy"),
            data_action="copy-address",
            data_address=address,
            aria_label=label,
        )
        return put(card, el("p", "zim-address", address, dir="ltr"), put(el("div", "card-actions"), button))

    # --- acting ----------------------------------------------------------------------------------

    def _typed(self, event):
        name = event.target.id if event.target else ""
        if name == "catalogue-query":
            self._query = event.target.value
        elif name == "catalogue-language":
            self._language = event.target.value
        else:
            return
        self._later.ask()

    def _search(self):
        self._ask(0)

    def _ask(self, offset):
        self._asked += 1
        asked = self._asked

        def done(result, error):
            if asked != self._asked or not self._info:
                return
            if error:
                self._info = None
                self._news = [["failed", (error["message"] + " " + error.get("hint", "")).strip()]]
                self._changed()
                return
            entries = result["entries"]
            if offset:
                entries = self._found["entries"] + entries
            self._found = {"total": result["total"], "entries": entries}
            panel = document.querySelector(".catalogue")
            if not panel:
                return
            if not offset:
                by_id("catalogue-list").replaceChildren()
            self._list(panel, result["entries"])

        params = {"query": self._query, "language": self._language, "offset": offset}
        self._client.request("archives.browse", params, done)

    def _close(self, node):
        self._info = None
        self._news = []
        self._found = {"total": 0, "entries": []}
        self._changed('[data-action="open-catalogue"]')

    def _copy(self, node):
        window.navigator.clipboard.writeText(node.getAttribute("data-address"))
        node.lastElementChild.textContent = t("catalogue.copied")
        say(t("catalogue.copied"))
