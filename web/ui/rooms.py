"""Moving between rooms: one visible at a time, the current one named for everybody."""

from dom import by_id, listen, show
from pyscript import document, window
from pyscript.ffi import create_proxy
from strings import t

ROOMS = ("ask", "search", "library", "settings")


class Rooms:
    """Shows a room; ``opened[name]()`` draws one when it is entered and may say what gets the focus.

    The address names the room after a ``#``, so that going back and links work.
    """

    def __init__(self, opened):
        self._opened = opened
        window.onpopstate = create_proxy(lambda _: self.from_address())  # its addEventListener loses `this`
        for button in list(document.querySelectorAll(".room[data-room]")):
            listen(button, "click", self._clicked)

    def from_address(self):
        """Enter the room that the address names."""
        name = self._addressed()
        if name != document.documentElement.dataset.view or name == "search":
            self._enter(name)

    def go(self, name):
        """Enter a room."""
        if self._addressed() != name:
            here = window.location.pathname + window.location.search
            window.history.pushState(None, "", here + ("" if name == "ask" else "#" + name))
        self._enter(name)

    def _addressed(self):
        name = window.location.hash[1:].split("?")[0]
        return name if name in ROOMS else "ask"

    def _enter(self, name):
        for room in ROOMS:
            show(by_id("view-" + room), room == name)
        for button in list(document.querySelectorAll(".room[data-room]")):
            if button.dataset.room == name:
                button.setAttribute("aria-current", "page")
            else:
                button.removeAttribute("aria-current")
        document.documentElement.dataset.view = name
        by_id("bar-title").textContent = t("room." + name)
        focus = self._opened[name]() if name in self._opened else None
        (focus or by_id("question" if name == "ask" else "main")).focus()

    def _clicked(self, event):
        self.go(event.target.closest(".room").dataset.room)
