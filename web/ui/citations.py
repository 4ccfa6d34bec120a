"""Citations: the numbered buttons, the preview on hover or focus, the sheet, the list of sources."""

from dom import by_id, content, el, icon, listen, put, show
from pyscript import document, window
from strings import t

MARGIN = 12
READER = "cairn-reader"  # one reader tab, reused


def number_button(turn, n, citation):
    """HTML of a citation button; only whole numbers and escaped text go into it."""
    label = t("citation.label", n=n, title=citation["title"]) if citation else str(n)
    return (
        '<button type="button" class="cite" data-action="cite" data-turn="'
        + str(int(turn))
        + '" data-n="'
        + str(int(n))
        + '" aria-label="'
        + escape(label)
        + '">'
        + str(int(n))
        + "</button>"
    )


def escape(text):
    """Text for an HTML attribute or element."""
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(raw, safe)
    return text


def plain(text):
    """A passage without the marks of Markdown headings, for a person to read."""
    return "\n".join(line.lstrip("# ") if line.startswith("#") else line for line in text.split("\n")).strip()


def snippet(citation, limit):
    """The first words of a passage, headings left out: they stand above it already."""
    lines = [line for line in citation["text"].split("\n") if not line.startswith("#")]
    return " ".join((" ".join(lines) or plain(citation["text"])).split())[:limit]


def place(citation):
    """Where a passage stands: source, collection, heading."""
    parts = [citation["source_title"]]
    if citation["collection"] != citation["source_title"]:
        parts.append(citation["collection"])
    if citation["locator"] and citation["locator"] != citation["title"]:
        parts.append(citation["locator"])
    return " · ".join(parts)


def source_card(citation):
    """A source in the list beside the answer; opens the reader at the passage."""
    card = el("a", "source", href=citation["reader_url"], target=READER)
    return put(
        card,
        el("span", "n", str(citation["n"])),
        content("strong", "", citation["title"]),
        content("small", "", place(citation)),
        content("span", "snippet", snippet(citation, 220)),
    )


def fill_sources(panel, citations, cited, rest_key="also_found"):
    """Cited sources first; what else was found (words: ``rest_key``) is folded away below."""
    # Opened by the person: while nothing was cited yet it was open by itself.
    opened = panel.querySelector("h3 ~ details[open]")
    panel.replaceChildren()
    first = [c for c in citations if c["n"] in cited]
    rest = [c for c in citations if c["n"] not in cited]
    if first:
        put(panel, el("h3", "", t("sources")))
        for citation in first:
            put(panel, source_card(citation))
    if rest:
        more = el("details", "also")
        if opened or not first:
            more.open = True
        inner = el("div")
        for citation in rest:
            put(inner, source_card(citation))
        put(panel, put(more, el("summary", "", t(rest_key, count=len(rest))), inner))


class Peek:
    """The small preview beside a citation number."""

    def __init__(self, find):
        self._find = find  # find(element) -> citation or None
        self._node = by_id("peek")
        for event in ("pointerover", "focusin"):
            listen(document, event, self._over)
        for event in ("pointerout", "focusout"):
            listen(document, event, self._out)

    def _over(self, event):
        if event.type == "pointerover" and event.pointerType == "touch":
            return
        button = event.target.closest(".cite") if event.target else None
        citation = self._find(button) if button else None
        if citation is None:
            return
        self._node.replaceChildren(
            content("strong", "", citation["title"]),
            content("small", "", place(citation)),
            content("p", "", snippet(citation, 600)),
        )
        show(self._node, True)
        self._move(button)

    def _move(self, button):
        spot = button.getBoundingClientRect()
        box = self._node.getBoundingClientRect()
        left = min(max(MARGIN, spot.left - 20), window.innerWidth - box.width - MARGIN)
        above = spot.top - box.height - 8
        top = above if above > MARGIN else spot.bottom + 8
        self._node.style.left = str(left) + "px"
        self._node.style.top = str(top) + "px"

    def _out(self, event):
        if event.target and event.target.closest(".cite"):
            show(self._node, False)


class Sheet:
    """The passage of one citation in full, with the way into the reader."""

    def __init__(self):
        self._node = by_id("sheet")

    def open(self, citation):
        """Show a citation; the dialog gives focus back by itself when it closes."""
        show(by_id("peek"), False)
        close = el("button", "quiet", type="button", data_action="close-sheet", aria_label=t("close"))
        put(close, icon("close"))
        heading = content("h2", "", str(citation["n"]) + "  " + citation["title"])
        heading.id = "sheet-title"
        head = put(el("div", "sheet-head"), heading, close)
        body = put(
            el("div", "sheet-body"),
            content("p", "meta", place(citation) + " · " + citation["licence"]),
            content("div", "passage", plain(citation["text"])),
        )
        link = el("a", "button-link", href=citation["reader_url"], target=READER, data_open="reader")
        put(link, icon("open"), el("span", "", t("open_in_reader")))
        self._node.replaceChildren(head, body, put(el("div", "sheet-foot"), link))
        if not self._node.open:
            self._node.showModal()
        link.focus()

    def close(self):
        """Close it if it is open."""
        if self._node.open:
            self._node.close()

    @property
    def is_open(self):
        """Whether the sheet is showing."""
        return bool(self._node.open)
