"""The Ask room: the question box, the thread of turns, stop, keyboard habits.

A thread is named by this page and remembered for this tab, so that a reload finds it again. What
was asked in it is kept by the engine; this draws it.
"""

from answer import Turn
from chooser import Chooser
from citations import Peek, Sheet
from dom import action, by_id, el, listen, put, say, show, visible
from pyscript import document, window
from strings import number, t

EXAMPLES = ("example.water", "example.bleeding", "example.radio")
REMEMBERED = "cairn-thread"
LONGEST_QUESTION = 4000


class Ask:
    """Owns the thread on the page; asks the engine through ``client``."""

    def __init__(self, client):
        self._client = client
        self._turns = []
        self._by_number = {}
        self._running = None  # (turn, request id)
        self._recalled = 0
        self.thread = ""
        self.engine_started = False
        self._down = None  # why the engine cannot be asked now
        self._box = by_id("question")
        self._sheet = Sheet()
        self._peek = Peek(self._citation_of)
        self.chooser = Chooser(client)
        self.shown = lambda: None  # told when another thread is shown
        self._examples()
        self._wire()

    def _wire(self):
        listen(by_id("ask-form"), "submit", self._submitted)
        listen(by_id("stop"), "click", lambda _: self.stop())
        listen(by_id("new-thread"), "click", lambda _: self.clear())
        listen(self._box, "keydown", self._key_in_box)
        listen(self._box, "input", lambda _: self._warn_of_length())
        listen(document, "keydown", self._key)
        action("cite", lambda node: self._sheet.open(self._citation_of(node)))
        action("close-sheet", lambda node: self._sheet.close())
        action("example", lambda node: self.ask(node.textContent))
        action("ask-again", lambda node: self._ask_again(self._turn_of(node)))
        action("other-length", self._ask_other_length)
        action("edit-question", lambda node: self._turn_of(node).edit_question(self._ask_again))
        action("edit-query", lambda node: self._turn_of(node).edit_query(self._ask_again))
        action("copy-answer", self._copy)
        action("print", lambda node: self._turn_of(node).print())
        action("why", self._why)
        action("copy-why", lambda node: self._turn_of(node).debug.copy(node))
        action("earlier-turns", lambda node: self._load(self._turns[0].position))

    def _examples(self):
        for key in EXAMPLES:
            put(by_id("examples"), el("button", "", t(key), type="button", data_action="example"))

    # --- asking ----------------------------------------------------------------------------------

    def ask(self, question):
        """Ask, unless a question is running or there is nothing to ask."""
        question = question.strip()
        if self._running:
            return
        if not visible(question):
            if question:
                say(t("question.nothing"))
            return
        if not self.thread:
            self._show_thread(str(window.crypto.randomUUID()))
        turn = self._add(question[:LONGEST_QUESTION], str(window.crypto.randomUUID()))
        put(by_id("thread"), turn.node)
        if len(question) > LONGEST_QUESTION:
            turn.note(self._cut_words(len(question)))
        self._recalled = 0
        self._box.value = ""
        self._warn_of_length()
        self._send(turn)
        turn.node.scrollIntoView(window.JSON.parse('{"block": "start"}'))

    def _ask_again(self, turn, question=None, query=None, style=None):
        """Ask a turn anew where it stands: with a changed question, query or length, or just again."""
        if self._running:
            return
        if question is not None:
            turn.query = ""
        turn.reset(question or turn.question, turn.query if query is None else query)
        self._send(turn, style)

    def _send(self, turn, style=None):
        self._busy(True)
        if self.engine_started:
            turn.started()

        def done(result, error):
            if self._running is None or self._running[0] is turn:
                self._running = None
                self._busy(False)
            turn.finish(result, error)

        if self._down:
            done(None, self._down)
            return
        params = {"question": turn.question, "thread": self.thread, "turn": turn.id}
        params.update(self.chooser.params())
        if style:
            params["style"] = style
        if turn.query:
            params["query"] = turn.query
        turn.style = params["style"]
        request = self._client.request("engine.ask", params, done, turn.event)
        if turn.busy:
            self._running = (turn, request)

    def engine_up(self):
        """The engine answers (again)."""
        self.engine_started = True
        self._down = None

    def engine_down(self, error):
        """The engine stopped or cannot start: questions end at once with this error."""
        self.engine_started = False
        self._down = {"message": error.get("message", ""), "data": {"hint": error.get("hint", "")}}

    def stop(self):
        """Stop the running answer; what is written stays."""
        if self._running:
            self._client.cancel(self._running[1])

    # --- threads ---------------------------------------------------------------------------------

    def clear(self):
        """Start a new thread."""
        self._leave()
        self._show_thread("")
        self._box.focus()

    def open(self, thread, quietly=False):
        """Show a stored thread; ``quietly``: after a reload, nobody asked for it."""
        self._leave()
        self._show_thread(thread)
        self._load(None, quietly)

    def forget(self):
        """The thread that is shown was deleted."""
        self._leave()
        self._show_thread("")

    def reopen(self):
        """After a reload: the thread that this tab showed."""
        thread = remembered()
        if thread:
            self.open(thread, True)

    def _leave(self):
        self.stop()
        self._running = None
        self._busy(False)
        self._turns = []
        self._by_number = {}
        by_id("thread").replaceChildren()

    def _show_thread(self, thread):
        self.thread = thread
        remember(thread)
        document.documentElement.dataset.thread = "open" if thread else "empty"
        show(by_id("new-thread"), bool(thread))
        self._box.placeholder = t("placeholder.again" if thread else "placeholder")
        self.shown()

    def _load(self, before, quietly=False):
        thread = self.thread
        params = {"thread": thread}
        if before is not None:
            params["before"] = before

        def done(result, error):
            if self.thread != thread:
                return
            if error:
                self._not_loaded(error, quietly)
            else:
                self._show_stored(result, before)

        self._client.request("threads.get", params, done)

    def _show_stored(self, result, before):
        here = set(turn.id for turn in self._turns)
        stored = [self._restored(info) for info in result["turns"] if info["id"] not in here]
        self._turns = stored + self._turns
        old = by_id("thread").querySelector(".earlier")
        if old:
            old.remove()
        first = by_id("thread").firstElementChild
        for turn in stored:
            by_id("thread").insertBefore(turn.node, first)
        if result["earlier"]:
            button = el("button", "quiet", t("turns.earlier"), type="button", data_action="earlier-turns")
            by_id("thread").prepend(put(el("div", "earlier"), button))
        if before is None:
            self.chooser.restore(result["thread"]["settings"])
            if stored and not first:
                stored[-1].node.scrollIntoView(window.JSON.parse('{"block": "start"}'))
        elif stored:
            stored[-1].node.scrollIntoView(window.JSON.parse('{"block": "end"}'))

    def _restored(self, info):
        turn = Turn(len(self._by_number), info["question"], info["id"])
        self._by_number[turn.number] = turn
        turn.restore(info)
        return turn

    def _not_loaded(self, error, quietly):
        if self._turns:
            return
        if not quietly:
            by_id("thread").append(el("p", "note", error["message"], data_kind="failed"))
        elif error.get("code") == "thread_not_found":
            self._show_thread("")

    def _add(self, question, turn_id):
        turn = Turn(len(self._by_number), question, turn_id)
        self._turns.append(turn)
        self._by_number[turn.number] = turn
        return turn

    def _busy(self, busy):
        show(by_id("send"), not busy)
        show(by_id("stop"), busy)

    # --- handlers --------------------------------------------------------------------------------

    def _submitted(self, event):
        event.preventDefault()
        self.ask(self._box.value)

    def _warn_of_length(self):
        size = len(self._box.value)
        warning = by_id("question-length")
        show(warning, size > LONGEST_QUESTION)
        warning.textContent = self._cut_words(size) if size > LONGEST_QUESTION else ""

    def _cut_words(self, size):
        return t("question.long", count=number(size), limit=number(LONGEST_QUESTION))

    def _key_in_box(self, event):
        touch = window.matchMedia("(pointer: coarse)").matches
        if event.key == "Enter" and not event.shiftKey and not event.isComposing and not touch:
            event.preventDefault()
            self.ask(self._box.value)
        elif event.key == "ArrowUp" and not self._box.value and self._turns:
            self._recalled = min(self._recalled + 1, len(self._turns))
            self._box.value = self._turns[-self._recalled].question

    def _key(self, event):
        if document.querySelector("dialog[open]"):
            return
        typing = event.target and event.target.closest("textarea, input, select")
        if event.key == "Escape" and not (typing and event.target.closest(".edit")):
            self.stop()
        elif (event.key == "/" and not typing) or (event.key == "k" and (event.ctrlKey or event.metaKey)):
            event.preventDefault()
            self._box.focus()
        elif event.key in "[]" and not typing and not event.ctrlKey:
            self._walk(1 if event.key == "]" else -1)

    def _walk(self, step):
        buttons = list(document.querySelectorAll(".cite"))
        if not buttons:
            return
        here = -1
        for index, button in enumerate(buttons):
            if button.isSameNode(document.activeElement):
                here = index
        start = here if here >= 0 else (-1 if step > 0 else 0)
        buttons[(start + step) % len(buttons)].focus()

    def _ask_other_length(self, node):
        turn = self._turn_of(node)
        self._ask_again(turn, style="short" if turn.style == "detailed" else "detailed")

    def _copy(self, node):
        window.navigator.clipboard.writeText(self._turn_of(node).as_text())
        node.querySelector("span").textContent = t("copied")
        say(t("copied"))

    def _why(self, node):
        turn = self._turn_of(node)

        def done(result, error):
            turn.debug.take(result["debug"] if not error else {})
            turn.debug.toggle(node)

        if turn.debug.known or turn.debug.is_open:
            turn.debug.toggle(node)
        else:
            self._client.request("threads.debug", {"turn": turn.id}, done)

    def _turn_of(self, node):
        return self._by_number[int(node.getAttribute("data-turn"))]

    def _citation_of(self, node):
        if not node:
            return None
        return self._turn_of(node).citations.get(int(node.getAttribute("data-n")))


def remember(thread):
    """This tab shows that thread; forgotten with the tab, and where the browser keeps nothing."""
    try:
        window.sessionStorage.setItem(REMEMBERED, thread)
    except Exception:  # noqa: BLE001  storage is blocked: a reload starts anew
        return


def remembered():
    """The thread that this tab showed, or nothing."""
    try:
        return window.sessionStorage.getItem(REMEMBERED) or ""
    except Exception:  # noqa: BLE001  storage is blocked
        return ""
