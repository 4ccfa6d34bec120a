"""The About room: privacy, limits, what this device can do, and a report without content."""

import json

from dom import action, by_id, el, put
from pyscript import window
from strings import t


def draw(client):
    """Draw the room; the report is fetched from the engine when the room opens."""
    room = by_id("view-about")
    report = el("pre", "report", t("about.loading"), tabindex="0")
    button = el("button", "", t("about.copy"), type="button", data_action="copy-report")
    room.replaceChildren(
        el("h2", "", t("room.about")),
        el("p", "", t("about.privacy")),
        el("p", "", t("about.health")),
        el("h3", "", t("about.device")),
        report,
        put(el("p"), button),
        el("p", "", t("about.licences")),
    )

    def done(result, error):
        value = result if error is None else error
        report.textContent = window.JSON.stringify(window.JSON.parse(json.dumps(value)), None, 2)

    client.request("engine.diagnostics", {}, done)
    action("copy-report", lambda node: window.navigator.clipboard.writeText(report.textContent))
