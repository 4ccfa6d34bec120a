"""The drawer of threads: found by date or by words, opened, renamed, exported, deleted.

A list for the keyboard and for screen readers like for anybody: each thread is a button, and
another one beside it opens what can be done with it.
"""

import export
from dom import Later, action, by_id, content, el, icon, icon_button, listen, put, say
from pyscript import document, window
from strings import number, plural, t

TYPING_MS = 200
DAY_MS = 86400000


class Threads:
    """Draws the list; ``ask`` shows the thread that is chosen."""

    def __init__(self, client, ask):
        self._client = client
        self._ask = ask
        self._threads = []
        self._more = False
        self._keep = True
        self._opened = ""  # thread whose actions are shown
        self._doing = ""  # "rename", "delete": what is being asked of it
        self._asked = 0  # number of the newest request: older answers are not drawn
        self._search_later = Later(self._search, TYPING_MS)
        self._drawer = by_id("threads")
        self._build()
        self._wire()

    def _wire(self):
        listen(by_id("open-threads"), "click", lambda _: self.open())
        listen(self._find, "input", lambda _: self._search_later.ask())
        listen(self._drawer, "keydown", self._key)
        listen(self._drawer, "submit", self._named)
        listen(self._keep_box, "change", lambda _: self._set_keep())
        listen(self._drawer, "click", self._outside)
        action("close-threads", lambda node: self._drawer.close())
        action("new-in-drawer", lambda node: self._new())
        action("open-thread", lambda node: self._show(thread_of(node)))
        action("thread-actions", lambda node: self._unfold(thread_of(node)))
        action("rename-thread", lambda node: self._start("rename"))
        action("delete-thread", lambda node: self._start("delete"))
        action("leave-thread", lambda node: self._start(""))
        action("really-delete-thread", lambda node: self._delete(thread_of(node)))
        action("export-markdown", lambda node: self._export(thread_of(node), "markdown"))
        action("export-json", lambda node: self._export(thread_of(node), "json"))
        action("more-threads", lambda node: self._load(len(self._threads)))
        action("clear-threads", lambda node: self._sure(True))
        action("keep-threads", lambda node: self._sure(False))
        action("really-clear-threads", lambda node: self._clear())

    def _build(self):
        close = el("button", "quiet", type="button", data_action="close-threads", aria_label=t("close"))
        head = put(
            el("div", "drawer-head"),
            el("h2", "", t("history"), id="threads-title"),
            put(close, icon("close")),
        )
        self._find = el(
            "input", "find", type="search", aria_label=t("history.find"), placeholder=t("history.find")
        )
        self._find.dir = "auto"
        new = icon_button("", "new", t("history.new"), data_action="new-in-drawer")
        self._list = el("div", "thread-list")
        self._news = el("p", "hint")
        self._keep_box = el("input", "", type="checkbox", id="keep-threads")
        keep = put(el("label", "choice"), self._keep_box, el("span", "", t("history.keep")))
        self._foot = put(
            el("div", "drawer-foot"), keep, el("p", "hint", t("history.private")), el("div", "clear")
        )
        self._drawer.replaceChildren(
            head, put(el("div", "drawer-tools"), self._find, new), self._news, self._list
        )
        put(self._drawer, self._foot)

    def open(self):
        """Open the drawer with the newest threads."""
        self._find.value = ""
        self._unfold("", False)
        self._sure(False)
        self._drawer.showModal()
        self._find.focus()
        self._load(0)

    # --- asking the engine -----------------------------------------------------------------------

    def _request(self, method, params, then):
        """Ask; a failure is said in the drawer."""

        def done(result, error):
            if error:
                hint = error.get("data", {}).get("hint", "")
                self._say(error["message"] + (" " + hint if hint else ""))
            else:
                then(result)

        return self._client.request(method, params, done)

    def _load(self, offset, focus=""):
        self._asked += 1
        asked = self._asked
        query = self._find.value.strip()

        def then(result):
            if asked == self._asked:
                self._take(result, offset, query, focus)

        self._request("threads.list", {"query": query, "offset": offset}, then)

    def _take(self, result, offset, query, focus):
        self._threads = self._threads[:offset] + result["threads"]
        if offset and result["threads"]:  # the button that was pressed is gone
            focus = row_of(result["threads"][0]["id"]) + " .thread-name"
        self._more = result["more"]
        self._keep = result["keep"]
        self._keep_box.checked = self._keep
        if query:
            count = number(len(self._threads)) + ("+" if self._more else "")
            self._say(t("history.found", count=count) if self._threads else t("history.none.found"))
        elif result["total"]:
            self._say(plural("history", result["total"]), False)
        else:
            self._say(t("history.none"), False)
        self._draw(focus)

    def _search(self):
        self._unfold("", False)
        self._load(0)

    def _say(self, words, aloud=True):
        self._news.textContent = words
        if aloud:
            say(words)

    # --- drawing ---------------------------------------------------------------------------------

    def _draw(self, focus=""):
        self._list.replaceChildren()
        day, rows = "", None
        for thread in self._threads:
            named = day_name(thread["changed_ms"])
            if named != day:
                day, rows = named, el("ul")
                put(self._list, el("h3", "", day), rows)
            put(rows, self._row(thread))
        if self._more:
            put(
                self._list,
                el("button", "quiet", t("history.more"), type="button", data_action="more-threads"),
            )
        target = self._drawer.querySelector(focus) if focus else None
        if target:
            target.focus()

    def _row(self, thread):
        name = thread["id"]
        row = el("li", "thread-row", data_thread=name)
        main = el("button", "thread-name", type="button", data_action="open-thread")
        put(main, content("span", "", thread["title"]), el("small", "", self._facts(thread)))
        if thread["match"] and thread["match"] != thread["title"]:
            put(main, content("small", "thread-match", thread["match"]))
        if name == self._ask.thread:
            main.setAttribute("aria-current", "true")
        more = el("button", "quiet thread-more", type="button", data_action="thread-actions")
        more.setAttribute("aria-label", t("history.actions", title=thread["title"]))
        more.setAttribute("aria-expanded", "true" if name == self._opened else "false")
        put(row, main, put(more, icon("more")))
        if name == self._opened:
            put(row, self._actions(thread))
        return row

    def _facts(self, thread):
        return time_of_day(thread["changed_ms"]) + " · " + plural("questions", thread["turns"])

    def _actions(self, thread):
        if self._doing == "rename":
            form = el("form", "thread-doing")
            field = el("input", "", name="title", maxlength="200", dir="auto", aria_label=t("history.name"))
            field.value = thread["title"]
            save = el("button", "primary", t("history.rename.save"), type="submit")
            return put(form, field, save, self._leave())
        box = el("div", "thread-doing")
        if self._doing == "delete":
            put(box, el("p", "", t("history.delete.sure")))
            really = el("button", "danger", t("history.delete.really"), type="button")
            really.dataset.action = "really-delete-thread"
            return put(box, really, self._leave())
        for name, words, act in (
            ("edit", "history.rename", "rename-thread"),
            ("save", "history.markdown", "export-markdown"),
            ("save", "history.json", "export-json"),
            ("remove", "history.delete", "delete-thread"),
        ):
            put(box, icon_button("quiet", name, t(words), data_action=act))
        return box

    def _leave(self):
        return el("button", "quiet", t("history.leave"), type="button", data_action="leave-thread")

    def _unfold(self, thread, draw=True):
        self._opened = "" if thread == self._opened else thread
        self._doing = ""
        if draw:
            self._draw(row_of(thread) + " .thread-more")

    def _start(self, doing):
        self._doing = doing
        inner = {"rename": "input", "delete": '[data-action="leave-thread"]'}.get(doing, ".thread-more")
        self._draw(row_of(self._opened) + " " + inner)
        if doing == "rename":
            document.activeElement.select()

    def _sure(self, asked):
        box = self._foot.querySelector(".clear")
        if not asked:
            box.replaceChildren(
                icon_button("quiet", "remove", t("history.clear"), data_action="clear-threads")
            )
            if self._drawer.open:
                box.firstElementChild.focus()
            return
        keep = el("button", "quiet", t("history.leave"), type="button", data_action="keep-threads")
        really = el("button", "danger", t("history.clear.really"), type="button")
        really.dataset.action = "really-clear-threads"
        box.replaceChildren(el("p", "", t("history.clear.sure")), really, keep)
        keep.focus()

    # --- what a person does ----------------------------------------------------------------------

    def _show(self, thread):
        self._drawer.close()
        if thread != self._ask.thread:
            self._ask.open(thread)
        by_id("question").focus()

    def _new(self):
        self._drawer.close()
        self._ask.clear()

    def _named(self, event):
        event.preventDefault()
        thread = thread_of(event.target)
        title = event.target.querySelector("input").value.strip()
        if title:
            self._doing = ""
            again = lambda _: self._load(0, row_of(thread) + " .thread-more")  # noqa: E731
            self._request("threads.rename", {"thread": thread, "title": title}, again)

    def _delete(self, thread):
        names = [one["id"] for one in self._threads]
        place = names.index(thread)
        rest = names[:place] + names[place + 1 :]
        focus = row_of(rest[min(place, len(rest) - 1)]) + " .thread-name" if rest else ".find"

        def then(_):
            if thread == self._ask.thread:
                self._ask.forget()
            self._opened = self._doing = ""
            say(t("history.deleted"))
            self._load(0, focus)

        self._request("threads.delete", {"thread": thread}, then)

    def _clear(self):
        def then(_):
            self._ask.forget()
            self._opened = self._doing = ""
            self._sure(False)
            self._load(0, ".find")
            say(t("history.cleared"))

        self._request("threads.clear", {}, then)

    def _set_keep(self):
        keep = bool(self._keep_box.checked)
        self._request(
            "threads.keep",
            {"keep": keep},
            lambda _: say(t("history.keep.on" if keep else "history.keep.off")),
        )

    def _export(self, thread, form):
        pages = []

        def got(result):
            pages.insert(0, result["turns"])
            if result["earlier"]:
                before = result["turns"][0]["position"]
                self._request("threads.get", {"thread": thread, "before": before}, got)
            else:
                turns = [turn for page in pages for turn in page]
                name = export.save(result["thread"], turns, form)
                self._say(t("history.exported", name=name))

        self._request("threads.get", {"thread": thread}, got)

    def _outside(self, event):
        if event.target and event.target.isSameNode(self._drawer):
            self._drawer.close()  # a click on what lies behind it

    def _key(self, event):
        if event.key not in ("ArrowDown", "ArrowUp") or event.target.closest("form"):
            return
        stops = [self._find] + list(self._drawer.querySelectorAll(".thread-name"))
        here = [index for index, stop in enumerate(stops) if stop.isSameNode(document.activeElement)]
        if here:
            event.preventDefault()
            step = 1 if event.key == "ArrowDown" else -1
            stops[max(0, min(len(stops) - 1, here[0] + step))].focus()


def row_of(thread):
    """Selector of a thread's row; ids are letters, digits and hyphens."""
    return '[data-thread="' + thread + '"]'


def thread_of(node):
    """The thread in whose row an element stands."""
    return node.closest(".thread-row").getAttribute("data-thread")


def day_name(milliseconds):
    """Today, yesterday, or the month."""
    now = window.Date.new()
    day = window.Date.new(milliseconds)
    if day.toDateString() == now.toDateString():
        return t("day.today")
    if day.toDateString() == window.Date.new(now.getTime() - DAY_MS).toDateString():
        return t("day.yesterday")
    options = window.JSON.parse('{"month": "long", "year": "numeric"}')
    return window.Intl.DateTimeFormat.new(document.documentElement.lang, options).format(day)


def time_of_day(milliseconds):
    """Date and time, short."""
    options = window.JSON.parse('{"dateStyle": "medium", "timeStyle": "short"}')
    return window.Intl.DateTimeFormat.new(document.documentElement.lang, options).format(
        window.Date.new(milliseconds)
    )
