"""Packs in the Library room: shown, installed, held, switched, verified, repaired, removed.

Files are chosen and handed to the engine by ``chosen-files.mjs``. What is on its way is drawn by
``pack_jobs.py``, what is installed here.
"""

from dom import action, content, el, icon_button, listen, put, say
from pack_jobs import PackJobs
from pyscript import document, window
from strings import language_name, number, plural, size, t


class Packs:
    """State of the packs' part of the room; ``changed()`` asks for a fresh status."""

    def __init__(self, client, changed, enter):
        self._client = client
        self._changed = changed
        self._enter = enter
        self._news = []  # [kind, sentence, address]: what happened; address "" or one to open
        self._asking = ""  # source whose removal waits for a second click
        self._checks = {}  # source -> [request, title, phase, done, total]
        self._recovered = {"files": 0, "bytes": 0}
        self._away = []
        self._taken = None
        self._form = None  # made once: drawing anew must not lose what was typed
        self._jobs = PackJobs(client, changed, self._tell)
        client.on("packs.verifying", self._verifying)
        client.on("packs.ended", self._ended)
        for name, handler in (
            ("add-pack", lambda node: window.cairn.chooseFiles()),
            ("switch-pack", self._switch),
            ("verify-pack", self._verify),
            ("stop-verify", self._stop_verify),
            ("repair-pack", self._repair),
            ("remove-pack", self._ask_removal),
            ("keep-pack", self._keep),
            ("really-remove-pack", self._remove),
        ):
            action(name, handler)
        listen(document, "submit", self._submitted)

    def event(self, event):
        """Take one event of chosen-files.mjs."""
        if event["type"] == "adding":
            self._tell("adding", t("pack.adding", name=event["name"]))
            self._enter()
        elif event["type"] == "added":
            self._shown(event["result"], None)
        else:
            sentence = event["name"] + ": " + event["message"] + " " + event["hint"]
            self._tell("failed", sentence.strip())
        self._changed()

    def take(self, status):
        """The engine's own account of packs beside those that are installed."""
        if status and status is not self._taken:  # an old one knows less than what was told since
            self._taken = status
            self._jobs.take(status["jobs"])
            self._recovered = status["recovered"]
            self._away = status["removed"]

    def state(self):
        """What this part looks like, to compare: drawing anew takes the focus away."""
        checks = sorted(self._checks)
        return [self._news, self._asking, checks, self._recovered, self._away, self._jobs.state()]

    # --- drawing ---------------------------------------------------------------------------------

    def section(self, sources):
        """The part of the room about packs."""
        section = el("section", "shelf", aria_labelledby="packs-title")
        heading = el("h3", "shelf-title", t("pack.title"), id="packs-title")
        add = icon_button("primary", "new", t("pack.add"), data_action="add-pack")
        put(section, put(el("div", "shelf-head"), heading, add), el("p", "hint", t("pack.hint")))
        if self._form is None:
            self._form = _address_form()
        put(section, self._form)
        if self._recovered["files"]:
            cleared = t("pack.recovered", size=size(self._recovered["bytes"]))
            put(section, el("p", "news", cleared, data_kind="waiting"))
        for kind, sentence, address in self._news:
            note = put(el("div", "news", data_kind=kind), el("p", "", sentence, dir="auto"))
            if address:
                words = t("pack.url.open")
                put(note, el("a", "", words, href=address, target="_blank", rel="noopener noreferrer"))
            put(section, note)
        for card in self._jobs.cards():
            put(section, card)
        for source in sources:
            put(section, self._card(source))
        for pack in self._away:
            back = self._button("", "again", "pack.bring_back", "repair-pack", pack)
            row = put(el("div", "card-actions"), back)
            put(section, put(el("div", "card"), el("p", "", t("pack.away", title=pack["title"])), row))
        if not sources and not self._away and not self._jobs.any():
            put(section, el("p", "hint", t("library.empty")))
        return section

    def _card(self, source):
        pack = source["pack"]
        card = el("article", "card", data_source=source["id"], data_pack=pack["state"])
        put(card, content("h4", "", source["title"]), content("p", "", source["notice"]))
        if pack["problem"]:
            put(card, el("p", "news", pack["problem"], data_kind="failed"))
        elif pack["state"] == "off":
            put(card, el("p", "hint", t("pack.state.off")))
        put(card, facts(source, pack["installed_bytes"], pack), self._buttons(source, pack))
        check = self._checks.get(source["id"])
        if check:
            row = el("div", "copying", data_checking=source["id"])
            put(row, el("progress", "", aria_label=t("pack.verify.label", title=source["title"])))
            put(card, put(row, el("span", "")))
            self._told(row, check)
        return card

    def _buttons(self, source, pack):
        row = el("div", "card-actions")
        if self._asking == source["id"]:
            return put(
                row,
                el("p", "ask", t("pack.remove.sure")),
                self._button("danger", "remove", "pack.remove.really", "really-remove-pack", source),
                self._button("", "back", "pack.keep", "keep-pack", source),
            )
        if pack["state"] == "damaged":
            mend = ("pack.reopen", "add-pack") if pack["origin"] == "file" else ("pack.repair", "repair-pack")
            put(row, self._button("primary", "again", mend[0], mend[1], source))
        elif pack["state"] == "on":
            put(row, self._button("", "stop", "pack.off", "switch-pack", source, data_on=""))
        else:
            put(row, self._button("primary", "again", "pack.on", "switch-pack", source, data_on="yes"))
        if source["id"] in self._checks:
            put(row, self._button("", "stop", "pack.verify.stop", "stop-verify", source))
        else:
            put(row, self._button("", "again", "pack.verify", "verify-pack", source))
        return put(row, self._button("quiet", "remove", "pack.remove", "remove-pack", source))

    def _button(self, cls, icon_name, word, action_name, source, **more):
        label = t(word) + ": " + source["title"]
        more.update({"data_action": action_name, "data_source": source["id"], "aria_label": label})
        more["data_title"] = source["title"]
        return icon_button(cls, icon_name, t(word), **more)

    def _told(self, row, check):
        bar = row.firstElementChild
        bar.max = check[4] or 1
        bar.value = check[3]
        words = t("pack.phase." + check[2])
        if check[4]:
            words += " · " + t("progress", done=number(100 * check[3] / check[4]))
        row.lastElementChild.textContent = words

    # --- acting ----------------------------------------------------------------------------------

    def _tell(self, kind, sentence, address=""):
        self._news = [[kind, sentence, address]]
        say(sentence)

    def _shown(self, job, error):
        """A pack was looked into: what is shown now, or why not."""
        if error:
            self._fail(error)
        elif job["state"] == "asking":
            title = job["pack"]["title"] if job["pack"] else job["name"]
            self._tell("added", t("pack.shown", title=title))
        else:
            self._news = []

    def _submitted(self, event):
        form = event.target
        if form.id != "pack-url-form":
            return
        event.preventDefault()
        field = form.querySelector("input")
        url = field.value.strip()
        if not url:
            return

        def done(job, error):
            if not error:
                field.value = ""
            self._shown(job, error)
            if error and url.startswith("http"):
                self._news[0][2] = url
            self._changed()

        self._tell("adding", t("pack.adding", name=url))
        self._client.request("packs.add", {"url": url}, done)
        self._changed()

    def _ended(self, end):
        word = "pack.installed" if end["outcome"] == "installed" else "pack.dropped"
        self._tell("added", t(word, title=end["title"]))
        self._jobs.forget(end["id"])
        self._changed()

    def _switch(self, node):
        name = node.getAttribute("data-source")
        on = node.getAttribute("data-on") == "yes"
        again = '[data-action="switch-pack"][data-source="' + name + '"]'
        self._ask("packs.switch", {"source": name, "on": on}, lambda result: None, again)

    def _verify(self, node):
        name = node.getAttribute("data-source")
        title = node.getAttribute("data-title")

        def done(result, error):
            self._checks.pop(name, None)
            if not error:
                self._tell("added", t("pack.verified", title=title))
            elif error["code"] != "cancelled":
                self._fail(error)
            self._changed()

        request = self._client.request("packs.verify", {"source": name}, done)
        self._checks[name] = [request, title, "hash", 0, 0]
        self._changed('[data-action="stop-verify"][data-source="' + name + '"]')

    def _verifying(self, params):
        check = self._checks.get(params["source"])
        row = document.querySelector('[data-checking="' + params["source"] + '"]')
        if check:
            check[2:] = [params["phase"], params["done"], params["total"]]
            if row:
                self._told(row, check)

    def _stop_verify(self, node):
        check = self._checks.get(node.getAttribute("data-source"))
        if check:
            self._client.cancel(check[0])

    def _repair(self, node):
        title = node.getAttribute("data-title")
        self._tell("adding", t("pack.repairing", title=title))
        self._changed()

        def done(job):
            if not job:
                self._tell("added", t("pack.repaired", title=title))

        self._ask("packs.repair", {"source": node.getAttribute("data-source")}, done)

    def _ask_removal(self, node):
        self._asking = node.getAttribute("data-source")
        self._changed('[data-action="keep-pack"]')

    def _keep(self, node):
        self._asking = ""
        self._changed('[data-action="remove-pack"][data-source="' + node.getAttribute("data-source") + '"]')

    def _remove(self, node):
        self._asking = ""
        source = {"source": node.getAttribute("data-source")}
        done = lambda result: self._tell("added", t("pack.removed"))  # noqa: E731
        self._ask("packs.remove", source, done, '[data-action="add-pack"]')

    def _ask(self, method, params, done, focus=""):
        def answered(result, error):
            if error:
                self._fail(error)
            else:
                done(result)
            self._changed(focus)

        self._client.request(method, params, answered)

    def _fail(self, error):
        hint = error.get("data", {}).get("hint", "")
        self._tell("failed", (error["message"] + " " + hint).strip())


