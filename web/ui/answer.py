"""One turn on the page: the question, what was searched, quotes, the written answer, its sources.

The quotes come first and stay; the written answer streams below them and never pushes what is
being read. Text from models and documents goes through ``cairnRenderMarkdown`` (sanitised) or
``textContent``, nothing else.
"""

import re

from citations import escape, fill_sources, number_button
from debug import Debug
from dom import Later, content, el, icon, icon_button, put, say, steadily
from edit import Edit
from pyscript import document, window
from strings import number, t

REDRAW_MS = 80
MARKER = re.compile(r"\[(\d\d?)\]")
BUSY = ("waiting", "searching", "writing")
OPEN, SHUT = "\ue000", "\ue001"  # private use: where an unconfirmed sentence begins and ends


class Turn:
    """State and elements of one question and its answer."""

    def __init__(self, number_, question, id_):
        self.number = number_
        self.id = id_
        self.question = question
        self.query = ""  # the person's own
        self.style = "short"
        self.position = 0
        self._redraw = Later(self._draw_text, REDRAW_MS)
        self.node = el("article", "turn", data_turn=number_)
        self._blank()
        self._build()

    def _blank(self):
        self.state = "waiting"
        self.text = ""
        self.thinking = ""
        self.citations = {}
        self.quotes = []
        self.result = None
        self.outcome = ""
        self._searched_for = ""
        self._panel = ""
        self.debug = Debug(self.number)

    @property
    def busy(self):
        """Whether an answer is still being made."""
        return self.state in BUSY

    def _build(self):
        self._body = el("div", "turn-body")
        self._asked = content("h2", "asked", self.question)
        self._searched = el("p", "searched")
        self._waiting = el("p", "waiting", t("waiting_engine"))
        self._quotes = el("div", "quotes")
        self._written = el("div", "written", dir="auto")
        self._notes = el("div", "notes")
        self._foot = el("div", "turn-foot")
        self._sources = el("aside", "sources", aria_label=t("sources.of", question=self.question[:80]))
        for node in (self._quotes, self._written, self._searched):
            node.hidden = True
        put(
            self._body,
            self._asked,
            self._searched,
            self._waiting,
            self._quotes,
            self._written,
            self._notes,
            self._foot,
            self.debug.node,
        )
        self.node.replaceChildren(self._body, self._sources)

    def reset(self, question, query=""):
        """Ask anew in the same place."""
        self.question = question
        self.query = query
        self._blank()
        self._build()
        self._asked.tabIndex = -1
        self._asked.focus()

    # --- events of the engine --------------------------------------------------------------------

    def event(self, event):
        """Take one ask.event."""
        if event["type"] in ("text_delta", "thinking_delta"):
            self._take(event)  # drawn later
        else:
            steadily(lambda: self._take(event))

    def _take(self, event):
        kind = event["type"]
        if kind == "retrieval_query":
            self.state = "searching"
            self._show_query(event["query"])
        elif kind == "citations":
            self.outcome = event["outcome"]
            self._take_citations(event["citations"])
        elif kind == "draft":
            before = self.quotes
            self._take_quotes(event["quotes"])
            if self.quotes and self.quotes != before:
                say(t("quoted") + ": " + self.quotes[0]["text"])
        elif kind == "text_delta":
            self.state = "writing"
            self.text += event["text"]
            self._redraw.ask()
        elif kind == "thinking_delta":
            self.thinking += event["text"]
        elif kind == "note":
            self.note(event["message"])
        elif kind == "debug":
            self.debug.take(event["debug"])
        elif kind in ("done", "error"):
            pass  # the reply itself carries the result or the error, see finish()

    def started(self):
        """The engine took the question."""
        self._waiting.textContent = t("searching")

    def finish(self, result, error):
        """The reply arrived: the final text, or why there is none."""
        steadily(lambda: self._end(result, error))

    def _end(self, result, error):
        if error:
            self.state = "failed"
            self._waiting.hidden = True
            self._redraw.now()
            hint = error.get("data", {}).get("hint", "")
            self.note(error["message"] + (" " + hint if hint else ""), "failed")
        else:
            self._take_result(result)
            if result["outcome"] == "no_match":
                say(t("not_covered"))
            if self.text:
                say(t(self._kind()) + ": " + MARKER.sub("", self.text))
        self._draw_foot()

    def restore(self, info):
        """Show a turn as it was kept."""
        result = info["result"]
        self.position = info["position"]
        self.style = info["settings"].get("style") or "short"
        self.query = info["settings"].get("query") or ""
        self._show_query(result["query"])
        for message in info["notes"]:
            self.note(message)
        if info["state"] != "ended":
            self.note(t("turn." + info["state"]), "failed" if info["state"] == "interrupted" else "note")
        self._take_result(result, info["state"] == "ended")
        self._draw_foot()

    def _take_result(self, result, ended=True):
        self.state = "done"
        self._waiting.hidden = True
        self.result = result
        self.text = result["text"]
        self.outcome = result["outcome"]
        self._show_query(result["query"])
        self._take_citations(result["citations"])
        self._take_quotes(result["quotes"])
        self._redraw.now()
        self.debug.take({"result": facts(result)})
        if ended:
            self._show_outcome(result)

    # --- drawing ---------------------------------------------------------------------------------

    def _show_query(self, query):
        self._waiting.textContent = t("searching")
        if query == self._searched_for:
            return
        self._searched_for = query
        self._searched.replaceChildren(icon("search"), content("span", "", t("searched", query=query)))
        edit = icon_button("quiet", "edit", t("edit"), data_action="edit-query", data_turn=self.number)
        edit.setAttribute("aria-label", t("edit.query"))
        put(self._searched, edit)
        self._searched.hidden = False

    def edit_query(self, ask):
        """Change what is searched for, in its place; asks again with it."""
        Edit(self._searched, t("edit.query"), self._searched_for, lambda text: ask(self, None, text))

    def edit_question(self, ask):
        """Change the question, in its place; asks it again."""
        Edit(self._asked, t("edit.question"), self.question, lambda text: ask(self, text))

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

    def _draw_text(self):
        if self.text:
            steadily(self._write)

    def _write(self):
        html = window.cairnRenderMarkdown(self._marked_text())
        html = MARKER.sub(lambda m: self._button(int(m.group(1))), html)
        html = html.replace(OPEN, '<span class="unconfirmed">').replace(SHUT, "</span>")
        self._written.innerHTML = html
        self._written.prepend(el("p", "section-name", t(self._kind())))
        self._written.hidden = False

    def _marked_text(self):
        """The text with signs around each sentence that its source does not confirm."""
        text = self.text.replace(OPEN, "").replace(SHUT, "")
        for sentence in self.result["sentences"] if self.result else ():
            said = sentence["text"].strip()
            if not sentence["confirmed"] and said and "\n" not in said:
                start = 0
                while start < len(said) - 1 and said[start] in "-*+>#|0123456789. \t":
                    start += 1
                text = text.replace(said, said[:start] + OPEN + said[start:] + SHUT, 1)
        return text

    def _kind(self):
        """Words for how the text came about, known for certain once it is finished."""
        if not self.result:
            return "answer"
        return "chosen" if self.result["verbatim"] else "written"

    def _button(self, n):
        citation = self.citations.get(n)
        return number_button(self.number, n, citation) if citation else ""

    def _cited(self):
        cited = set(quote["n"] for quote in self.quotes)
        cited.update(int(n) for n in _markers(self.text))
        return cited

    def _draw_sources(self):
        cited = self._cited()
        rest = "nearest" if self.outcome == "no_match" else "also_found"
        state = repr([sorted(self.citations), sorted(cited), rest])
        if state != self._panel:  # drawing anew takes focus and folds up what was opened
            self._panel = state
            order = [self.citations[n] for n in sorted(self.citations)]
            fill_sources(self._sources, order, cited, rest)

    def _show_outcome(self, result):
        self._draw_sources()
        if result["outcome"] == "no_match":
            box = el("div", "no-match", data_outcome="no_match")
            put(box, el("h3", "", t("not_covered")), el("p", "", t("not_covered.next")))
            self._notes.prepend(box)
        for sentence in result["sentences"]:
            if not sentence["confirmed"]:
                put(self._notes, self._unconfirmed(sentence["text"]))
        if result["finish"] == "stopped":
            self.note(t("stopped" if self.text else "stopped.empty"))
        elif result["finish"] == "failed":
            self.note(result.get("reason") or t("failed"), "failed")
        elif result["finish"] == "no_model" and result["outcome"] != "no_match":
            self.note(t("quotes_only"))
        if result["quotes"]:
            self.note(t("from_library"))

    def _unconfirmed(self, text):
        line = el("p", "unconfirmed-note")
        short = " ".join(MARKER.sub("", text).split())
        short = short if len(short) <= 90 else short[:88] + "…"
        return put(line, icon("warn"), content("span", "", t("unconfirmed", text=short)))

    def note(self, text, kind="note"):
        """A sentence below the answer."""
        put(self._notes, content("p", "note", text))
        self._notes.lastElementChild.dataset.kind = kind

    def _draw_foot(self):
        other = "short" if self.style == "detailed" else "detailed"
        self._foot.replaceChildren()
        for name, words, act in (
            ("copy", t("copy"), "copy-answer"),
            ("again", t("again"), "ask-again"),
            ("edit", t("edit.question"), "edit-question"),
            ("list", t("style.again." + other), "other-length"),
            ("print", t("print"), "print"),
            ("list", t("why_these"), "why"),
        ):
            put(self._foot, icon_button("quiet", name, words, data_action=act, data_turn=self.number))
        self._foot.lastElementChild.setAttribute("aria-expanded", "false")
        result = self.result
        if result and result["tokens"]:
            speed = t("speed", model=result["model"], rate=number(result["tokens_per_second"], 1))
            put(self._foot, el("span", "speed", speed))

    # --- taking it elsewhere ---------------------------------------------------------------------

    def print(self):
        """Print this turn alone."""
        self.node.dataset.print = "yes"
        document.documentElement.dataset.printing = "turn"
        window.print()
        self.node.removeAttribute("data-print")
        document.documentElement.removeAttribute("data-printing")

    def as_text(self):
        """The turn for the clipboard: question, quotes, answer, cited sources and what else was found."""
        lines = [self.question, ""]
        lines += ["> " + q["text"] + " [" + str(q["n"]) + "]" for q in self.quotes]
        if self.text:
            lines += ["", self.text]
        for heading, numbers in split_sources(self.citations, self._cited()):
            lines += ["", t(heading) + ":"]
            for n in numbers:
                c = self.citations[n]
                lines.append(
                    "[" + str(n) + "] " + c["title"] + " (" + c["source_title"] + ", " + c["licence"] + ")"
                )
        return "\n".join(lines)


def facts(result):
    """What the debug panel shows of a result itself."""
    names = ("finish", "mode", "outcome", "model", "tokens", "tokens_per_second", "first_token_ms", "timings")
    return dict((name, result[name]) for name in names if name in result)


def split_sources(citations, cited):
    """The numbers that are cited and the others, each with the words above them; empty ones left out."""
    first = [n for n in sorted(citations) if n in cited]
    rest = [n for n in sorted(citations) if n not in cited]
    return [part for part in (("sources", first), ("found_too", rest)) if part[1]]


def _markers(text):
    """Numbers of the ``[n]`` marks in a text (MicroPython's matches have no ``end``)."""
    parts = (piece.split("]")[0] for piece in text.split("[")[1:] if "]" in piece)
    return [part for part in parts if part.isdigit() and len(part) <= 2]
