"""Why these sources: everything a turn did, readable on a phone, copyable as JSON.

The data is what the engine's ``debug`` events say (``pysrc/cairn/answering/debug.py``); parts that
a turn did not have are left out. Rows, not wide tables: nothing has to be scrolled sideways.
"""

import json

from dom import content, el, icon_button, put, say, show
from pyscript import window
from strings import number, t

LISTED = 12
"""Candidates of a source that are shown; the copy has all of them."""


class Debug:
    """The panel of one turn; drawn when it is opened."""

    def __init__(self, turn):
        self._turn = turn
        self._data = {}
        self.node = el("section", "debug", aria_label=t("why_these"))
        self.node.hidden = True

    @property
    def known(self):
        """Whether there is more to show than the result itself."""
        return "fused" in self._data

    @property
    def is_open(self):
        """Whether the panel is showing."""
        return not self.node.hidden

    def take(self, data):
        """Take what came to be known."""
        self._data.update(data)
        if self.is_open:
            self._draw()

    def toggle(self, button):
        """Open or close."""
        show(self.node, self.node.hidden)
        button.setAttribute("aria-expanded", "true" if self.is_open else "false")
        if self.is_open:
            self._draw()
            self.node.scrollIntoView(window.JSON.parse('{"block": "nearest"}'))

    def copy(self, button):
        """All of it as JSON to the clipboard."""
        window.navigator.clipboard.writeText(pretty(self._data))
        button.querySelector("span").textContent = t("copied")
        say(t("copied"))

    def _draw(self):
        data = self._data
        copy = icon_button("quiet", "copy", t("debug.copy"), data_action="copy-why", data_turn=self._turn)
        self.node.replaceChildren(put(el("div", "debug-head"), el("h3", "", t("why_these")), copy))
        if not data:
            put(self.node, el("p", "note", t("debug.nothing")))
        self._query(data)
        self._stages((data.get("result") or data).get("timings") or {})
        self._candidates(data.get("per_source") or {})
        self._fused(data.get("fused") or [], data.get("drops") or [])
        self._evidence(data.get("evidence") or {})
        if data.get("prompt"):
            self._part("debug.prompt", el("pre", "", data["prompt"], tabindex="0", dir="auto"))
        self._model(data)

    def _part(self, key, *nodes):
        put(self.node, put(el("section", "debug-part"), el("h4", "", t(key)), *nodes))

    def _facts(self, rows):
        facts = el("dl", "facts")
        for key, value in rows:
            if value not in (None, "", [], {}):
                put(facts, el("dt", "", t(key)), content("dd", "", words(value)))
        return facts

    def _query(self, data):
        rewrite, route, analysis = (data.get(name) or {} for name in ("rewrite", "route", "analysis"))
        weights = analysis.get("weights") or {}
        terms = [
            term + " " + str(weights[term]) if term in weights else term for term in analysis.get("terms", [])
        ]
        rows = (
            ("debug.asked", rewrite.get("original") or analysis.get("question")),
            ("debug.searched", rewrite.get("query") or analysis.get("searched")),
            ("debug.rewrite", rewrite.get("why")),
            ("debug.route", route.get("route")),
            ("debug.route.why", route.get("why") or route.get("scores")),
            ("debug.language", analysis.get("language")),
            ("debug.terms", terms),
            ("debug.phrases", analysis.get("phrases")),
            ("debug.excluded", analysis.get("excluded")),
            ("debug.outcome", data.get("outcome")),
            ("debug.mode", data.get("mode")),
        )
        if rewrite or analysis:
            self._part("debug.query", self._facts(rows))

    def _stages(self, timings):
        total = timings.get("total") or sum(timings.values()) or 1
        rows = el("ul", "bars")
        for name in timings:
            if name == "total":
                continue
            bar = el("span", "bar-fill")
            bar.style.width = str(max(0.5, min(100, 100 * timings[name] / total))) + "%"
            line = put(el("li"), el("span", "", name), put(el("span", "bar-line"), bar))
            put(rows, put(line, el("span", "", milliseconds(timings[name]))))
        if timings:
            put(
                rows,
                put(
                    el("li"),
                    el("span", "", t("debug.total")),
                    el("span"),
                    el("span", "", milliseconds(total)),
                ),
            )
            self._part("debug.stages", rows)

    def _candidates(self, per_source):
        for source in per_source:
            rows = el("ol", "ranked")
            for found in per_source[source][:LISTED]:
                put(rows, self._row(found, scores(found), found.get("dropped")))
            put(
                self.node,
                put(el("section", "debug-part"), content("h4", "", t("debug.source", source=source)), rows),
            )
            if len(per_source[source]) > LISTED:
                rest = number(len(per_source[source]) - LISTED)
                put(self.node.lastElementChild, el("p", "note", t("debug.more", count=rest)))

    def _fused(self, fused, drops):
        reasons = dict((drop.get("passage"), drop.get("reason")) for drop in drops)
        rows = el("ol", "ranked")
        for found in fused[: 2 * LISTED]:
            score = t("debug.score", score=number(found.get("score") or 0, 4))
            put(rows, self._row(found, score, reasons.get(found.get("passage"))))
        if fused:
            self._part("debug.fused", rows)

    def _row(self, found, line, dropped):
        title = found.get("title") or ""
        where = found.get("locator") or ""
        if where and where != title:
            title += " · " + where
        row = put(el("li"), content("span", "ranked-title", title), el("span", "ranked-line", line))
        if dropped:
            row.dataset.dropped = "yes"
            put(row, el("span", "ranked-line", t("debug.dropped", reason=reason(dropped))))
        return row

    def _evidence(self, evidence):
        items = el("ol", "ranked")
        for item in evidence.get("items") or []:
            line = t("debug.tokens", count=number(item.get("tokens") or 0))
            if item.get("truncated"):
                line += " · " + t("debug.truncated")
            label = "[" + str(item.get("n")) + "] " + str(item.get("title") or "")
            put(items, put(el("li"), content("span", "ranked-title", label), el("span", "ranked-line", line)))
        if evidence:
            used, budget = number(evidence.get("tokens") or 0), number(evidence.get("budget") or 0)
            self._part("debug.evidence", el("p", "", t("debug.budget", used=used, budget=budget)), items)

    def _model(self, data):
        result, model = data.get("result") or {}, data.get("model") or {}
        rows = (
            ("debug.model", model.get("label") if isinstance(model, dict) else model),
            ("debug.finish", result.get("finish")),
            ("debug.first", milliseconds(result.get("first_token_ms") or 0) if result.get("tokens") else ""),
            (
                "debug.length",
                t("debug.tokens", count=number(result["tokens"])) if result.get("tokens") else "",
            ),
            (
                "debug.speed",
                t("debug.rate", rate=number(result["tokens_per_second"], 1)) if result.get("tokens") else "",
            ),
        )
        if any(value for _, value in rows):
            self._part("debug.model", self._facts(rows))


def scores(found):
    """One line: rank and score by words and by meaning, the joined score, how much of the question it has."""
    parts = []
    for kind in ("lexical", "semantic"):
        if found.get(kind + "_rank"):
            score = number(found.get(kind + "_score") or 0, 3)
            parts.append(t("debug." + kind, rank=found[kind + "_rank"], score=score))
    if found.get("fused"):
        parts.append(t("debug.score", score=number(found["fused"], 4)))
    if found.get("coverage") is not None:
        parts.append(t("debug.coverage", percent=number(100 * found["coverage"])))
    return " · ".join(parts)


def reason(dropped):
    """Why a candidate was left out: in words where there are some, else as the engine names it."""
    key = "why.dropped." + dropped
    return dropped if t(key) == key else t(key)


def words(value):
    """Any JSON value in one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(words(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(str(key) + " " + words(value[key]) for key in value)
    return number(value, 3) if isinstance(value, (int, float)) else str(value)


def milliseconds(value):
    """A duration."""
    return t("debug.ms", count=number(value, 1 if value < 10 else 0))


def pretty(value):
    """JSON for people."""
    return window.JSON.stringify(window.JSON.parse(json.dumps(value)), None, 1)
