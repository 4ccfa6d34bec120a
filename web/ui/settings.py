"""The Settings room: look, language, storage, privacy, what this device can do.

What lies in OPFS is counted by the engine, what lies in the browser's caches by ``keeping.mjs``.
"""

import json

from dom import action, by_id, el, icon_button, listen, put, say, show
from pyscript import document, window
from pyscript.ffi import create_proxy
from strings import number, size, t

THEMES = ("", "light", "dark")
KINDS = ("packs", "archives", "documents", "records", "models", "app", "other")


class Settings:
    """Draws the room each time it is entered."""

    def __init__(self, client):
        self._client = client
        self._kept = {}
        action("copy-report", self._copy_report)
        action("persist", self._persist)
        action("erase", lambda node: self._sure(True))
        action("keep-all", lambda node: self._sure(False))
        action("really-erase", lambda node: window.cairn.erase())
        action("clear-log", self._clear_log)

    def draw(self):
        """Draw what is known at once; figures follow."""
        self._report = el("pre", "report", t("about.loading"), tabindex="0")
        self._storage = el("div", "kept")
        self._log = el("div", "log")
        room = by_id("view-settings")
        room.replaceChildren(
            el("h2", "", t("room.settings")),
            self._look(),
            _section("storage", el("p", "", t("storage.note")), self._storage),
            _section("privacy", el("p", "", t("about.privacy")), self._log),
            _section(
                "repair",
                el("p", "", t("repair.note")),
                put(el("p"), el("a", "button-link", t("repair.fresh"), href="/fresh.html")),
            ),
            put(
                el("section", "group"),
                el("h3", "", t("about.device")),
                el("p", "", t("about.health")),
                self._report,
                put(el("p"), icon_button("", "copy", t("about.copy"), data_action="copy-report")),
                el("p", "", t("about.licences")),
            ),
        )
        self._client.request("engine.diagnostics", {}, self._reported)
        self._count()
        window.cairn.requests(create_proxy(self._logged))

    # --- look and language -----------------------------------------------------------------------

    def _look(self):
        themes = _choice("settings.theme", "theme-choice")
        for theme in THEMES:
            _option(themes, theme, t("theme." + theme), window.cairnTheme.stored())
        languages = _choice("settings.language", "language-choice")
        chosen = window.cairnLanguage.chosen()
        _option(languages, "", t("settings.language.auto"), chosen)
        for code, name in json.loads(window.cairnLanguage.names):
            _option(languages, code, name, chosen)
        listen(themes, "change", lambda event: window.cairnTheme.apply(event.target.value))
        listen(languages, "change", self._language)
        group = put(el("section", "group"), el("h3", "", t("settings.look")))
        for node in (themes, languages):
            put(group, put(el("label", "choice"), el("span", "", node.getAttribute("data-name")), node))
        return put(group, el("p", "hint", t("settings.language.note")))

    def _language(self, event):
        window.cairnLanguage.apply(event.target.value)
        document.location.reload()

    # --- storage ---------------------------------------------------------------------------------

    def _count(self):
        def stored(result, error):
            if error:
                return
            self._kept = result
            window.cairn.kept(create_proxy(self._draw_storage))

        self._client.request("engine.storage", {}, stored)

    def _draw_storage(self, text):
        caches = json.loads(text)
        parts = dict(self._kept["bytes"])
        parts.update(caches)  # MicroPython has no {**a, **b}
        facts = el("dl", "facts")
        for kind in KINDS:
            if parts.get(kind):
                put(facts, el("dt", "", t("storage." + kind)), el("dd", "", size(parts[kind])))
        put(facts, el("dt", "", t("storage.total")), el("dd", "", size(sum(parts.values()))))
        persisted = self._kept["persisted"]
        words = t("storage.persisted" if persisted else "storage.not_persisted")
        rows = [facts, el("p", "", words, id="persisted")]
        if self._kept["quota"]:
            rows.append(el("p", "hint", t("storage.free", size=size(self._kept["quota"]))))
        buttons = el("div", "card-actions", id="storage-actions")
        if not persisted:
            put(buttons, icon_button("", "check", t("storage.persist"), data_action="persist"))
        put(buttons, icon_button("quiet", "remove", t("storage.erase"), data_action="erase"))
        sure = el("div", "card-actions", id="storage-sure")
        put(
            sure,
            el("p", "ask", t("storage.erase.sure")),
            icon_button("danger", "remove", t("storage.erase.really"), data_action="really-erase"),
            icon_button("", "back", t("storage.keep"), data_action="keep-all"),
        )
        show(sure, False)
        self._storage.replaceChildren(*rows, buttons, sure)

    def _persist(self, node):
        def answered(granted):
            if granted:
                self._count()
                say(t("storage.persisted"))
            else:
                by_id("persisted").textContent = t("storage.persist.refused")
                say(t("storage.persist.refused"))

        window.cairn.persist(create_proxy(answered))

    def _sure(self, asking):
        show(by_id("storage-actions"), not asking)
        show(by_id("storage-sure"), asking)
        wanted = "keep-all" if asking else "erase"
        document.querySelector('#view-settings [data-action="' + wanted + '"]').focus()

    # --- privacy ---------------------------------------------------------------------------------

    def _logged(self, text):
        entries = json.loads(text)
        if not entries:
            self._log.replaceChildren(el("p", "", t("privacy.none"), data_count="0"))
            return
        here = document.location.origin
        elsewhere = [entry for entry in entries if not entry["url"].startswith(here)]
        rows = el("ul", "requests", tabindex="0")
        for entry in entries[-200:]:
            put(rows, el("li", "", entry["when"] + " · " + entry["url"].replace(here, ""), dir="ltr"))
        self._log.replaceChildren(
            el("p", "", t("privacy.log", count=number(len(entries))), data_count=len(entries)),
            el("p", "", t("privacy.elsewhere", count=number(len(elsewhere))), data_elsewhere=len(elsewhere)),
            rows,
            put(el("p"), icon_button("quiet", "remove", t("privacy.clear"), data_action="clear-log")),
        )

    def _clear_log(self, node):
        window.cairn.clearRequests(create_proxy(self._logged))

    # --- this device -----------------------------------------------------------------------------

    def _reported(self, result, error):
        value = result if error is None else error
        self._report.textContent = window.JSON.stringify(window.JSON.parse(json.dumps(value)), None, 2)

    def _copy_report(self, node):
        window.navigator.clipboard.writeText(self._report.textContent)
        say(t("copied"))


def _section(name, *children):
    return put(el("section", "group"), el("h3", "", t(name + ".title")), *children)


def _choice(word, name):
    return el("select", "", id=name, data_name=t(word))


def _option(parent, value, words, chosen):
    option = el("option", "", words, value=value)
    option.selected = value == chosen
    put(parent, option)
