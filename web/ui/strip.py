"""The readiness strip: four cells, each with its state and next step; folds into a dot when ready."""

from dom import by_id, el, put, show
from pyscript import document
from strings import number, size, t

CELLS = ("library", "archives", "meaning", "answers")


class Strip:
    """Draws ``engine.readiness``; unfolds when something needs the person."""

    def __init__(self):
        self.readiness = {}
        self._opened = None  # the person's own choice wins over folding by itself
        self._strip = by_id("strip")
        self._dot = by_id("readiness-dot")

    def update(self, readiness):
        """Draw new states."""
        self.readiness = readiness
        for name in CELLS:
            if name in readiness:
                self._draw(name, readiness[name])
        self._fold()

    def engine_failed(self):
        """Nothing goes on any more: a cell that says "starting" would never end."""
        cell = {"state": "failed", "label": t("cell.stopped"), "action": ""}
        self.update({name: dict(cell) for name in CELLS if name != "archives"})

    def toggle(self):
        """The dot was pressed."""
        self._opened = not self._strip.checkVisibility()
        self._strip.setAttribute("data-pinned", "true" if self._opened else "false")
        self._fold()

    def ready(self, name):
        """Whether a part can be used now."""
        return self.readiness.get(name, {}).get("state") == "ready"

    def _draw(self, name, cell):
        node = document.querySelector('.cell[data-cell="' + name + '"]')
        label = self._label(cell)
        if node.getAttribute("data-drawn") == cell["state"] + label:
            self._progress(node, cell)
            return
        node.dataset.state = cell["state"]
        node.setAttribute("data-drawn", cell["state"] + label)
        node.replaceChildren(el("b", "", t("cell." + name)), el("span", "", label))
        if cell.get("action") and cell["state"] == "failed" and name in ("meaning", "answers"):
            put(
                node,
                el(
                    "button",
                    "quiet",
                    cell["action"],
                    type="button",
                    data_action="restart-part",
                    data_part=name,
                ),
            )
        if cell.get("action") and name == "archives":
            put(node, el("button", "quiet", cell["action"], type="button", data_action="archives-again"))
        self._progress(node, cell)

    def _label(self, cell):
        label = cell["label"]
        if cell.get("unit") == "bytes" and cell.get("total"):
            label += " · " + t("of", done=number(cell["done"] / 1000000), total=size(cell["total"]))
        return label

    def _progress(self, node, cell):
        bar = node.querySelector("progress")
        if not cell.get("total"):
            if bar:
                bar.remove()
            return
        if not bar:
            bar = el("progress", "")
            node.append(bar)
        bar.max = cell["total"]
        bar.value = cell["done"]
        bar.setAttribute("aria-label", t("progress", done=number(100 * cell["done"] // cell["total"])))

    def _fold(self):
        states = [cell["state"] for cell in self.readiness.values()]
        waiting = [s for s in states if s in ("starting", "failed", "empty", "degraded")]
        folded = not waiting if self._opened is None else not self._opened
        self._strip.setAttribute("data-folded", "true" if folded else "false")
        self._dot.dataset.state = "failed" if "failed" in states else ("waiting" if waiting else "ready")
        self._dot.setAttribute("aria-expanded", "false" if folded else "true")
        show(self._dot, bool(states))
