"""Each kind of file to text: encodings, structure, and what must not get in."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Awaitable

import pytest

from cairn.errors import DocumentUnreadable
from cairn.sources.documents.readers.docx import read_docx
from cairn.sources.documents.readers.encodings import decode
from cairn.sources.documents.readers.epub import read_epub
from cairn.sources.documents.readers.html import read_html
from cairn.sources.documents.readers.odt import read_odt
from cairn.sources.documents.readers.plain import columns_of, read_plain, title_of
from cairn.sources.documents.text import Extracted

GREEK = "Το νερό βράζει για ένα λεπτό πριν το πιείτε, και το πηγάδι έχει καπάκι."
RUSSIAN = "Воду кипятят одну минуту, прежде чем её пить, а колодец закрывают крышкой."
CHINESE = "把水煮沸一分钟再喝。井要加盖，\n否则会弄脏。"


def read(work: Awaitable[Extracted]) -> Extracted:
    async def run() -> Extracted:
        return await work

    return asyncio.run(run())


def zip_of(members: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return target.getvalue()


@pytest.mark.parametrize("text", [GREEK, RUSSIAN, CHINESE, "Plain words.\r\nNext line.\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_files_with_and_without_a_mark(text: str, encoding: str) -> None:
    """Intent: every character comes back exactly, line ends included."""
    if encoding == "utf-32" or text:
        assert decode(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(GREEK, "cp1253"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), ("Größe und Maß für Öl", "cp1252"),
     (CHINESE, "gb18030"), ("Il est déjà là, à côté de la forêt.", "latin-1"),
     ("Wodę gotuj przez jedną minutę, a studnię żelazną pokrywą zamknij.", "cp1250"),
     ("Vodu vařte jednu minutu, než ji pijete, a studnu přikryjte.", "cp1250")],
)  # fmt: skip
def test_legacy_code_pages_are_guessed(text: str, encoding: str) -> None:
    """Intent: a note from an old computer is readable."""
    assert decode((text * 4).encode(encoding), "a.txt") == text * 4


def test_markdown_titles_and_csv_columns() -> None:
    """Intent: documents are called what they call themselves."""
    assert title_of("---\ntitle: The well\n---\n\n# Other") == "The well"
    assert title_of("\ufeff# The *deep* well #\n\nText") == "The deep well"
    assert title_of("Text first\n\n# Later") == ""
    assert columns_of("name;age\nAda;36\n") == "name, age"
    assert columns_of("just a line of words") == ""


def test_json_on_one_line_is_broken_into_lines_and_loses_nothing() -> None:
    """Intent: no parser, so nothing to break: the characters stay, only line ends are added."""
    text = '{"a": [1, 2, {"b": "x, y"}], "c": ' + '"' + "z" * 2_000 + '"' + "}"
    found = read_plain(text.encode(), "a.json", "json").text
    assert '"x, y"' in found and found.count("\n") >= 6
    assert "".join(found.split()) == "".join(text.split())
    assert read_plain(b'{"a": 1}\n', "a.json", "json").text == '{"a": 1}\n'


def test_html_keeps_the_words_and_drops_what_runs() -> None:
    """Intent: everything a person wrote, nothing that acts."""
    page = """<!DOCTYPE html><html lang="fr"><head><title>Eau &amp; puits</title><style>p{}</style></head>
    <body><nav>Menu</nav><h1>Eau</h1><script>alert(1)</script><p>Bouillir <b>une</b> minute.</p>
    <ul><li>Un<li>Deux</ul><table><tr><td>a<td>b</table><p onclick="x()">Fin</p></body>"""
    found = read(read_html(page.encode(), "a.html"))
    assert (found.title, found.language) == ("Eau & puits", "fr")
    assert found.text == "Menu\n\n# Eau\n\nBouillir une minute.\n\n- Un\n- Deux\n\n| a | b |\n\nFin"


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def docx(body: str, **more: str) -> bytes:
    return zip_of({
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{RELATIONS}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<?xml version="1.0"?><w:document {W}><w:body>{body}</w:body></w:document>',
        **more,
    })  # fmt: skip


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_docx_headings_tables_and_properties() -> None:
    """Intent: a Word file keeps its structure; macros are never looked at."""
    heading = '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    style = f"<w:styles {W}>{heading}</w:styles>"
    cells = "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in ("dose", "5 ml"))
    core = "<c xmlns:dc='d'><dc:title>Ward rules</dc:title></c>"
    data = docx(
        paragraph("Wells", "H1") + paragraph("Cover it.") + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>",
        **{"word/styles.xml": style, "docProps/core.xml": core, "word/vbaProject.bin": "macro"},
    )
    found = read(read_docx(data, "a.docx"))
    assert found.title == "Ward rules"
    assert found.text == "# Wells\n\nCover it.\n\n| dose | 5 ml |"


def test_odt_headings_lists_tables_notes() -> None:
    """Intent: an OpenDocument text in reading order, without what was deleted in it."""
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"'
        for short in ("office", "text", "table")
    )
    note = "<text:note><text:note-body><text:p>Always</text:p></text:note-body></text:note>"
    inner = "<text:list><text:list-item><text:p>In</text:p></text:list-item></text:list>"
    cells = "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in "ab")
    content = f"""<office:document-content {names}><office:body><office:text>
    <text:tracked-changes><text:p>Deleted</text:p></text:tracked-changes>
    <text:h text:outline-level="2">Wells</text:h>
    <text:p>Cover<text:s text:c="2"/>it{note}.</text:p>
    <text:list><text:list-item><text:p>One</text:p>{inner}</text:list-item></text:list>
    <table:table><table:table-row>{cells}</table:table-row></table:table>
    </office:text></office:body></office:document-content>"""
    found = read(read_odt(zip_of({"content.xml": content}), "a.odt"))
    assert found.text == "## Wells\n\nCover  it [Always].\n\n- One\n  - In\n\n| a | b |"


def test_epub_chapters_in_the_order_of_the_spine() -> None:
    """Intent: a book is read from the first chapter to the last, whatever their files are called."""
    package = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>Wells</dc:title><dc:language>en-GB</dc:language></metadata><manifest>
    <item id="b" href="z%20one.xhtml" media-type="application/xhtml+xml"/>
    <item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
    <item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine><itemref idref="b"/><itemref idref="a"/><itemref idref="gone"/></spine></package>"""
    container = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
    <rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
    chapter = "<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'><body><h1>{0}</h1><p>Text.</p></body></html>"
    book = zip_of({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OPS/book.opf": package,
        "OPS/z one.xhtml": chapter.format("First"),
        "OPS/a.xhtml": chapter.format("Second"),
    })  # fmt: skip
    found = read(read_epub(book, "a.epub"))
    assert (found.title, found.language) == ("Wells", "en-GB")
    assert found.text == "# First\n\nText.\n\n# Second\n\nText."
    assert found.notes == ("1 chapters that it lists are missing from the file.",)


def test_a_billion_laughs_is_refused() -> None:
    """Intent: entities expand to gigabytes; no document needs them."""
    laughs = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    with pytest.raises(DocumentUnreadable, match="declares entities"):
        read(read_docx(zip_of({"word/document.xml": laughs + "<w>&b;</w>"}), "a.docx"))
