"""The Ask room: the question box, the thread, stop, keyboard habits."""

from answer import Turn
from citations import Peek, Sheet
from dom import action, by_id, el, listen, put, show
from pyscript import document, window
from strings import t

EXAMPLES = ("example.water", "example.bleeding", "example.radio")


class Ask:
    """Owns the thread; asks the engine through ``client``."""

    def __init__(self, client, strip):
        self._client = client
        self._strip = strip
        self._turns = []
        self._running = None  # (turn, request id)
        self._recalled = 0
        self.engine_started = False
        self._down = None  # why the engine cannot be asked now
        self._box = by_id("question")
        self._sheet = Sheet()
        self._peek = Peek(self._citation_of)
        self._examples()
        self._wire()

    def _wire(self):
        listen(by_id("ask-form"), "submit", self._submitted)
        listen(by_id("stop"), "click", lambda _: self.stop())
        listen(by_id("new-thread"), "click", lambda _: self.clear())
        listen(self._box, "keydown", self._key_in_box)
        listen(document, "keydown", self._key)
        action("cite", lambda node: self._sheet.open(self._citation_of(node)))
        action("close-sheet", lambda node: self._sheet.close())
        action("example", lambda node: self.ask(node.textContent))
        action("ask-again", lambda node: self.ask(self._turn_of(node).question))
        action("edit-question", self._edit)
        action("copy-answer", self._copy)
        action("print", lambda node: window.print())

    def _examples(self):
        for key in EXAMPLES:
            put(by_id("examples"), el("button", "", t(key), type="button", data_action="example"))

    # --- asking ----------------------------------------------------------------------------------

    def ask(self, question):
        """Ask, unless a question is running or there is nothing to ask."""
        question = question.strip()
        if not question or self._running:
            return
        turn = Turn(len(self._turns), question)
        self._turns.append(turn)
        self._recalled = 0
        put(by_id("thread"), turn.node)
        document.documentElement.dataset.thread = "open"
        show(by_id("new-thread"), True)
        self._box.value = ""
        self._box.placeholder = t("placeholder.again")
        self._busy(True)
        if self.engine_started:
            turn.started()

        def done(result, error):
            self._running = None
            self._busy(False)
            turn.finish(result, error)

        if self._down:
            done(None, self._down)
            return
        request = self._client.request("engine.ask", {"question": question}, done, turn.event)
        if turn.busy:
            self._running = (turn, request)
        turn.node.scrollIntoView(window.JSON.parse('{"block": "start"}'))

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

    def clear(self):
        """Start a new thread."""
        self.stop()
        self._turns = []
        by_id("thread").replaceChildren()
        document.documentElement.dataset.thread = "empty"
        show(by_id("new-thread"), False)
        self._box.placeholder = t("placeholder")
        self._box.focus()

    def _busy(self, busy):
        show(by_id("send"), not busy)
        show(by_id("stop"), busy)

    # --- handlers --------------------------------------------------------------------------------

    def _submitted(self, event):
        event.preventDefault()
        self.ask(self._box.value)

    def _key_in_box(self, event):
        touch = window.matchMedia("(pointer: coarse)").matches
        if event.key == "Enter" and not event.shiftKey and not event.isComposing and not touch:
            event.preventDefault()
            self.ask(self._box.value)
        elif event.key == "ArrowUp" and not self._box.value and self._turns:
            self._recalled = min(self._recalled + 1, len(self._turns))
            self._box.value = self._turns[-self._recalled].question

    def _key(self, event):
        typing = event.target and event.target.closest("textarea, input")
        if event.key == "Escape" and not self._sheet.is_open:
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

    def _edit(self, node):
        self._box.value = self._turn_of(node).question
        self._box.focus()

    def _copy(self, node):
        window.navigator.clipboard.writeText(self._turn_of(node).as_text())
        node.querySelector("span").textContent = t("copied")

    def _turn_of(self, node):
        return self._turns[int(node.getAttribute("data-turn"))]

    def _citation_of(self, node):
        if not node:
            return None
        return self._turn_of(node).citations.get(int(node.getAttribute("data-n")))
