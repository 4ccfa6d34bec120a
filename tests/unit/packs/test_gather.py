"""Documents from folders, recipes and archives; what is missing or wrong is named."""

from __future__ import annotations

import json
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from cairn.cli import pack
from cairn.errors import CairnError, PackInvalid
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.build import Embedding, build_pack
from cairn.sources.packs.gather import NOT_STATED, Wishes, gather, slug
from cairn.sources.packs.manifest import DocumentEntry
from cairn.sources.packs.recipe import load_recipe
from cairn.sources.packs.verify import read_manifest
from tests.unit.packs.helpers import MODEL, fake_embed, write_recipe

FREE = Wishes(licence="CC0-1.0")
ZIM = Path(__file__).resolve().parents[4] / "shared" / "data" / "zim" / "jargon_none.zim"


def entries(source: Path, wishes: Wishes = FREE) -> dict[str, DocumentEntry]:
    return {document.entry.id: document.entry for document in gather(source, wishes).documents}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "My Library"
    (place / "Water").mkdir(parents=True)
    (place / "Water" / "Boil it.md").write_text("# Boiling\r\n\r\nBoil it.\r\n", encoding="utf-8")
    (place / "fire.fra.txt").write_bytes(b"\xef\xbb\xbfLe feu br\xc3\xbble.")
    (place / "page.html").write_text(
        "<html><head><title>A page</title><script>x()</script></head><body><p>Text.</p></body></html>",
        encoding="utf-8",
    )
    (place / "picture.png").write_bytes(b"\x89PNG")
    (place / "noted.md").write_text(
        '+++\ntitle = "Noted"\nlicence = "MIT"\nlanguage = "de"\nsource_url = "https://example.org/n"\n+++\nText.',
        encoding="utf-8",
    )
    return place


def test_a_folder_of_files(folder: Path) -> None:
    """Intent: a maker points at a folder; titles, languages and collections come from what is there."""
    found = entries(folder)
    assert set(found) == {"water-boil-it", "fire.fra", "page", "noted"}
    assert (found["water-boil-it"].title, found["water-boil-it"].collection) == ("Boiling", "Water")
    assert (found["fire.fra"].language, found["fire.fra"].licence) == ("fra", "CC0-1.0")
    assert found["page"].title == "A page"
    noted = found["noted"]
    assert (noted.title, noted.licence, noted.language, noted.source_url) == (
        "Noted", "MIT", "deu", "https://example.org/n",
    )  # fmt: skip
    recipe = gather(folder, FREE)
    assert (recipe.id, recipe.title, recipe.version) == ("my-library", "My Library", "1")
    texts = {document.entry.id: document.text for document in recipe.documents}
    assert texts["fire.fra"] == "Le feu brûle.\n" and texts["page"] == "# A page\n\nText.\n"


def test_books_and_office_files_are_read_as_imports_read_them(tmp_path: Path) -> None:
    """Intent: what a person can import, a maker can pack, with its own title and language."""
    book = tmp_path / "book.epub"
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="b.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<dc:title>Wells</dc:title><dc:language>en-GB</dc:language></metadata><manifest>"
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
        )
        archive.writestr("a.xhtml", "<html><body><h1>First</h1><p>Dig.</p></body></html>")
    (document,) = gather(tmp_path, FREE).documents
    assert (document.entry.id, document.entry.title, document.entry.language) == ("book", "Wells", "eng")
    assert document.text == "# First\n\nDig.\n"
    book.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(CairnError, match=r"book\.epub"):
        gather(tmp_path, FREE)


def test_a_missing_licence_is_an_error_unless_said(folder: Path) -> None:
    """Intent: nobody passes on words without saying under which terms."""
    with pytest.raises(PackInvalid, match=r"Boil it\.md .* its licence is not stated") as caught:
        gather(folder, Wishes())
    assert "--allow-missing-licence" in caught.value.hint
    found = entries(folder, Wishes(allow_missing_licence=True))
    assert found["page"].licence == NOT_STATED and found["noted"].licence == "MIT"