def facts(source, installed_bytes, pack=None):
    """The plain facts of a pack that is installed (``pack``) or shown before that."""
    rows = [
        (t("fact.version"), source["version"]),
        (t("fact.documents"), plural("documents", source["documents"])),
        (t("fact.passages"), number(source["passages"]) if source["passages"] else ""),
        (t("fact.languages"), ", ".join(language_name(code) for code in source["languages"])),
        (t("fact.size"), size(source["bytes"]) if source["bytes"] else ""),
        (t("fact.installed_size"), size(installed_bytes) if installed_bytes != source["bytes"] else ""),
        (t("fact.licence"), source["licence"]),
    ]
    if pack:
        rows.append((t("fact.origin"), t("origin." + pack["origin"], address=pack["address"])))
    found = el("dl", "facts")
    for name, value in rows:
        if value:
            put(found, el("dt", "", name), content("dd", "", value))
    return found


def _address_form():
    form = el("form", "address", id="pack-url-form", autocomplete="off")
    field = el("input", "", id="pack-url", type="text", inputmode="url", maxlength="2000", dir="ltr")
    field.setAttribute("aria-describedby", "pack-url-hint")
    label = el("label", "", t("pack.url.label"))
    label.setAttribute("for", "pack-url")
    row = put(el("div", "address-row"), field, el("button", "", t("pack.url.show"), type="submit"))
    put(form, label, row, el("p", "hint", t("pack.url.hint"), id="pack-url-hint"))
    return put(el("details", "from-address"), el("summary", "", t("pack.url")), form)
