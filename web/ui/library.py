"""The Library room: what is installed, in plain facts."""

from dom import by_id, content, el, put
from strings import number, plural, size, t


def draw(status):
    """Draw the sources of an engine status."""
    room = by_id("view-library")
    room.replaceChildren(el("h2", "", t("room.library")))
    sources = status.get("sources", [])
    if not sources:
        put(room, el("p", "", t("library.empty")))
    for source in sources:
        put(room, _card(source))


def _card(source):
    facts = el("dl", "facts")
    rows = (
        (t("fact.version"), source["version"]),
        (t("fact.documents"), plural("documents", source["documents"])),
        (t("fact.passages"), number(source["passages"])),
        (t("fact.languages"), ", ".join(source["languages"])),
        (t("fact.size"), size(source["bytes"])),
        (t("fact.licence"), source["licence"]),
    )
    for name, value in rows:
        put(facts, el("dt", "", name), content("dd", "", value))
    return put(
        el("article", "card", data_source=source["id"]),
        content("h3", "", source["title"]),
        content("p", "", source["notice"]),
        facts,
    )
