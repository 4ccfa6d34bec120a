"""The link to the engine and the banners about it: another tab in charge, an update, a failure."""

from dom import action, by_id, el, put, show
from pyscript import document, window
from pyscript.ffi import create_proxy
from strings import t


class Connection:
    """Passes JSON text between ``globalThis.cairn`` (boot.mjs) and the client; shows its states."""

    def __init__(self, client):
        self._client = client
        self._link = window.cairn
        action("take-over", lambda node: self._link.takeOver())
        action("apply-update", lambda node: self._link.applyUpdate())
        action("reload", lambda node: window.location.reload())
        # The body forwards these to the window; MicroPython calls methods of the window itself
        # without their "this".
        network = create_proxy(self._network)
        document.body.ononline = network
        document.body.onoffline = network
        self._network()

    def banner(self, name, text, button="", button_action="", kind="note"):
        """Show one banner of a name, replacing an older one; no text removes it."""
        for old in list(by_id("banners").children):
            if old.dataset.name == name:
                old.remove()
        if not text:
            return
        node = put(el("div", "banner", data_name=name, data_kind=kind), el("p", "", text))
        if button:
            put(node, el("button", "", button, type="button", data_action=button_action))
        put(by_id("banners"), node)

    def role(self, role):
        """This page owns the engine, works through another tab, or had it taken away."""
        if role == "attached":
            self.banner("role", t("banner.attached"), t("banner.take_over"), "take-over")
        elif role == "released":
            self.banner("role", t("banner.taken"), t("banner.take_over"), "take-over")
        else:
            self.banner("role", "")

    def failed(self, error):
        """The engine could not start or died: say why and offer one step."""
        text = error.get("message", "") + " " + error.get("hint", "")
        self.banner("failed", text.strip(), t("banner.reload"), "reload", "failed")
        self._client.drop_all({"message": error.get("message", ""), "data": error})

    def update_ready(self):
        """A newer build is installed beside this one."""
        self.banner("update", t("banner.update"), t("banner.update.now"), "apply-update")

    def _network(self, *_):
        show(by_id("offline"), not window.navigator.onLine)