def test_a_recipe_says_it_all(folder: Path) -> None:
    """Intent: title, language, collection, licence and source per document, in JSON or TOML."""
    said = {"path": "page.html", "title": "Said", "lang": "es", "collection": "C", "licence": "L",
            "source": "https://example.org/p"}  # fmt: skip
    listed = folder / "manifest.json"
    listed.write_text(json.dumps([said]), encoding="utf-8")
    (found,) = entries(listed, Wishes()).values()
    assert (found.title, found.language, found.collection, found.licence, found.source_url) == (
        "Said", "spa", "C", "L", "https://example.org/p",
    )  # fmt: skip
    toml = folder / "pack.toml"
    toml.write_text(
        'id = "x"\ntitle = "X"\nversion = "3"\nlicence = "L"\n[[documents]]\npath = "noted.md"\n',
        encoding="utf-8",
    )
    for source in (toml, folder):
        recipe = gather(source, Wishes())
        assert (recipe.id, recipe.title, recipe.version, recipe.licence) == ("x", "X", "3", "L")
        assert recipe.documents[0].entry.licence == "MIT"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "cannot be understood"), ("[]", "not a list of documents"), ("[1]", r"documents\[0\] is not"),
        ('[{"path": "none.md"}]', r"none\.md .* cannot be read"), ('[{"path": "../x.md"}]', "outside"),
        ('[{"path": "a.pdf"}]', r"\.pdf are not read"), ('[{"path": "bad.txt"}]', "not UTF-8"),
        ('[{"path": "blank.txt"}]', "blank"), ('[{"path": "nul.txt"}]', "NUL"),
        ('[{"path": "open.md"}]', "front matter does not end"), ('[{"path": "toml.md"}]', "TOML is wrong"),
        ('[{"path": "ok.txt", "source_url": "gopher://x"}]', "source_url is not a web address"),
    ],
)  # fmt: skip
def test_faults_name_the_file(tmp_path: Path, content: str, reason: str) -> None:
    """Intent: a maker reads which file to correct, and why."""
    for name, data in {"bad.txt": b"\xff", "blank.txt": b" \n", "nul.txt": b"a\0b", "open.md": b"+++\nx",
                       "toml.md": b"+++\nx = \n+++\ny", "ok.txt": b"ok"}.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
    recipe = tmp_path / "recipe.json"
    recipe.write_text(content, encoding="utf-8")
    with pytest.raises(PackInvalid, match=reason):
        gather(recipe, FREE)


def test_what_is_no_source(tmp_path: Path) -> None:
    """Intent: an empty folder, a missing file and a picture are said plainly."""
    with pytest.raises(PackInvalid, match="no file that can be read"):
        gather(tmp_path)
    with pytest.raises(PackInvalid, match="not there"):
        gather(tmp_path / "none")
    (tmp_path / "x.png").write_bytes(b"")
    with pytest.raises(PackInvalid, match="no folder, recipe"):
        gather(tmp_path / "x.png")


def test_ids_are_valid_distinct_and_stable() -> None:
    """Intent: any file name gives an id of the format, and two files two ids."""
    assert slug("Water/Boil it.md") == "water-boil-it"
    assert slug("café.txt") == "cafe"
    assert slug("水.md") != slug("火.md")
    assert len(slug("x" * 500)) <= 160 and slug("水.md") == slug("水.md")


@pytest.mark.skipif(not ZIM.is_file(), reason="the sample archives are not here")
def test_an_archive_as_a_pack(tmp_path: Path) -> None:
    """Intent: FILE.zim becomes a pack that is whole, its articles with title, language and licence."""
    output = tmp_path / "x.zip"
    status = pack.main(["build", str(ZIM), "-o", str(output), "--no-vectors", "--licence", "Public domain"])
    assert status == 0 and pack.main(["verify", str(output)]) == 0
    with closing(PackArchive(output)) as archive:
        manifest = read_manifest(archive)
    assert len(manifest.documents) > 100 and manifest.title
    assert all(document.licence for document in manifest.documents)


def test_two_packs_compared(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Intent: a maker sees what an update brings."""
    old, new = str(tmp_path / "old.zip"), str(tmp_path / "new.zip")
    options = ["--no-vectors", "--licence", "CC0-1.0"]
    assert pack.main(["build", str(folder), "-o", old, *options]) == 0
    (folder / "page.html").unlink()
    (folder / "more.txt").write_text("More.", encoding="utf-8")
    (folder / "fire.fra.txt").write_text("Le feu.", encoding="utf-8")
    assert pack.main(["build", str(folder), "-o", new, "--version", "2", *options]) == 0
    capsys.readouterr()
    assert pack.main(["diff", old, new]) == 3
    said = capsys.readouterr().out
    for line in ("version: 1 -> 2", "+ more", "- page", "~ fire.fra", "1 added, 1 removed, 1 changed"):
        assert line in said
    assert pack.main(["diff", new, new]) == 0
    assert pack.main(["info", new]) == 0 and "schema 3" in capsys.readouterr().out
    assert pack.main(["build", str(folder), "-o", new, "--no-vectors"]) == 1
    assert "licence is not stated" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "emscripten", reason="a browser starts no processes")
def test_the_same_bytes_however_the_work_is_spread(tmp_path: Path) -> None:
    """Intent: one process, two, or a Dask cluster: the published hash can be reproduced."""
    pytest.importorskip("distributed")
    from cairn.native.spread import over_dask, over_processes

    recipe = load_recipe(write_recipe(tmp_path / "recipe"))
    embedding = Embedding(fake_embed, MODEL)
    build_pack(recipe, tmp_path / "one.zip", embedding=embedding)
    with over_processes(2) as spread:
        build_pack(recipe, tmp_path / "two.zip", embedding=embedding, spread=spread)
    with over_dask(2) as spread:
        build_pack(recipe, tmp_path / "dask.zip", embedding=embedding, spread=spread)
    expected = (tmp_path / "one.zip").read_bytes()
    assert (tmp_path / "two.zip").read_bytes() == expected
    assert (tmp_path / "dask.zip").read_bytes() == expected


def test_the_published_layout_wants_addresses(tmp_path: Path, folder: Path) -> None:
    """Intent: --compatible never writes a manifest that its readers refuse."""
    with pytest.raises(PackInvalid, match="has no source_url"):
        build_pack(gather(folder, FREE), tmp_path / "x.zip", embedding=None, compatible=True)
