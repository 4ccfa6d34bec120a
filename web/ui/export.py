"""A thread as a file of the person's own: Markdown to read, JSON with everything.

Nothing but the page is needed: the text becomes a Blob that the browser saves.
"""

import json

from answer import split_sources
from dom import el
from pyscript import window
from strings import t

TYPES = {"markdown": ("md", "text/markdown"), "json": ("json", "application/json")}
NAME_CHARS = 60


def save(thread, turns, form):
    """Let the browser save the thread; return the file's name."""
    text = markdown(thread, turns) if form == "markdown" else as_json(thread, turns)
    ending, mime = TYPES[form]
    name = file_name(thread["title"]) + "." + ending
    parts = window.JSON.parse(json.dumps([text]))
    blob = window.Blob.new(parts, window.JSON.parse(json.dumps({"type": mime + ";charset=utf-8"})))
    address = window.URL.createObjectURL(blob)
    link = el("a", "", href=address, download=name)
    link.click()
    window.URL.revokeObjectURL(address)
    return name


def file_name(title):
    """A title as a name that every system takes."""
    kept = "".join(c if c not in '\\/:*?"<>|#%.' and ord(c) >= 32 else " " for c in title)
    return "-".join(kept.split())[:NAME_CHARS] or "cairn"


def as_json(thread, turns):
    """Everything that is kept of it."""
    value = {"format": "cairn-thread", "version": 1, "thread": thread, "turns": turns}
    return window.JSON.stringify(window.JSON.parse(json.dumps(value)), None, 1)


def markdown(thread, turns):
    """A document to read: questions, quotes, answers, sources with their passages, settings."""
    lines = ["# " + one_line(thread["title"]), "", moment(thread["created_ms"])]
    for turn in turns:
        lines += ["", "## " + one_line(turn["question"]), ""] + _answer(turn) + _sources(turn["result"])
        lines += ["", "*" + _settings(turn) + "*"]
    return "\n".join(lines) + "\n"


def _answer(turn):
    result = turn["result"]
    lines = [t("searched", query=one_line(result["query"]))]
    for quote in result["quotes"]:
        lines += ["", "> " + one_line(quote["text"]) + " [" + str(quote["n"]) + "]"]
    if result["text"]:
        lines += ["", result["text"]]
    for sentence in result["sentences"]:
        if not sentence["confirmed"]:
            lines += ["", "⚠ " + t("unconfirmed", text=one_line(sentence["text"]))]
    if result["outcome"] == "no_match":
        lines += ["", t("not_covered")]
    for note in turn["notes"]:
        lines += ["", note]
    return lines


def _sources(result):
    citations = dict((citation["n"], citation) for citation in result["citations"])
    cited = set(n for n in citations if citations[n].get("cited"))
    lines = []
    for heading, numbers in split_sources(citations, cited):
        lines += ["", "**" + t(heading) + "**", ""]
        for n in numbers:
            c = citations[n]
            about = (c["title"], c["source_title"], c["locator"], c["licence"], c["token"])
            lines.append("- [" + str(n) + "] " + " · ".join(one_line(part) for part in about if part))
            if n in cited:
                lines += ["", "  > " + one_line(c["text"]), ""]
    return lines


def _settings(turn):
    result, settings = turn["result"], turn["settings"]
    asked = ", ".join(one_line(source["title"]) for source in settings.get("sources") or [])
    parts = [
        moment(turn["asked_ms"]),
        t("export.sources", names=asked) if asked else "",
        t("style." + (settings.get("style") or "short")),
        settings.get("language") or "",
        result["model"],
        t("export.finish", finish=result["finish"]),
    ]
    return " · ".join(part for part in parts if part)


def one_line(text):
    """Text without line breaks, which would end the paragraph it stands in."""
    return " ".join(text.split())


def moment(milliseconds):
    """A date and time that any program reads."""
    return window.Date.new(milliseconds).toISOString()
