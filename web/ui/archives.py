"""Archives in the Library room: adding, facts, a copy inside the app, removing.

Files are chosen and handed to the engine by ``chosen-files.mjs``; this draws what became of them.
"""

from catalogue import Catalogue
from dom import action, content, el, icon, icon_button, put, say
from pyscript import window
from strings import language_name, number, plural, size, t

READER = "/reader/wiki.html?source="


class Archives:
    """State of the archives' part of the room; ``changed()`` asks for a fresh status."""

    def __init__(self, client, changed, enter):
        self._client = client
        self.catalogue = Catalogue(client, changed, enter)
        self._changed = changed
        self._enter = enter
        self._news = []  # [kind, sentence]: what happened to files that were added
        self._copies = {}  # source -> [request, done, total]
        self._asking = ""  # source whose removal waits for a second click
        client.on("archives.progress", self._progress)
        action("add-archive", lambda node: window.cairn.chooseFiles())
        action("open-catalogue", lambda node: window.cairn.chooseFiles())
        action("reopen-archive", lambda node: window.cairn.reopenFiles(node.getAttribute("data-key")))
        action("copy-archive", self._copy)
        action("stop-copy", self._stop)
        action("remove-archive", self._ask_removal)
        action("keep-archive", self._keep)
        action("really-remove-archive", self._remove)

    def event(self, event):
        """Take one event of chosen-files.mjs."""
        kind = event["type"]
        if kind == "adding":
            self._news = [["adding", t("archive.adding", name=event["name"])]]
            self._enter()
        elif kind == "added":
            self._news = [["added", t("archive.added", title=event["result"]["title"])]]
        else:
            sentence = event["name"] + ": " + event["message"] + " " + event["hint"]
            self._news = [["failed", sentence.strip()]]
        say(self._news[-1][1])
        self._changed()

    def reopen_first(self, sources):
        """The strip's button: open the first archive again that needs it."""
        for source in sources:
            if source.get("archive", {}).get("state") == "absent":
                window.cairn.reopenFiles(source["archive"]["key"])
                return

    def state(self):
        """What this part looks like, to compare: drawing anew takes the focus away."""
        return [self._news, self._asking, sorted(self._copies), self.catalogue.state()]

    # --- drawing ---------------------------------------------------------------------------------

    def section(self, sources):
        """The part of the room about archives."""
        section = el("section", "shelf", aria_labelledby="archives-title")
        heading = el("h3", "shelf-title", t("archive.title"), id="archives-title")
        add = icon_button("primary", "new", t("archive.add"), data_action="add-archive")
        browse = icon_button("quiet", "list", t("catalogue.open"), data_action="open-catalogue")
        put(section, put(el("div", "shelf-head"), heading, put(el("div", "card-actions"), browse, add)))
        put(section, el("p", "hint", t("archive.hint")))
        for kind, sentence in self._news:
            put(section, el("p", "news", sentence, data_kind=kind))
        for source in sources:
            put(section, self._card(source))
        put(section, *self.catalogue.parts())
        return section

    def _card(self, source):
        archive = source["archive"]
        card = el("article", "card", data_source=source["id"], data_state=archive["state"])
        put(card, content("h4", "", source["title"]))
        if source["notice"]:
            put(card, content("p", "", source["notice"]))
        if archive["problem"]:
            kind = "failed" if archive["state"] == "failed" else "waiting"
            put(card, el("p", "news", archive["problem"], data_kind=kind))
        put(card, self._facts(source, archive), self._buttons(source, archive))
        if source["id"] in self._copies:
            put(card, self._bar(source))
        return card

    def _facts(self, source, archive):
        facts = el("dl", "facts")
        rows = [
            (t("fact.languages"), ", ".join(language_name(code) for code in source["languages"])),
            (t("fact.date"), archive["date"]),
            (t("fact.publisher"), archive["publisher"]),
            (t("fact.articles"), plural("articles", source["documents"])),
            (t("fact.search"), t("mode." + archive["mode"])),
            (t("fact.size"), size(source["bytes"])),
            (t("fact.licence"), source["licence"] or t("fact.licence.none")),
            (t("fact.place"), t("place." + archive["place"], name=archive["name"])),
        ]
        for name, value in rows:
            if value:
                put(facts, el("dt", "", name), content("dd", "", value))
        return facts

    def _buttons(self, source, archive):
        row = el("div", "card-actions")
        name = source["id"]
        if self._asking == name:
            place = t("archive.remove.sure." + archive["place"])
            put(
                row,
                el("p", "ask", place),
                self._button("danger", "remove", "archive.remove.really", "really-remove-archive", source),
                self._button("", "back", "archive.keep", "keep-archive", source),
            )
            return row
        if archive["state"] == "open":
            link = el("a", "button-link", href=READER + name, target="cairn-reader")
            put(
                row,
                put(link, icon("open"), el("span", "", t("archive.read"))),
            )
        elif archive["state"] == "absent":
            put(row, self._button("primary", "again", "archive.reopen", "reopen-archive", source))
        if name in self._copies:
            put(row, self._button("", "stop", "archive.copy.stop", "stop-copy", source))
        elif archive["place"] == "picked" and archive["state"] == "open":
            word = "archive.copy.go_on" if archive["copied"] else "archive.copy"
            put(row, self._button("", "copy", word, "copy-archive", source))
        put(row, self._button("quiet", "remove", "archive.remove", "remove-archive", source))
        return row

    def _button(self, cls, icon_name, word, action_name, source):
        label = t(word) + ": " + source["title"]
        return icon_button(
            cls,
            icon_name,
            t(word),
            data_action=action_name,
            data_source=source["id"],
            data_key=source["archive"]["key"],
            aria_label=label,
        )

    def _bar(self, source):
        _, done, total = self._copies[source["id"]]
        row = el("div", "copying", data_copying=source["id"])
        bar = el("progress", "", aria_label=t("archive.copy.label", title=source["title"]))
        return put(row, bar, self._told(el("span", ""), bar, done, total))

    def _told(self, words, bar, done, total):
        bar.max = total or 1
        bar.value = done
        words.textContent = t("of", done=number(done / 1000000), total=size(total))
        return words

    # --- acting ----------------------------------------------------------------------------------

    def _progress(self, params):
        copy = self._copies.get(params["source"])
        if not copy:
            return
        copy[1:] = [params["done"], params["total"]]
        row = window.document.querySelector('[data-copying="' + params["source"] + '"]')
        if row:
            self._told(row.lastElementChild, row.firstElementChild, params["done"], params["total"])

    def _copy(self, node):
        name = node.getAttribute("data-source")

        def done(result, error):
            self._copies.pop(name, None)
            if result:
                self._news = [["added", t("archive.copied", title=result["title"])]]
            elif error["code"] != "cancelled":
                self._fail(error)
            self._changed()

        self._copies[name] = [self._client.request("archives.copy", {"source": name}, done), 0, 0]
        self._changed()

    def _stop(self, node):
        copy = self._copies.get(node.getAttribute("data-source"))
        if copy:
            self._client.cancel(copy[0])

    def _ask_removal(self, node):
        self._asking = node.getAttribute("data-source")
        self._changed('[data-action="keep-archive"]')

    def _keep(self, node):
        self._asking = ""
        self._changed(
            '[data-action="remove-archive"][data-source="' + node.getAttribute("data-source") + '"]'
        )

    def _remove(self, node):
        name = node.getAttribute("data-source")
        key = node.getAttribute("data-key")
        self._asking = ""

        def done(result, error):
            if error:
                self._fail(error)
            else:
                if key:
                    window.cairn.forgetFiles(key)
                self._news = [["added", t("archive.removed")]]
                say(t("archive.removed"))
            self._changed('[data-action="add-archive"]')

        self._client.request("archives.remove", {"source": name}, done)

    def _fail(self, error):
        hint = error.get("data", {}).get("hint", "")
        self._news = [["failed", (error["message"] + " " + hint).strip()]]
        say(self._news[0][1])
