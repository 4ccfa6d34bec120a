"""Moving between rooms: one visible at a time, the current one named for everybody."""

from dom import by_id, listen, show
from pyscript import document
from strings import t

ROOMS = ("ask", "library", "about")


class Rooms:
    """Shows a room; ``opened[name]()`` draws one when it is entered."""

    def __init__(self, opened):
        self._opened = opened
        for button in list(document.querySelectorAll(".room[data-room]")):
            listen(button, "click", self._clicked)

    def go(self, name):
        """Enter a room."""
        for room in ROOMS:
            show(by_id("view-" + room), room == name)
        for button in list(document.querySelectorAll(".room[data-room]")):
            if button.dataset.room == name:
                button.setAttribute("aria-current", "page")
            else:
                button.removeAttribute("aria-current")
        document.documentElement.dataset.view = name
        by_id("bar-title").textContent = t("room." + name)
        if name in self._opened:
            self._opened[name]()
        if name == "ask":
            by_id("question").focus()
        else:
            by_id("main").focus()

    def _clicked(self, event):
        self.go(event.target.closest(".room").dataset.room)
