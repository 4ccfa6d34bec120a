"""Filters of the Search room: by source, language, collection and document, with counts."""

from dom import action, content, el, icon, put, show
from pyscript import document, window
from strings import language_name, number, t

GROUPS = ("sources", "languages", "collections")
SHOWN = 8  # values of a group; those that are chosen are always among them
NARROW = 760


class Filters:
    """What is chosen; ``changed()`` when the person changes it."""

    def __init__(self, changed):
        self._changed = changed
        self._chosen = {name: [] for name in GROUPS}
        self._document = None  # (id, title)
        self._counts = None
        self._drawn = None
        self.node = el("details", "filters")
        self.node.open = window.innerWidth > NARROW
        self._summary = el("summary", "", t("filter.title"))
        self._groups = el("div", "filter-groups")
        put(self.node, self._summary, self._groups)
        show(self.node, False)
        action("filter", self._toggle)
        action("unfilter", lambda node: self._drop_all())
        action("all-documents", lambda node: self.only_document("", ""))

    def params(self):
        """What ``engine.search`` is asked with."""
        params = {name: list(values) for name, values in self._chosen.items() if values}
        if self._document:
            params["documents"] = [self._document[0]]
        return params

    def active(self):
        """How many values are chosen."""
        return sum(len(values) for values in self._chosen.values()) + (1 if self._document else 0)

    def only_document(self, name, title):
        """Search in one document, or in all again (name "")."""
        self._document = (name, title) if name else None
        self._changed()

    def read(self, address):
        """Take the filters from an address."""
        for name in GROUPS:
            self._chosen[name] = list(address.getAll(name))
        name = address.get("document")
        self._document = (name, address.get("title") or name) if name else None

    def write(self, address):
        """Add the filters to an address."""
        for name in GROUPS:
            for value in self._chosen[name]:
                address.append(name, value)
        if self._document:
            address.append("document", self._document[0])
            address.append("title", self._document[1])

    def clear(self):
        """Nothing is searched: nothing to filter."""
        self._drawn = None
        if not self.active():
            self._groups.replaceChildren()
        show(self.node, bool(self.active()))

    def draw(self, counts):
        """Draw the values; the focus stays on the value that has it."""
        self._counts = counts
        wanted = [counts[name] for name in GROUPS] + [dict(self._chosen), self._document]
        if wanted == self._drawn:
            return
        self._drawn = [counts[name] for name in GROUPS] + [
            {name: list(values) for name, values in self._chosen.items()},
            self._document,
        ]
        focused = document.activeElement
        held = focused.getAttribute("data-filter") if focused else None
        self._groups.replaceChildren()
        for name in GROUPS:
            self._draw_group(name, counts[name])
        if self._document:
            self._draw_document()
        if held:
            for button in list(self._groups.querySelectorAll("[data-filter]")):
                if button.getAttribute("data-filter") == held:
                    button.focus()
        count = self.active()
        self._summary.textContent = t("filter.active", count=count) if count else t("filter.title")
        show(self.node, self._groups.children.length > 0)

    def _draw_group(self, name, facets):
        chosen = self._chosen[name]
        known = [facet["value"] for facet in facets]
        listed = [facet for place, facet in enumerate(facets) if place < SHOWN or facet["value"] in chosen]
        listed += [{"value": v, "label": v, "count": 0} for v in chosen if v not in known]
        if len(listed) < 2 and not chosen:
            return
        group = el("div", "filter-group", role="group", aria_label=t("filter." + name))
        chips = el("div", "chips")
        for facet in listed:
            label = language_name(facet["value"]) if name == "languages" else facet["label"]
            chip = el(
                "button", "chip", type="button", data_action="filter", data_group=name,
                data_value=facet["value"], data_filter=name + "\n" + facet["value"],
                aria_pressed="true" if facet["value"] in chosen else "false",
            )  # fmt: skip
            put(chips, put(chip, content("span", "", label), el("small", "", number(facet["count"]))))
        put(self._groups, put(group, el("span", "filter-name", t("filter." + name)), chips))

    def _draw_document(self):
        group = el("div", "filter-group", role="group", aria_label=t("filter.document"))
        chip = el(
            "button", "chip", type="button", data_action="all-documents", aria_pressed="true",
            data_filter="document",
        )  # fmt: skip
        put(chip, content("span", "", self._document[1]), icon("close"))
        chips = put(el("div", "chips"), chip)
        put(self._groups, put(group, el("span", "filter-name", t("filter.document")), chips))

    def _toggle(self, node):
        chosen = self._chosen[node.getAttribute("data-group")]
        value = node.getAttribute("data-value")
        if value in chosen:
            chosen.remove(value)
        else:
            chosen.append(value)
        node.setAttribute("aria-pressed", "true" if value in chosen else "false")
        self._changed()

    def _drop_all(self):
        self._chosen = {name: [] for name in GROUPS}
        self._document = None
        self._changed()
