"""Changing a line of text where it stands: a field in its place, Enter or the button takes it."""

from dom import action, el, listen, put
from pyscript import document
from strings import t

_open = []  # the one edit that is open


class Edit:
    """Puts a field in the place of ``node``; ``done(text)`` hears of the text that is to be asked."""

    def __init__(self, node, label, text, done):
        close()
        self._node = node
        self._done = done
        self._before = document.activeElement
        self._form = el("div", "edit", role="group", aria_label=label)
        self._field = el("textarea", "", rows="1", dir="auto", aria_label=label)
        self._field.value = text
        put(
            self._form,
            self._field,
            el("button", "primary", t("edit.ask"), type="button", data_action="edit-take"),
            el("button", "quiet", t("edit.cancel"), type="button", data_action="edit-cancel"),
        )
        node.hidden = True
        node.after(self._form)
        _open.append(self)
        self._field.focus()
        self._field.select()

    def take(self):
        """Ask with what stands in the field."""
        text = self._field.value.strip()
        self.close()
        if text:
            self._done(text)

    def close(self):
        """Leave everything as it was; the focus goes back."""
        _open.remove(self)
        self._form.remove()
        self._node.hidden = False
        if self._before:
            self._before.focus()


def close():
    """Close the edit that is open, if there is one."""
    for edit in list(_open):
        edit.close()


def _key(event):
    if not _open or not event.target or not event.target.closest(".edit"):
        return
    if event.key == "Escape":
        event.preventDefault()
        close()
    elif (
        event.key == "Enter"
        and not event.shiftKey
        and not event.isComposing
        and event.target.closest("textarea")
    ):
        event.preventDefault()
        _open[-1].take()


def start():
    """Listen for the page."""
    listen(document, "keydown", _key)
    action("edit-take", lambda node: _open[-1].take())
    action("edit-cancel", lambda node: close())
