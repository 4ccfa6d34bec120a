"""One hit of a search: its card, the marked words, and why it is there."""

from citations import READER, place
from dom import content, el, put
from strings import number, t


def key_of(hit):
    """What tells a hit from all others."""
    return hit["source"] + "\n" + hit["passage"]


def card(hit):
    """A list item: the link into the reader, and below it what can be done and known."""
    node = el("li", "hit", data_key=key_of(hit))
    link = el("a", "hit-link", href=hit["reader_url"], target=READER)
    put(link, content("strong", "", hit["title"]), content("small", "", place(hit)), el("span", "excerpt"))
    why = put(el("details", "why"), el("summary", "", t("why.here")), el("dl", "facts"))
    foot = put(el("div", "hit-foot"), why)
    only = el(
        "button", "quiet", t("find.only_document"), type="button", data_action="only-document",
        data_document=hit["document"], data_title=hit["title"],
    )  # fmt: skip
    put(node, link, put(foot, only))
    update(node, hit)
    return node


def update(node, hit):
    """Draw what another search may change: the marked words and the reasons."""
    excerpt = content("span", "excerpt", "")
    excerpt.lang = hit["language"]
    at = 0
    for start, end in hit["marks"]:
        put(excerpt, hit["excerpt"][at:start], el("mark", "", hit["excerpt"][start:end]))
        at = end
    put(excerpt, hit["excerpt"][at:])
    node.querySelector(".excerpt").replaceWith(excerpt)
    facts = el("dl", "facts")
    for name, value in reasons(hit):
        put(facts, el("dt", "", name), content("dd", "", value))
    node.querySelector(".why dl").replaceWith(facts)
    node.setAttribute("data-found", found_by(hit["why"]))


def found_by(why):
    """ "words", "meaning" or "both"."""
    if why["lexical_rank"] and why["semantic_rank"]:
        return "both"
    return "meaning" if why["semantic_rank"] else "words"


def reasons(hit):
    """(name, value) of everything that is known about why a hit is there."""
    why = hit["why"]
    rows = [(t("why.words"), ", ".join(why["words"]) or t("why.none"))]
    if why["lexical_rank"]:
        score = number(why["lexical_score"], 2)
        rows.append((t("why.lexical"), t("why.rank", rank=why["lexical_rank"], score=score)))
    else:
        rows.append((t("why.lexical"), t("why.not_found")))
    if why["semantic_rank"]:
        score = number(why["semantic_score"], 3)
        rows.append((t("why.semantic"), t("why.rank", rank=why["semantic_rank"], score=score)))
    else:
        rows.append((t("why.semantic"), t("why.not_compared")))
    rows.append((t("why.coverage"), t("why.percent", count=number(why["coverage"] * 100))))
    rows.append((t("why.fused"), number(why["fused"], 4)))
    rows.append((t("why.mode"), t("why.mode." + why["mode"])))
    if why["dropped"]:
        rows.append((t("why.dropped"), t("why.dropped." + why["dropped"])))
    return rows
