"""Which sources are asked, how long the answer is, in which language: one sheet, kept per thread."""

from dom import action, by_id, content, el, icon_button, listen, put
from strings import language_name, number, t

KINDS = ("pack", "archive", "documents")
STYLES = ("short", "detailed")
LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "it", "ja", "pt", "ru", "zh")


class Chooser:
    """The choices for the next question; ``None`` of ``chosen`` means every source."""

    def __init__(self, client):
        self._client = client
        self._sources = []
        self._writes = False  # whether the model has words of its own, and so can change the language
        self._model = False
        self.chosen = None
        self.style = "short"
        self.language = ""
        self._button = by_id("choose-sources")
        self._sheet = by_id("chooser")
        action("choose-sources", lambda node: self._open())
        action("close-chooser", lambda node: self._sheet.close())
        listen(self._sheet, "change", self._changed)
        self._name()

    def params(self):
        """For ``engine.ask``."""
        params = {"style": self.style}
        if self.chosen is not None:
            params["sources"] = self.chosen
        if self.language:
            params["language"] = self.language
        return params

    def restore(self, settings):
        """Take what a thread remembers."""
        self.chosen = settings.get("chosen")
        self.style = settings.get("style") or "short"
        self.language = settings.get("language") or ""
        self._name()

    def status(self, status):
        """What is installed changed."""
        self._sources = status.get("sources", [])
        self._model = bool(status.get("models", {}).get("generator"))
        self._writes = status.get("voice") == "own"
        known = [source["id"] for source in self._sources]
        if self.chosen is not None and known:
            self.chosen = [name for name in self.chosen if name in known] or None
        self._name()

    def _name(self):
        parts = [self._sources_name()]
        if self.style == "detailed":
            parts.append(t("style.detailed"))
        if self.language:
            parts.append(language_name(self.language))
        label = " · ".join(parts)
        self._button.querySelector("span").textContent = label
        self._button.setAttribute("aria-label", t("choose.label", choice=label))

    def _sources_name(self):
        if self.chosen is None:
            return t("choose.all")
        if len(self.chosen) == 1:
            for source in self._sources:
                if source["id"] == self.chosen[0]:
                    return source["title"]
        return t("choose.some", count=number(len(self.chosen)), total=number(len(self._sources)))

    # --- the sheet -------------------------------------------------------------------------------

    def _open(self):
        def done(result, error):
            if not error:
                self.status(result)
            self._draw()
            self._sheet.showModal()

        self._client.request("engine.status", {}, done)

    def _draw(self):
        close = icon_button("quiet", "close", "", data_action="close-chooser")
        close.setAttribute("aria-label", t("close"))
        head = put(el("div", "sheet-head"), el("h2", "", t("choose.title"), id="chooser-title"), close)
        body = put(el("div", "sheet-body"), self._all())
        for kind in KINDS:
            of_kind = [source for source in self._sources if source["kind"] == kind]
            if of_kind:
                group = put(el("fieldset", "choices"), el("legend", "", t("choose." + kind)))
                for source in of_kind:
                    put(group, self._source(source))
                put(body, group)
        put(body, self._style(), self._language())
        done = el("button", "primary", t("choose.done"), type="button", data_action="close-chooser")
        self._sheet.replaceChildren(head, body, put(el("div", "sheet-foot"), done))

    def _all(self):
        return choice("checkbox", "all", t("choose.all"), "", self.chosen is None)

    def _source(self, source):
        chosen = self.chosen is None or source["id"] in self.chosen
        line = choice("checkbox", "source", source["title"], source["id"], chosen)
        absent = source.get("archive", {}).get("state") == "absent"
        if absent:
            put(line, el("small", "", t("choose.absent")))
        return line

    def _style(self):
        group = put(el("fieldset", "choices"), el("legend", "", t("style")))
        for style in STYLES:
            put(group, choice("radio", "style", t("style." + style), style, self.style == style))
        return group

    def _language(self):
        if not self._writes:
            words = t("answer.language.sources") if self._model else t("answer.language.quotes")
            return put(el("div", "choices"), el("p", "hint", words))
        select = el("select", "", name="language", id="answer-language")
        put(select, el("option", "", t("answer.language.question"), value=""))
        for code in LANGUAGES:
            put(select, content("option", "", language_name(code)))
            select.lastElementChild.value = code
        select.value = self.language
        label = el("label", "", t("answer.language"))
        label.setAttribute("for", "answer-language")
        return put(el("div", "choices"), label, select)

    def _changed(self, event):
        field = event.target
        name = field.getAttribute("name")
        if name == "style":
            self.style = field.value
        elif name == "language":
            self.language = field.value
        else:
            self._choose(name, field)
        self._name()

    def _choose(self, name, field):
        boxes = list(self._sheet.querySelectorAll('input[name="source"]'))
        whole = self._sheet.querySelector('input[name="all"]')
        if name == "all":
            for box in boxes:
                box.checked = True
        chosen = [box.value for box in boxes if box.checked]
        if not chosen:  # nothing to ask is no choice: the last one stays
            field.checked = True
            chosen = [box.value for box in boxes if box.checked]
        self.chosen = None if len(chosen) == len(boxes) else chosen
        whole.checked = self.chosen is None


def choice(kind, name, words, value, chosen):
    """A box or a button with its words."""
    field = el("input", "", type=kind, name=name, value=value)
    field.checked = chosen
    return put(el("label", "choice"), field, content("span", "", words))
