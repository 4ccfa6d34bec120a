"""What HTML elements mean for the text of an article: which are blocks, which are left out."""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = _names("area base br col embed hr img input link meta param source track wbr")
BLOCKS = _names(
    """address article aside blockquote body caption center dd details dialog div dl dt fieldset
    figcaption figure footer header hgroup html legend li main ol p pre section summary table tbody
    td tfoot th thead tr ul"""
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CELLS = ("td", "th")
# A start tag closes open ones of the first group, up to the nearest of the second.
CLOSES = {
    "li": (_names("li"), _names("ul ol menu")),
    "dt": (_names("dt dd"), _names("dl")),
    "dd": (_names("dt dd"), _names("dl")),
    "tr": (_names("tr td th"), _names("table")),
    "td": (_names("td th"), _names("tr table")),
    "th": (_names("td th"), _names("tr table")),
}

_DROPPED = _names(
    """script style template noscript nav head svg iframe object audio video form select button
    textarea canvas math rt rp"""
)
_KEPT = ("body", "html", "main", "article")
# Classes and ids of MediaWiki and of what scrapers add around its pages.
_CLASSES = _names(
    """mw-editsection reflist references mw-references-wrap reference navbox navbox-styles
    vertical-navbox navigation-not-searchable sistersitebox noprint hatnote metadata ambox mbox-small
    toc catlinks mw-jump-link printfooter authority-control portal succession-box mw-empty-elt error"""
)
_IDS = _names("toc catlinks mw-navigation siteSub contentSub jump-to-nav")
_INVISIBLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def dropped(tag: str, attrs: dict[str, str]) -> bool:
    """Whether an element is about the article rather than of it, or is not text at all."""
    if tag in _DROPPED:
        return True
    if tag in _KEPT:
        return False
    if attrs.get("role") == "navigation" or "hidden" in attrs or attrs.get("id") in _IDS:
        return True
    if _INVISIBLE.search(attrs.get("style", "")):
        return True
    return not _CLASSES.isdisjoint(attrs.get("class", "").split())
