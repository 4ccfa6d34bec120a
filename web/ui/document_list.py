"""The documents of one collection: what each is, what can be done with it, and its passages."""

from dom import action, content, el, icon, icon_button, put, say
from pyscript import window
from strings import number, plural, size, t

TEXT_READER = "/reader/text.html"
PDF_READER = "/reader/pdf.html"
AT_ONCE = 200
PASSAGES = 40


class DocumentList:
    """Which list is open, and the form or passages that are open in it."""

    def __init__(self, client, draw, name_of, collections):
        self._client = client
        self._draw = draw
        self._name_of = name_of
        self._all = collections
        self._open = ""  # id of the collection whose documents are shown
        self._rows = []
        self._form = None  # made once; "" or [kind, number]
        self._form_of = ["", -1]
        self._passages = None  # PassageList of the document that is explored
        self._explored = -1
        self._asking = -1  # number of the document whose removal waits for a second click
        self._trouble = ""
        for name, handler in (
            ("show-documents", lambda node: self.open(_id(node))),
            ("hide-documents", lambda node: self.open("")),
            ("more-documents", lambda node: self._load(len(self._rows))),
            ("explore-document", self._explore),
            ("more-passages", lambda node: self._more_passages()),
            ("rename-document", self._rename),
            ("close-document-form", lambda node: self._close()),
            ("move-document", self._move),
            ("retry-document", self._retry),
            ("remove-document", self._ask_removal),
            ("keep-document", lambda node: self._set_asking(-1)),
            ("really-remove-document", self._remove),
        ):
            action(name, handler)

    def state(self):
        """What it looks like, to compare."""
        rows = [
            [d["number"], d["title"], d["status"], d["reason"], d["notes"], d["passages"]] for d in self._rows
        ]
        explored = len(self._passages["passages"]) if self._passages else 0
        return [self._open, rows, self._form_of, self._explored, explored, self._asking, self._trouble]

    def open(self, name):
        """Show the documents of a collection ("" none)."""
        self._open = name
        self._rows = []
        self._passages = None
        self._explored = -1
        self._trouble = ""
        if name:
            self._load(0)
        else:
            self._draw()

    def refresh(self):
        """Something changed: ask for the list again."""
        if self._open:
            self._load(0, max(AT_ONCE, len(self._rows)))

    def _load(self, offset, limit=AT_ONCE):
        name = self._open

        def done(result, error):
            if error or name != self._open:
                return
            self._rows = self._rows[:offset] + result["documents"]
            self._draw()

        params = {"collection": name, "offset": offset, "limit": limit}
        self._client.request("documents.list", params, done)

    # --- drawing ---------------------------------------------------------------------------------

    def section(self, collection):
        """The list of a collection, or the button that shows it."""
        name = collection["id"]
        if self._open != name:
            words = plural("own.show", collection["documents"])
            return icon_button("quiet", "list", words, data_action="show-documents", data_collection=name)
        box = el("div", "own-list")
        hide = t("own.hide")
        put(box, icon_button("quiet", "list", hide, data_action="hide-documents", data_collection=name))
        if self._trouble:
            put(box, el("p", "news", self._trouble, data_kind="failed"))
        listed = el("ul", "documents", aria_label=collection["name"])
        for row in self._rows:
            put(listed, self._item(row))
        put(box, listed)
        if len(self._rows) < collection["documents"]:
            words = t("own.more", count=number(collection["documents"] - len(self._rows)))
            put(box, icon_button("", "list", words, data_action="more-documents", data_collection=name))
        return box

    def _item(self, row):
        item = el("li", "", data_status=row["status"], data_document=row["number"])
        put(item, content("p", "document-title", row["title"]))
        put(item, content("p", "document-path", row["path"]))
        facts = [t("own.status." + row["status"]), row["kind"].upper(), size(row["bytes"])]
        if row["pages"]:
            facts.append(plural("own.pages", row["pages"]))
        if row["status"] == "completed":
            facts.append(plural("own.passages", row["passages"]))
        put(item, el("p", "document-facts", " · ".join(facts)))
        why = (row["reason"] + " " + row["hint"]).strip()
        if why:
            put(item, content("p", "document-why", why))
        for note in row["notes"]:
            put(item, content("p", "document-why", note))
        if self._form is not None and self._form_of[1] == row["number"]:
            put(item, self._form)
        put(item, self._actions(row))
        if self._explored == row["number"] and self._passages:
            put(item, self._explorer())
        return item

    def _actions(self, row):
        bar = el("div", "card-actions")
        if self._asking == row["number"]:
            return put(
                bar,
                el("p", "ask", t("own.document.sure")),
                _button("danger", "remove", "own.remove.really", "really-remove-document", row),
                _button("", "back", "own.keep", "keep-document", row),
            )
        if row["status"] == "completed":
            reader = PDF_READER if row["kind"] == "pdf" else TEXT_READER
            href = reader + "?source=" + self._open + "&document=" + row["id"]
            link = el("a", "button-link", href=href, target="cairn-reader")
            put(bar, put(link, icon("open"), el("span", "", t("archive.read"))))
            put(bar, _button("", "list", "own.explore", "explore-document", row))
            put(bar, _button("", "edit", "own.rename", "rename-document", row))
            if len(self._all()) > 1:
                put(bar, _button("", "copy", "own.move", "move-document", row))
        if row["status"] == "failed":
            put(bar, _button("primary", "again", "own.retry", "retry-document", row))
        return put(bar, _button("quiet", "remove", "own.remove", "remove-document", row))

    def _explorer(self):
        box = el("div", "passages")
        found = self._passages
        put(box, el("p", "hint", t("own.explore.of", total=number(found["total"]))))
        listed = el("ol", "", start="1")
        for passage in found["passages"]:
            facts = [plural("own.tokens", passage["tokens"])]
            if passage["page"]:
                pages = number(passage["page"])
                if passage["last_page"] > passage["page"]:
                    pages = pages + "–" + number(passage["last_page"])
                facts.append(t("own.on_page", pages=pages))
            facts.append(t("own.vector") if passage["vector"] else t("own.no_vector"))
            item = el("li", "")
            put(item, content("p", "document-title", passage["locator"]))
            put(item, el("p", "document-facts", " · ".join(facts)))
            for other in passage["alike"]:
                share = number(int(100 * other["alike"]))
                put(item, content("p", "document-why", t("own.alike", title=other["title"], share=share)))
            put(item, content("p", "passage-text", passage["text"]))
            put(listed, item)
        put(box, listed)
        if len(found["passages"]) < found["total"]:
            put(box, icon_button("", "list", t("own.more_passages"), data_action="more-passages"))
        return box

    # --- acting ----------------------------------------------------------------------------------

    def _ask(self, method, params, words=""):
        def done(result, error):
            self._trouble = ""
            if error:
                hint = error.get("data", {}).get("hint", "")
                self._trouble = (error["message"] + " " + hint).strip()
                say(self._trouble)
            elif words:
                say(words)
            self.refresh()
            self._draw()

        params["collection"] = self._open
        self._client.request(method, params, done)

    def _explore(self, node):
        wanted = _number(node)
        if wanted == self._explored:
            self._explored = -1
            self._passages = None
            self._draw()
            return
        self._explored = wanted
        self._passages = None
        self._more_passages()

    def _more_passages(self):
        row = self._row(self._explored)
        if row is None:
            return
        have = self._passages["passages"] if self._passages else []

        def done(result, error):
            if error or row["number"] != self._explored:
                return
            result["passages"] = have + result["passages"]
            self._passages = result
            self._draw()

        params = {"collection": self._open, "document": row["id"], "offset": len(have), "limit": PASSAGES}
        self._client.request("documents.passages", params, done)

    def _rename(self, node):
        row = self._row(_number(node))
        self._show_form("own-title-form", row, "own-new-title", t("own.rename.to"), row["title"], "text")

    def renamed(self, form):
        """The form with a new title was sent."""
        title = form.querySelector("input").value
        self._close()
        self._ask("documents.rename", {"document": _number(form), "title": title})

    def _retry(self, node):
        row = self._row(_number(node))
        if row["code"] == "password_needed":
            self._show_form("own-password", row, "own-secret", t("own.password"), "", "password")
        else:
            self._ask("documents.retry", {"document": row["number"]})

    def password(self, form):
        """The form with a password was sent: it goes to the engine once and is kept nowhere."""
        field = form.querySelector("input")
        secret = field.value
        field.value = ""
        self._close()
        self._ask("documents.retry", {"document": _number(form), "password": secret})

    def _show_form(self, kind, row, field, words, value, what):
        form = el("form", "own-form", id=kind, data_document=row["number"])
        label = el("label", "", words)
        label.setAttribute("for", field)
        node = el("input", "", id=field, type=what, dir="auto", autocomplete="off")
        node.value = value
        send = icon_button("primary", "check", t("own.save"))
        send.type = "submit"
        close = icon_button("", "close", t("own.close"), data_action="close-document-form")
        put(form, label, node, put(el("div", "card-actions"), send, close))
        self._form = form
        self._form_of = [kind, row["number"]]
        self._draw()
        node.focus()

    def _close(self):
        self._form = None
        self._form_of = ["", -1]
        self._draw()

    def _move(self, node):
        """To the next collection in the list: with two there is one choice, with more it goes on."""
        names = [collection["id"] for collection in self._all()]
        target = names[(names.index(self._open) + 1) % len(names)]
        words = t("own.moved", name=self._name_of(target))
        self._ask("documents.move", {"documents": [_number(node)], "target": target}, words)

    def _ask_removal(self, node):
        self._set_asking(_number(node))

    def _set_asking(self, which):
        self._asking = which
        self._draw()
        keep = window.document.querySelector('[data-action="keep-document"]')
        if keep:
            keep.focus()

    def _remove(self, node):
        self._asking = -1
        self._ask("documents.remove", {"documents": [_number(node)]}, t("archive.removed"))

    def _row(self, wanted):
        for row in self._rows:
            if row["number"] == wanted:
                return row
        return None


def _id(node):
    return node.getAttribute("data-collection") or ""


def _number(node):
    return int(node.getAttribute("data-document"))


def _button(cls, sign, word, action_name, row):
    label = t(word) + ": " + row["title"]
    return icon_button(
        cls, sign, t(word), data_action=action_name, data_document=row["number"], aria_label=label
    )
