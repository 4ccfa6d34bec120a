"""The Search room: hits while one types, filters beside them, and why each hit is there.

By words first; when meaning has answered, its hits join. A list that is being read or pointed at
keeps its order then: what is new comes below it, and a button puts everything in the best order.
"""

from dom import Later, action, by_id, el, icon, icon_button, listen, put, say, show
from filters import Filters
from hits import card, key_of, update
from pyscript import document, window
from strings import plural, t

TYPING_MS = 50  # from a key to the search: keys that come faster share one
POLISH_MS = 700  # of quiet, until what takes longer is done too
SAY_MS = 1100  # of quiet, until a screen reader hears how much there is
LIMIT = 20


class SearchRoom:
    """State of the room; ``ask(question)`` takes a query to the Ask room."""

    def __init__(self, client, ask):
        self._client = client
        self._ask = ask
        self._query = None  # what was searched last, None before the first
        self._shown = None  # what the list on the page answers: query and filters
        self._with_meaning = False  # whether E5 is ready
        self._token = 0  # of the newest search: older answers are not shown
        self._running = []  # ids of requests under way
        self._cards = {}  # key of a hit -> its element
        self._best = []  # hits in the best order, when the list has another one
        self._touched = False
        self._result = None
        self._soon = Later(self._search_typed, TYPING_MS)
        self._polish = Later(self._polish_now, POLISH_MS)
        self._tell = Later(self._tell_now, SAY_MS)
        self._due = [0, 0]  # tokens that polishing and telling wait for
        self._filters = Filters(lambda: self._search(False))
        self._build()
        self._wire()

    def _build(self):
        self._box = el(
            "input", "", type="search", id="search-box", dir="auto", autocomplete="off", maxlength="400",
            enterkeyhint="search", aria_controls="hits", placeholder=t("find.placeholder"),
            aria_describedby="search-hint",
        )  # fmt: skip
        self._form = el("form", "search-form", role="search", aria_label=t("room.search"))
        label = el("label", "sr", t("find.label"), **{"for": "search-box"})
        put(self._form, label, put(el("div", "box search-box"), icon("search"), self._box))
        self._hint = el("p", "hint", "", id="search-hint")
        self._state = el("p", "search-state")
        self._reorder = el("button", "quiet", t("find.reorder"), type="button", data_action="reorder-hits")
        self._as_question = icon_button("quiet", "ask", t("find.ask"), data_action="ask-this")
        bar = put(el("div", "search-bar"), self._state, self._reorder, self._as_question)
        self._list = el("ol", "hits", id="hits", aria_label=t("find.hits"))
        self._empty = el("div", "search-empty")
        for node in (self._reorder, self._as_question):
            show(node, False)
        room = by_id("view-search")
        put(room, self._form, self._hint, self._filters.node, bar, self._list, self._empty)
        self._show_empty()

    def _wire(self):
        listen(self._box, "input", lambda _: self._soon.ask())
        listen(self._form, "submit", self._submitted)
        listen(by_id("view-search"), "keydown", self._key)
        listen(document, "keydown", self._slash)
        for event in ("pointerdown", "pointermove", "focusin"):
            listen(self._list, event, self._touch)
        action("reorder-hits", lambda node: self._put_in_order())
        action("ask-this", lambda node: self._ask(self._box.value))
        action("only-document", self._only_document)

    # --- coming and going ------------------------------------------------------------------------

    def open(self):
        """The room was entered: take the query from the address; return what gets the focus."""
        address = window.location.hash.split("?")
        if len(address) > 1:
            found = window.URLSearchParams.new("?".join(address[1:]))
            self._filters.read(found)
            query = found.get("q") or ""
            if query != self._box.value or query != (self._query or ""):
                self._box.value = query
                self._search(False)
        elif self._box.value:
            self._note_address()
        return self._box

    def _note_address(self):
        if document.documentElement.dataset.view != "search":
            return
        found = window.URLSearchParams.new("")
        if self._box.value:
            found.append("q", self._box.value)
        self._filters.write(found)
        text = found.toString()
        window.history.replaceState(None, "", "#search" + ("?" + text if text else ""))

    def meaning(self, ready):
        """E5 became ready (or died): its hits join what was found by words alone."""
        joins = ready and not self._with_meaning
        self._with_meaning = ready
        if joins and self._query:
            self._search(False)

    # --- searching -------------------------------------------------------------------------------

    def _search_typed(self):
        if self._box.value.strip() != (self._query or ""):
            self._search(True)

    def _submitted(self, event):
        event.preventDefault()
        self._search(False)

    def _search(self, typing):
        """Search what the box says; whatever was under way is cancelled."""
        for request in self._running:
            self._client.cancel(request)
        self._running = []
        self._token += 1
        token = self._token
        query = self._box.value.strip()
        self._query = query
        self._note_address()
        if not query:
            self._clear()
            return
        params = dict(self._filters.params())
        params.update({"query": query, "limit": LIMIT})
        if typing:
            params["typing"] = True
        wanted = [query, self._filters.params()]
        if not self._result:
            self._say_state(t("find.waiting"))

        def event(early):
            if token == self._token and wanted != self._shown:
                self._show(early, wanted)

        def done(result, error):
            if token != self._token:
                return
            if error:
                self._failed(error)
                return
            self._show(result, wanted)
            self._count(token, result)
            self._wait(0, self._polish, not result["complete"])
            self._wait(1, self._tell, True)

        self._running.append(self._client.request("engine.search", params, done, event))

    def _count(self, token, result):
        """Ask how many there are; a word that was completed counts as it was completed."""
        params = dict(self._filters.params())
        params["query"] = result["asked"]

        def done(counts, error):
            if token == self._token and not error:
                self._filters.draw(counts)
                if result["hits"] and counts["total"] > len(result["hits"]):
                    self._say_state(plural("find.of", counts["total"]))

        self._running.append(self._client.request("engine.search_counts", params, done))

    def _wait(self, which, later, wanted):
        if wanted:
            self._due[which] = self._token
            later.ask()

    def _polish_now(self):
        if self._due[0] == self._token and self._query:
            self._search(False)

    def _tell_now(self):
        """Tell a screen reader, once the person pauses."""
        if self._due[1] != self._token or document.documentElement.dataset.view != "search":
            return
        hits = self._result["hits"] if self._result else []
        say(plural("find.found", len(hits)) if hits else t("find.nothing", query=self._query))

    # --- showing ---------------------------------------------------------------------------------

    def _show(self, result, wanted):
        """Hits of another query or filter replace the list; further ones of the same join it."""
        hold = self._touched and wanted == self._shown
        if not hold:
            self._touched = False
        self._shown = wanted
        self._result = result
        hits = result["hits"]
        if hold:
            self._join(hits)
        else:
            self._draw(hits)
        self._explain(result)
        self._say_state(plural("find.found", len(hits)) if hits else "")
        show(self._as_question, bool(hits))
        self._empty.replaceChildren()
        if not hits:
            self._show_nothing(result)

    def _draw(self, hits):
        """The list in this order; elements of hits that stay are kept, with what is open in them."""
        cards = {}
        for place, hit in enumerate(hits):
            key = key_of(hit)
            node = self._cards.get(key)
            if node is None:
                node = card(hit)
            else:
                update(node, hit)
            cards[key] = node
            here = self._list.children.item(place)
            if here is None or not here.isSameNode(node):
                self._list.insertBefore(node, here)
        while self._list.children.length > len(hits):
            self._list.lastElementChild.remove()
        self._cards = cards
        self._best = []
        show(self._reorder, False)

    def _join(self, hits):
        """Leave what is being read where it is; new hits come below."""
        order = [key_of(hit) for hit in hits]
        fresh = [hit for hit in hits if key_of(hit) not in self._cards]
        for hit in hits:
            if key_of(hit) in self._cards:
                update(self._cards[key_of(hit)], hit)
        for hit in fresh:
            self._cards[key_of(hit)] = card(hit)
            put(self._list, self._cards[key_of(hit)])
        shown = [node.getAttribute("data-key") for node in list(self._list.children)]
        self._best = hits if shown != order else []
        show(self._reorder, bool(self._best))

    def _put_in_order(self):
        best = self._best
        self._touched = False
        if best:
            self._draw(best)
        self._box.focus()

    def _explain(self, result):
        parts = []
        if result["completed"]:
            parts.append(t("find.completed", word=result["completed"]))
        if result["phrases"]:
            parts.append(t("find.phrases", phrases=", ".join("“" + p + "”" for p in result["phrases"])))
        if result["excluded"]:
            parts.append(t("find.excluded", words=", ".join(result["excluded"])))
        parts += result["notes"]
        self._hint.textContent = " ".join(parts)

    def _show_nothing(self, result):
        put(self._empty, el("h2", "", t("find.nothing", query=self._query)))
        key = "find.nothing.filtered" if self._filters.active() else "find.nothing.next"
        put(self._empty, el("p", "", t(key)))
        if self._filters.active():
            put(self._empty, el("button", "", t("find.unfilter"), type="button", data_action="unfilter"))

    def _show_empty(self):
        put(self._empty, el("h2", "", t("find.empty")), el("p", "", t("find.empty.next")))

    def _clear(self):
        self._result = self._shown = None
        self._draw([])
        self._hint.textContent = ""
        self._say_state("")
        self._filters.clear()
        show(self._as_question, False)
        self._empty.replaceChildren()
        self._show_empty()

    def _failed(self, error):
        if error.get("code") == "cancelled":
            return
        self._shown = None
        self._draw([])
        self._say_state("")
        hint = error.get("data", {}).get("hint", "")
        sentence = error["message"] + (" " + hint if hint else "")
        self._empty.replaceChildren(el("p", "news", sentence, data_kind="failed", role="alert"))

    def _say_state(self, text):
        self._state.textContent = text

    # --- hands -----------------------------------------------------------------------------------

    def _touch(self, event):
        if event.type != "pointermove" or event.pointerType != "touch":
            self._touched = True

    def _only_document(self, node):
        self._filters.only_document(node.getAttribute("data-document"), node.getAttribute("data-title"))
        self._box.focus()

    def _slash(self, event):
        typing = event.target and event.target.closest("textarea, input")
        if event.key == "/" and not typing and document.documentElement.dataset.view == "search":
            event.preventDefault()
            self._box.focus()

    def _key(self, event):
        """Up and down walk through the hits, Escape goes back to the box."""
        key = event.key
        if key not in ("ArrowDown", "ArrowUp", "Escape") or event.isComposing:
            return
        links = list(self._list.querySelectorAll(".hit-link"))
        here = -1
        for place, link in enumerate(links):
            if link.isSameNode(document.activeElement):
                here = place
        in_box = self._box.isSameNode(document.activeElement)
        if key == "Escape":
            if here >= 0:
                event.preventDefault()
                self._box.focus()
            return
        if here < 0 and not in_box:
            return
        wanted = here + (1 if key == "ArrowDown" else -1)
        if wanted < len(links):
            event.preventDefault()
            (links[wanted] if wanted >= 0 else self._box).focus()
