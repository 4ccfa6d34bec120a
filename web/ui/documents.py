"""Your documents in the Library room: collections, what is imported into them, and what came of it.

Files are chosen and handed to the engine by ``chosen-files.mjs``; how far an import is comes by
``documents.changed``. A list of documents is ``document_list.py``'s.
"""

from document_list import DocumentList
from dom import Later, action, by_id, content, el, icon_button, listen, put, say
from pyscript import document, window
from strings import number, plural, t

REFRESH_MS = 400


class Documents:
    """State of this part of the room; ``changed()`` asks for the room to be drawn."""

    def __init__(self, client, changed, enter):
        self._client = client
        self._changed = changed
        self._enter = enter
        self._collections = []
        self._known = False
        self._news = []  # [kind, sentence]
        self._asking = ""  # collection whose removal waits for a second click
        self._form = None  # the one form that is open, made once: drawing anew must not lose what was typed
        self._form_of = ""  # "new", "edit:<id>" or "paste:<id>"
        self._copying = ""
        self._lists = DocumentList(client, self._draw, self._name_of, lambda: self._collections)
        self._later = Later(self._refresh_open, REFRESH_MS)
        client.on("documents.changed", self._told)
        client.on("documents.copying", self._copied)
        for name, handler in (
            ("add-documents", lambda node: window.cairn.chooseDocuments(_id(node), False)),
            ("add-folder", lambda node: window.cairn.chooseDocuments(_id(node), True)),
            ("new-collection", lambda node: self._open_form("new")),
            ("paste-text", lambda node: self._open_form("paste:" + _id(node))),
            ("edit-collection", lambda node: self._open_form("edit:" + _id(node))),
            ("close-form", lambda node: self._close_form()),
            ("pause-import", lambda node: self._ask("documents.pause", {})),
            ("resume-import", lambda node: self._ask("documents.resume", {})),
            ("cancel-import", lambda node: self._ask("documents.cancel", {"collection": _id(node)})),
            ("remove-collection", self._ask_removal),
            ("keep-collection", lambda node: self._set_asking("")),
            ("really-remove-collection", self._remove),
        ):
            action(name, handler)
        listen(document, "submit", self._submitted)

    def load(self):
        """The room was entered, or the engine started: ask for what there is."""

        def done(result, error):
            self._known = True
            if error:
                self._fail(error)
            else:
                self._collections = result["collections"]
            self._draw()

        self._client.request("documents.collections", {}, done)

    def event(self, event):
        """Take one event of chosen-files.mjs."""
        if event["type"] == "adding":
            self._tell("adding", t("own.adding", name=event["name"]))
            self._enter()
        elif event["type"] == "added":
            self._shown(event["result"])
        else:
            self._copying = ""
            self._tell("failed", (event["name"] + ": " + event["message"] + " " + event["hint"]).strip())
        self._draw()

    def state(self):
        """What this part looks like, to compare: drawing anew takes the focus away."""
        rows = [
            [c["id"], c["name"], c["description"], _busy(c), c["failed"], c["documents"]]
            for c in self._collections
        ]
        return [
            rows,
            self._news,
            self._asking,
            self._form_of,
            self._copying,
            self._lists.state(),
            self._known,
        ]

    # --- drawing ---------------------------------------------------------------------------------

    def section(self):
        """The part of the room about the person's own documents."""
        section = el("section", "shelf own", aria_labelledby="own-title")
        heading = el("h3", "shelf-title", t("own.title"), id="own-title")
        buttons = put(
            el("div", "card-actions"),
            icon_button("primary", "new", t("own.add"), data_action="add-documents", data_collection=""),
            icon_button("", "library", t("own.folder"), data_action="add-folder", data_collection=""),
            icon_button("", "edit", t("own.paste"), data_action="paste-text", data_collection=""),
            icon_button("", "list", t("own.new"), data_action="new-collection", data_collection=""),
        )
        put(section, put(el("div", "shelf-head"), heading, buttons), el("p", "hint", t("own.hint")))
        for kind, sentence in self._news:
            put(section, el("p", "news", sentence, data_kind=kind, dir="auto"))
        if self._copying:
            put(section, el("p", "news", self._copying, data_kind="adding", id="own-copying", dir="auto"))
        if self._form is not None and self._form_of in ("new", "paste:"):
            put(section, self._form)
        for collection in self._collections:
            put(section, self._card(collection))
        if self._known and not self._collections:
            put(section, el("p", "hint", t("own.empty")))
        return section

    def _card(self, collection):
        name = collection["id"]
        card = el("article", "card", data_collection=name)
        put(card, content("h4", "", collection["name"]))
        if collection["description"]:
            put(card, content("p", "", collection["description"]))
        put(card, el("p", "hint", _facts(collection), data_facts=name))
        if collection["model"] and not collection["comparable"]:
            put(card, el("p", "news", t("own.other_model", model=collection["model"]), data_kind="waiting"))
        if _busy(collection):
            put(card, self._progress(collection))
        if self._form is not None and self._form_of in ("edit:" + name, "paste:" + name):
            put(card, self._form)
        put(card, self._buttons(collection))
        put(card, self._lists.section(collection))
        return card

    def _progress(self, collection):
        name = collection["id"]
        row = el("div", "copying", data_progress=name)
        bar = el("progress", "", aria_label=t("own.progress", name=collection["name"]))
        put(row, bar, el("span", ""))
        _measure(row, collection)
        stop = "resume-import" if collection["paused"] else "pause-import"
        word = t("own.resume") if collection["paused"] else t("own.pause")
        sign = "again" if collection["paused"] else "stop"
        buttons = put(
            el("div", "card-actions"),
            icon_button("", sign, word, data_action=stop, data_collection=name),
            icon_button("", "remove", t("own.cancel"), data_action="cancel-import", data_collection=name),
        )
        return put(row, buttons)

    def _buttons(self, collection):
        row = el("div", "card-actions")
        name = collection["id"]
        if self._asking == name:
            put(
                row,
                el("p", "ask", t("own.remove.sure", count=number(collection["documents"]))),
                _button("danger", "remove", "own.remove.really", "really-remove-collection", collection),
                _button("", "back", "own.keep", "keep-collection", collection),
            )
            return row
        return put(
            row,
            _button("", "new", "own.add", "add-documents", collection),
            _button("", "library", "own.folder", "add-folder", collection),
            _button("", "edit", "own.paste", "paste-text", collection),
            _button("", "edit", "own.edit", "edit-collection", collection),
            _button("quiet", "remove", "own.remove", "remove-collection", collection),
        )

    # --- forms -----------------------------------------------------------------------------------

    def _open_form(self, what):
        kind, _, name = what.partition(":")
        form = el("form", "own-form", id="own-form", data_kind=kind, data_collection=name)
        if kind == "paste":
            _field(form, "own-paste-title", t("own.paste.title"), "input", "")
            _field(form, "own-paste-text", t("own.paste.text"), "textarea", "")
        else:
            found = self._find(name) or {"name": "", "description": ""}
            _field(form, "own-name", t("own.name"), "input", found["name"])
            _field(form, "own-description", t("own.description"), "textarea", found["description"])
        send = icon_button("primary", "check", t("own.save"))
        send.type = "submit"
        close = icon_button("", "close", t("own.close"), data_action="close-form")
        put(form, put(el("div", "card-actions"), send, close))
        self._form = form
        self._form_of = what
        self._changed("#own-paste-text" if kind == "paste" else "#own-name")

    def _close_form(self):
        self._form = None
        self._form_of = ""
        self._changed('[data-action="add-documents"]')

    def _submitted(self, event):
        form = event.target
        if form.id == "own-password":
            event.preventDefault()
            self._lists.password(form)
            return
        if form.id == "own-title-form":
            event.preventDefault()
            self._lists.renamed(form)
            return
        if form.id != "own-form":
            return
        event.preventDefault()
        kind = form.getAttribute("data-kind")
        name = form.getAttribute("data-collection")
        if kind == "paste":
            params = {"text": by_id("own-paste-text").value, "title": by_id("own-paste-title").value}
            if name:
                params["collection"] = name
            self._send("documents.paste", params, lambda result: self._shown(result))
            return
        params = {"name": by_id("own-name").value, "description": by_id("own-description").value}
        if kind == "edit":
            params["collection"] = name
            self._send("documents.change", params, lambda result: None)
        else:
            self._send("documents.create", params, lambda result: None)

    def _send(self, method, params, then):
        """Send what a form says; it stays open with what was typed when that is refused."""

        def done(result, error):
            if error:
                self._fail(error)
            else:
                self._news = []
                then(result)
                self._close_form()
            self.load()

        self._client.request(method, params, done)

    # --- what the engine tells -------------------------------------------------------------------

    def _told(self, info):
        before = self._find(info["id"])
        if info.get("gone"):
            self._collections = [c for c in self._collections if c["id"] != info["id"]]
            self._draw()
            return
        if before is None:
            self._collections.append(info)
            self._draw()
            return
        self._collections[self._collections.index(before)] = info
        row = document.querySelector('[data-progress="' + info["id"] + '"]')
        facts = document.querySelector('[data-facts="' + info["id"] + '"]')
        if facts:
            facts.textContent = _facts(info)
        if row and _busy(info):
            _measure(row, info)
        if _shape(before) != _shape(info):
            if _busy(before) and not _busy(info):
                say(t("own.done", name=info["name"]))
            self._later.ask()

    def _copied(self, params):
        self._copying = ""
        if params["done"] < params["total"]:
            self._copying = t(
                "own.copying",
                done=number(params["done"] + 1),
                total=number(params["total"]),
                name=params["path"],
            )
        node = document.getElementById("own-copying")
        if node and self._copying:
            node.textContent = self._copying
        else:
            self._draw()

    def _refresh_open(self):
        self._lists.refresh()
        self._draw()

    def _shown(self, result):
        """Say what became of files that were added."""
        self._copying = ""
        parts = []
        for key in ("accepted", "skipped", "failed"):
            if result[key]:
                parts.append(plural("own." + key, result[key]))
        if result["removed"]:
            gone = ", ".join(result["removed"][:5]) + (" …" if len(result["removed"]) > 5 else "")
            parts.append(t("own.gone", count=number(len(result["removed"])), names=gone))
        self._tell("failed" if result["failed"] else "added", " ".join(parts) or t("own.nothing"))
        self._lists.open(result["collection"])
        self.load()

    # --- acting ----------------------------------------------------------------------------------

    def _ask(self, method, params):
        def done(result, error):
            if error:
                self._fail(error)
            self.load()

        self._client.request(method, params, done)

    def _ask_removal(self, node):
        self._asking = _id(node)
        self._changed('[data-action="keep-collection"]')

    def _set_asking(self, name):
        self._asking = name
        self._changed('[data-action="add-documents"]')

    def _remove(self, node):
        name = _id(node)
        self._asking = ""

        def done(result, error):
            if error:
                self._fail(error)
            else:
                self._tell("added", t("archive.removed"))
            self.load()

        self._client.request("documents.remove_collection", {"collection": name}, done)

    def _find(self, name):
        for collection in self._collections:
            if collection["id"] == name:
                return collection
        return None

    def _name_of(self, name):
        found = self._find(name)
        return found["name"] if found else ""

    def _tell(self, kind, sentence):
        self._news = [[kind, sentence]]
        say(sentence)

    def _fail(self, error):
        hint = error.get("data", {}).get("hint", "")
        self._tell("failed", (error["message"] + " " + hint).strip())

    def _draw(self):
        self._changed()


