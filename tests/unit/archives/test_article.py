"""Articles as text: what stays, what goes, what is broken markup, and whose passages they are."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.passages.blocks import blocks
from cairn.sources.archives.article import decode_html, read_article
from cairn.sources.archives.container import Archive
from cairn.sources.archives.reader import FileReader
from cairn.sources.archives.reading import ArticleReader

PAGE = """<!DOCTYPE html><html><head><title>Water &amp; wells</title><style>p{color:red}</style>
<script>alert("no")</script></head><body><div class="mw-parser-output">
<h1>Water</h1><div role="navigation">Home | About</div>
<div class="hatnote">Not to be confused</div>
<p>Boil <b>water</b> for one&nbsp;minute.<sup class="reference"><a>[1]</a></sup><br>Let it cool.</p>
<h2>Filters<span class="mw-editsection">[edit]</span></h2>
<ul><li>Sand<ul><li>fine<li>coarse</ul></li><li>Charcoal</li></ul>
<ol><li>one<li>two</ol>
<dl><dt>Turbidity<dd>cloudiness</dl>
<table class="infobox"><caption>Doses</caption><tr><th>Litres</th><th>Drops</th></tr>
<tr><td>1<td>2<p>or 3</p></tr><tr><td></td></tr>
<tr><td>10</td><td><ul><li>20</li><li>if cold: 25</li></ul></td></tr></table>
<pre>x  =  1
  y</pre><p>Area <math alttext="{\\displaystyle a^2}"><mi>a</mi></math>
<span style="display: none">hidden</span>.
<div class="navbox"><table><tr><td>Lots of links</td></tr></table></div>
<ol class="references"><li>Someone, 1999</li></ol></div></body></html>"""


def test_a_page_becomes_readable_text() -> None:
    """Intent: headings, paragraphs, nested lists, tables, code; nothing about the article."""
    article = read_article(PAGE)
    assert article.title == "Water & wells"
    assert article.text == "\n".join(
        [
            "# Water", "", "Boil water for one minute.", "Let it cool.", "", "## Filters", "",
            "- Sand", "  - fine", "  - coarse", "- Charcoal", "", "- one", "- two", "",
            "Turbidity", "- cloudiness", "", "Doses", "", "| Litres | Drops |", "| 1 | 2 or 3 |",
            "| 10 | 20; if cold: 25 |", "", "x  =  1", "  y", "",
            "Area {\\displaystyle a^2} .",
        ]
    )  # fmt: skip


def test_headings_are_headings_to_the_chunker() -> None:
    """Intent: they become locators."""
    text = read_article(PAGE).text
    assert [block.heading for block in blocks(text) if block.heading] == ["Water", "Filters"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>a<p>b", "a\n\nb"),
        ("<td>a</td><td>b</td>", "a\n\nb"),
        ("<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr></table>", "a b, c"),
        ("<script>a<b>c", ""),
        ("<div class='navbox'>x<p>y", ""),
        ("a<![endif]>b <!-- c > -->d", "ab d"),
        ("&lt;p&gt; &#x1F600; &bogus;", "<p> \U0001f600 &bogus;"),
        ("</div></p>a</li>b</table>", "ab"),
        ("<li>a<li>b", "- a\n- b"),
        ("a\u200bb\x00c", "abc"),
    ],
)
def test_odd_markup(html: str, text: str) -> None:
    """Intent: broken pages lose as little as possible."""
    assert read_article(html).text == text


NAMES = "table tr td th ul li dl dt dd p pre h2 script title math nav div sup b".split()  # noqa: SIM905
ODD = ["<div class=navbox>"]
ODD += ["<![", "<!", "<!--", "-->", "<?", "</", "&#", "<a href='", "text", " ", "\n", "\0"]
TAGS = st.sampled_from([*(f"<{name}>" for name in NAMES), *(f"</{name}>" for name in NAMES), *ODD])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(TAGS, max_size=60).map("".join), st.text(max_size=200)))
def test_any_markup_is_text(html: str) -> None:
    """Intent: nothing raises, and no mark of our own leaks out."""
    text = read_article(html).text
    assert "\0" not in text
    assert "\n\n\n" not in text


def test_deep_markup_is_no_problem() -> None:
    """Intent: hostile nesting neither recurses nor takes quadratic time."""
    html = "<div>" * 20_000 + "deep" + "</table>" * 10_000 + "<li>" * 10_000
    assert read_article(html).text.startswith("deep")


def test_encodings() -> None:
    """Intent: the declared one where Python knows it, else UTF-8, never an error."""
    assert decode_html("<p>é</p>".encode()) == "<p>é</p>"
    assert decode_html(b'<meta charset="iso-8859-1"><p>\xe9') == '<meta charset="iso-8859-1"><p>é'
    assert decode_html(b"<meta charset=x-nonsense>\xff") == "<meta charset=x-nonsense>\ufffd"
    assert decode_html(b"<meta charset=hex>ab") == "<meta charset=hex>ab"


def test_passages_of_a_real_article(zim_folder: Path) -> None:
    """Intent: passages are the article's text, in order, with ids that depend on it alone."""
    archive = Archive(FileReader(zim_folder / "ray_charles_maxi_2023-09.zim"))
    article = ArticleReader(archive, "eng").read(archive.required("Ray_Charles"))
    assert article is not None
    assert "".join(article.text[span.start : span.end] for span in article.spans) == article.text
    assert len(set(article.ids)) == len(article.ids)
    assert all(identifier.startswith("A/Ray_Charles:") for identifier in article.ids)
    assert "Early life and education" in {span.locator for span in article.spans}
    again = ArticleReader(archive, "eng").read(archive.required("Ray_charles"))  # a redirect
    assert again is not None
    assert again.ids == article.ids
    assert "| Born | Ray Charles Robinson September 23, 1930 Albany, Georgia, U.S. |" in article.text
    for unwanted in ("[edit]", "[1]", "mw-parser-output", "vteRay Charles"):
        assert unwanted not in article.text


def test_pictures_are_no_articles(zim_folder: Path) -> None:
    """Intent: only text is cut into passages."""
    archive = Archive(FileReader(zim_folder / "ray_charles_maxi_2023-09.zim"))
    picture = next(entry for entry in archive if entry.namespace == "I" and not entry.is_redirect)
    assert ArticleReader(archive, "eng").read(picture) is None
