"""Small helpers over the page: build elements, show and hide, one handler per event for the page.

Clicks are handled by one listener on the document that looks for ``data-action`` (``actions``), so
that elements can come and go without a proxy each.

Example: ``el("button", "quiet", t("copy"), data_action="copy-answer", data_turn="3")``
"""

from pyscript import document, window
from pyscript.ffi import create_proxy

READING_PX = 48
"""How far below the top of the page's window a person is taken to read."""

_actions = {}
_keep = []  # proxies that live as long as the page


def by_id(name):
    """The element with this id, which the page's HTML must have."""
    node = document.getElementById(name)
    if node is None:
        raise KeyError(name)
    return node


def el(tag, cls="", text=None, **attributes):
    """A new element; ``data_action="x"`` becomes ``data-action="x"``."""
    node = document.createElement(tag)
    if cls:
        node.className = cls
    if text is not None:
        node.textContent = text
    for name, value in attributes.items():
        node.setAttribute(name.replace("_", "-"), str(value))
    return node


def icon(name):
    """A decorative icon."""
    return el("i", "icon icon-" + name, aria_hidden="true")


def icon_button(cls, icon_name, text, **attributes):
    """A button with an icon and words."""
    button = el("button", cls, type="button", **attributes)
    button.append(icon(icon_name))
    button.append(el("span", "", text))
    return button


def content(tag, cls, text):
    """An element for text from the library or the person: its direction follows its own script."""
    return el(tag, cls, text, dir="auto")


def put(parent, *children):
    """Append several children; return the parent."""
    for child in children:
        parent.append(child)
    return parent


def show(node, visible):
    """Show or hide an element."""
    node.hidden = not visible


def listen(target, event, handler):
    """Listen for the life of the page."""
    proxy = create_proxy(handler)
    _keep.append(proxy)
    target.addEventListener(event, proxy)


def action(name, handler):
    """Run ``handler(element)`` when an element with ``data-action=name`` is clicked."""
    _actions[name] = handler


def _clicked(event):
    node = event.target.closest("[data-action]") if event.target else None
    if node is None:
        return
    handler = _actions.get(node.getAttribute("data-action"))
    if handler:
        event.preventDefault()
        handler(node)


def start():
    """Attach the page's one click handler."""
    listen(document, "click", _clicked)


def say(text):
    """Tell a screen reader, politely; repeating a sentence is heard again."""
    live = by_id("live")
    live.textContent = ""
    live.textContent = text


def visible(text):
    """Whether a text has anything to see: marks of direction, joiners and the like are nothing."""
    return any(not c.isspace() and not _unseen(ord(c)) for c in text)


def _unseen(code):
    control = code < 33 or 0x7F <= code <= 0x9F or code == 0xAD
    joiner = 0x200B <= code <= 0x200F or 0x2028 <= code <= 0x202E or 0x2060 <= code <= 0x206F
    return control or joiner or code in (0x034F, 0x061C, 0x180E, 0x3164, 0xFEFF)


def steadily(change):
    """Change the page without moving what is being read: what stood at the top stays there."""
    main = by_id("main")
    box = main.getBoundingClientRect()
    spot = document.elementFromPoint(box.left + box.width / 2, box.top + READING_PX)
    anchors = []
    for selector in (".source", ".turn-body > *", ".sources", ".turn"):
        node = spot.closest(selector) if spot else None
        if node:
            anchors.append((node, node.getBoundingClientRect().top))
    change()
    for node, top in anchors:
        if node.isConnected and node.checkVisibility():
            main.scrollTop += node.getBoundingClientRect().top - top
            return


class Later:
    """Runs a function a little later, however often it is asked for (one timer, one proxy)."""

    def __init__(self, function, milliseconds):
        self._function = function
        self._milliseconds = milliseconds
        self._due = False
        self._proxy = create_proxy(self._run)

    def ask(self):
        """Run soon, once."""
        if not self._due:
            self._due = True
            window.setTimeout(self._proxy, self._milliseconds)

    def now(self):
        """Run at once, and not again for what was asked before."""
        self._due = False
        self._function()

    def _run(self, *_):
        if self._due:
            self._due = False
            self._function()