def _id(node):
    return node.getAttribute("data-collection") or ""


def _button(cls, sign, word, action_name, collection):
    label = t(word) + ": " + collection["name"]
    name = collection["id"]
    return icon_button(cls, sign, t(word), data_action=action_name, data_collection=name, aria_label=label)


def _field(form, name, words, tag, value):
    label = el("label", "", words)
    label.setAttribute("for", name)
    node = el(tag, "", id=name, dir="auto")
    if tag == "textarea":
        node.rows = 8 if name == "own-paste-text" else 2
    node.value = value
    put(form, label, node)


def _busy(collection):
    return collection["waiting"] > 0


def _shape(collection):
    """What of a collection shows in its list of documents."""
    now = collection.get("now") or {}
    parts = [collection[key] for key in ("documents", "completed", "waiting", "failed", "skipped", "paused")]
    return parts + [now.get("number"), collection["name"], collection["comparable"]]


def _facts(collection):
    parts = [plural("documents", collection["completed"]), plural("own.passages", collection["passages"])]
    if collection["failed"]:
        parts.append(plural("own.failed", collection["failed"]).rstrip("."))
    if collection["passages"]:
        if collection["vectors"] < collection["passages"]:
            share = int(100 * collection["vectors"] / collection["passages"])
            parts.append(t("own.meaning.part", share=number(share)))
        else:
            parts.append(t("own.meaning.all"))
    return " · ".join(parts)


def _measure(row, collection):
    """Set bar and words of a progress row."""
    bar = row.firstElementChild
    now = collection.get("now")
    words = t("own.waiting", count=number(collection["waiting"]))
    if collection["paused"]:
        words = t("own.paused", count=number(collection["waiting"]))
    elif now:
        if now["pages"]:
            part = t("own.page_of", page=number(now["done"]), pages=number(now["pages"]))
        elif now["total"]:
            part = t("own.percent", share=number(int(100 * now["done"] / now["total"])))
        else:
            part = t("own.opening")
        words = t("own.now", name=now["title"], part=part, count=number(collection["waiting"]))
    bar.max = collection["documents"] or 1
    bar.value = collection["documents"] - collection["waiting"]
    bar.nextElementSibling.textContent = words
