"""One turn on the page: the question, what was searched, quotes, the written answer, its sources.

The quotes come first and stay; the written answer streams below them and never pushes what is
being read. Text from models and documents goes through ``cairnRenderMarkdown`` (sanitised) or
``textContent``, nothing else.
"""

import json
import re

from citations import escape, number_button, sources_panel
from dom import Later, content, el, icon, icon_button, put, say
from pyscript import window
from strings import number, t

REDRAW_MS = 80
MARKER = re.compile(r"\[(\d\d?)\]")
BUSY = ("waiting", "searching", "writing")


class Turn:
    """State and elements of one question and its answer."""

    def __init__(self, number_, question):
        self.number = number_
        self.question = question
        self.state = "waiting"
        self.text = ""
        self.thinking = ""
        self.citations = {}
        self.quotes = []
        self.result = None
        self.outcome = ""
        self.debug = {}
        self._redraw = Later(self._draw_text, REDRAW_MS)
        self._build()

    @property
    def busy(self):
        """Whether an answer is still being made."""
        return self.state in BUSY

    def _build(self):
        self.node = el("article", "turn", data_turn=self.number)
        self._body = el("div", "turn-body")
        self._searched = el("p", "searched")
        self._waiting = el("p", "waiting", t("waiting_engine"))
        self._quotes = el("div", "quotes")
        self._written = el("div", "written", dir="auto")
        self._notes = el("div", "notes")
        self._foot = el("div", "turn-foot")
        self._sources = el("aside", "sources")
        for node in (self._quotes, self._written, self._searched):
            node.hidden = True
        put(
            self._body,
            content("h2", "asked", self.question),
            self._searched,
            self._waiting,
            self._quotes,
            self._written,
            self._notes,
            self._foot,
        )
        put(self.node, self._body, self._sources)

    # --- events of the engine --------------------------------------------------------------------

    def event(self, event):
        """Take one ask.event."""
        kind = event["type"]
        if kind == "retrieval_query":
            self.state = "searching"
            self._show_query(event["query"])
        elif kind == "citations":
            self.outcome = event["outcome"]
            self._take_citations(event["citations"])
        elif kind == "draft":
            self._take_quotes(event["quotes"])
        elif kind == "text_delta":
            self.state = "writing"
            self.text += event["text"]
            self._redraw.ask()
        elif kind == "thinking_delta":
            self.thinking += event["text"]
        elif kind == "note":
            self._note(event["message"])
        elif kind == "debug":
            self.debug.update(event["debug"])
        elif kind in ("done", "error"):
            pass  # the reply itself carries the result or the error, see finish()

    def started(self):
        """The engine took the question."""
        self._waiting.textContent = t("searching")

    def finish(self, result, error):
        """The reply arrived: the final text, or why there is none."""
        self._waiting.hidden = True
        if error:
            self.state = "failed"
            hint = error.get("data", {}).get("hint", "")
            self._note(error["message"] + (" " + hint if hint else ""), "failed")
        else:
            self.state = "done"
            self.result = result
            self.text = result["text"]
            self._take_citations(result["citations"])
            self._take_quotes(result["quotes"])
            self._draw_text()
            self._show_outcome(result)
        self._draw_foot()

    # --- drawing ---------------------------------------------------------------------------------

    def _show_query(self, query):
        self._waiting.textContent = t("searching")
        self._searched.replaceChildren(icon("search"), content("span", "", t("searched", query=query)))
        edit = icon_button("quiet", "edit", t("edit"), data_action="edit-question", data_turn=self.number)
        put(self._searched, edit)
        self._searched.hidden = False

    def _take_citations(self, citations):
        self.citations = {citation["n"]: citation for citation in citations}
        self._draw_sources()

    def _take_quotes(self, quotes):
        if quotes == self.quotes:
            return
        self.quotes = quotes
        if not quotes:
            self._quotes.hidden = True
            return
        self._waiting.hidden = True
        self._quotes.replaceChildren(el("p", "section-name", t("quoted")))
        for quote in quotes:
            line = content("p", "", "")
            line.innerHTML = escape(quote["text"]) + self._button(quote["n"])
            put(self._quotes, line)
        self._quotes.hidden = False
        self._draw_sources()
        say(t("quoted") + ": " + quotes[0]["text"])

    def _draw_text(self):
        if not self.text:
            return
        html = window.cairnRenderMarkdown(self.text)
        html = MARKER.sub(lambda m: self._button(int(m.group(1))), html)
        self._written.innerHTML = html
        self._written.prepend(el("p", "section-name", t(self._kind())))
        self._written.hidden = False

    def _kind(self):
        """Words for how the text came about, known for certain once it is finished."""
        if not self.result:
            return "answer"
        return "chosen" if self.result["verbatim"] else "written"

    def _button(self, n):
        citation = self.citations.get(n)
        return number_button(self.number, n, citation) if citation else ""

    def _draw_sources(self):
        cited = {quote["n"] for quote in self.quotes}
        cited.update(int(n) for n in _markers(self.text))
        order = [self.citations[n] for n in sorted(self.citations)]
        panel = sources_panel(order, cited, "nearest" if self.outcome == "no_match" else "also_found")
        self._sources.replaceWith(panel)
        self._sources = panel

    def _show_outcome(self, result):
        if result["outcome"] == "no_match":
            box = el("div", "no-match", data_outcome="no_match")
            put(box, el("h3", "", t("not_covered")), el("p", "", t("not_covered.next")))
            self._notes.prepend(box)
            say(t("not_covered"))
        for sentence in result["sentences"]:
            if not sentence["confirmed"]:
                put(self._notes, self._unconfirmed(sentence["text"]))
        if result["finish"] == "stopped":
            self._note(t("stopped" if self.text else "stopped.empty"))
        elif result["finish"] == "failed":
            self._note(result.get("reason") or t("failed"), "failed")
        elif result["finish"] == "no_model" and result["outcome"] != "no_match":
            self._note(t("quotes_only"))
        if result["quotes"]:
            self._note(t("from_library"))
        if self.text:
            say(t(self._kind()) + ": " + MARKER.sub("", self.text))

    def _unconfirmed(self, text):
        line = el("p", "unconfirmed-note")
        short = " ".join(MARKER.sub("", text).split())
        short = short if len(short) <= 90 else short[:88] + "…"
        return put(line, icon("warn"), content("span", "", t("unconfirmed", text=short)))

    def _note(self, text, kind="note"):
        put(self._notes, el("p", "note", text, data_kind=kind))

    def _draw_foot(self):
        self._foot.replaceChildren(
            icon_button("quiet", "copy", t("copy"), data_action="copy-answer", data_turn=self.number),
            icon_button("quiet", "again", t("again"), data_action="ask-again", data_turn=self.number),
            icon_button("quiet", "print", t("print"), data_action="print"),
        )
        result = self.result
        if result and result["tokens"]:
            speed = t("speed", model=result["model"], rate=number(result["tokens_per_second"], 1))
            put(self._foot, el("span", "speed", speed))
        if self.debug:
            details = el("details", "debug")
            text = window.JSON.stringify(window.JSON.parse(json.dumps(self.debug)), None, 1)
            put(details, el("summary", "", t("why_these")), el("pre", "", text))
            put(self._body, details)

    def as_text(self):
        """The turn for the clipboard: question, quotes, answer, numbered sources."""
        lines = [self.question, ""]
        lines += ["> " + q["text"] + " [" + str(q["n"]) + "]" for q in self.quotes]
        if self.text:
            lines += ["", self.text]
        lines.append("")
        for n in sorted(self.citations):
            c = self.citations[n]
            lines.append(
                "[" + str(n) + "] " + c["title"] + " (" + c["source_title"] + ", " + c["licence"] + ")"
            )
        return "\n".join(lines)


def _markers(text):
    """Numbers of the ``[n]`` marks in a text (MicroPython's matches have no ``end``)."""
    parts = (piece.split("]")[0] for piece in text.split("[")[1:] if "]" in piece)
    return [part for part in parts if part.isdigit() and len(part) <= 2]
