"""Recipes and built packs: the same bytes, the right places, clear faults."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from cairn.errors import PackInvalid
from cairn.passages.embedding import embedding_text
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.build import build_pack
from cairn.sources.packs.manifest import FTS5_PATH, VECTOR_PATH
from cairn.sources.packs.recipe import load_recipe
from cairn.sources.packs.texts import normalise_text, text_fault
from cairn.sources.packs.verify import read_manifest
from tests.unit.packs.helpers import MODEL, build, small_pack, write_recipe

STARTER = Path(__file__).resolve().parents[3] / "packs" / "starter"


def test_same_input_same_bytes(tmp_path: Path) -> None:
    """Intent: a pack can be reproduced and its hash published."""
    folder = write_recipe(tmp_path / "recipe")
    build(folder, tmp_path / "a.zip")
    build(folder, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_members_lie_where_they_are_opened(tmp_path: Path) -> None:
    """Intent: indexes stored and aligned, documents deflated, size stated in the manifest."""
    path = small_pack(tmp_path, compatible=True)
    archive = PackArchive(path)
    manifest = read_manifest(archive)
    assert manifest.download_bytes == path.stat().st_size
    for name in (FTS5_PATH, VECTOR_PATH):
        assert archive.member(name).stored and archive.member(name).offset % 65_536 == 0
    assert not archive.member("documents/fire.txt").stored
    assert archive.read("documents/fire.txt", 9999).startswith(b"# Fire\n\nDry tinder")
    assert manifest.vector is not None and manifest.vector.model_revision == MODEL.revision
    archive.close()


def test_index_rows_are_the_documents_in_order(tmp_path: Path) -> None:
    """Intent: row i of the vectors is FTS rowid i + 1, and passages join to their document."""
    path = small_pack(tmp_path, compatible=True)
    archive = PackArchive(path)
    (tmp_path / "x.sqlite3").write_bytes(archive.read(FTS5_PATH, 1 << 30))
    db = sqlite3.connect(tmp_path / "x.sqlite3")
    rows = db.execute(
        "SELECT rowid, document_id, ordinal, body, reader_url, passage_id, source_id FROM passages"
    ).fetchall()
    db.close()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    for document in read_manifest(archive).documents:
        own = [row for row in rows if row[1] == document.id]
        assert [row[2] for row in own] == list(range(len(own)))
        assert "".join(row[3] for row in own) == archive.read(document.path, 1 << 20).decode()
    address = urlsplit(rows[0][4])
    assert address.path == "/reader/text.html"
    assert parse_qs(address.query) == {
        "source": ["test-notes"], "document": [rows[0][1]], "passage": [rows[0][5]],
    }  # fmt: skip
    archive.close()


def test_a_pack_without_vectors(tmp_path: Path) -> None:
    """Intent: --no-vectors makes a whole pack for keyword search."""
    archive = PackArchive(small_pack(tmp_path, vectors=False))
    manifest = read_manifest(archive)
    assert manifest.vector is None and VECTOR_PATH not in archive.members
    archive.close()


def change(folder: Path, file: str, old: str, new: str) -> str:
    """Edit a file of a good recipe and return the message of its refusal."""
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(PackInvalid) as caught:
        load_recipe(folder)
    return caught.value.message


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("pack.toml", 'licence = "CC0-1.0"', "", "pack.toml cannot go into a pack: licence"),
        ("pack.toml", "docs/**/*.md", "none/*.md", "its docs name no file"),
        ("pack.toml", 'docs = ["docs/**/*.md"]', "docs = 3", "docs is not a list"),
        ("pack.toml", 'id = "test-notes"', "id = ", "its TOML is wrong"),
        ("docs/fire.eng.md", "+++", "---", "no front matter"),
        ("docs/fire.eng.md", 'title = "Fire"', "", "docs/fire.eng.md cannot go into a pack: title"),
        ("docs/fire.eng.md", "https://example.org", "gopher://example.org", "references[0].url"),
        ("docs/fire.eng.md", 'language = "eng"', 'language = "spa"', "its name says eng"),
        ("docs/fire.eng.md", 'id = "fire"', 'id = "boiling-water"', "used twice"),
        ("docs/fire.eng.md", "Dry tinder burns.", "Dry\0tinder", "NUL"),
    ],
)
def test_faults_of_a_recipe_name_the_file(tmp_path: Path, file: str, old: str, new: str, reason: str) -> None:
    """Intent: the maker of a pack reads what to correct, and where."""
    assert reason in change(write_recipe(tmp_path / "recipe"), file, old, new)


def test_text_is_normalised_and_checked() -> None:
    """Intent: FORMATS 1.2, NFC, LF, one final LF; what cannot be mended is refused."""
    assert normalise_text("\n\nCafe\u0301\r\nb\r\n\n") == "Café\nb\n"
    assert text_fault("Text\n") == ""
    for bad in ("", " \n", "a", "a\n\n", "a\0\n", "\ufeffa\n", "e\u0301\n", "a\r\n"):
        assert text_fault(bad)


def test_embedding_text_adds_missing_context_once() -> None:
    """Intent: a passage is embedded with its subject, without saying it twice."""
    assert embedding_text("Water", "Heat", "Boil it.\n\n") == "Water\nHeat\nBoil it."
    assert embedding_text("Water", "Heat", "## Heat\n\nBoil water.") == "## Heat\n\nBoil water."
    assert embedding_text("Same", "Same", "x") == "Same\nx"


@pytest.mark.skipif(not (STARTER / "docs").is_dir(), reason="packs/starter/docs is not here")
def test_the_field_notes_weigh_at_most_1_6_times_their_text(tmp_path: Path) -> None:
    """Intent: what comes with the app stays small: texts, keyword index and vectors together."""
    report = build_pack(load_recipe(STARTER), tmp_path / "x.zip", embedding=None)
    assert report.manifest.fts5 is not None
    vectors = 4096 + report.manifest.fts5.passage_count * (384 + 4)
    assert report.documents_bytes + report.fts5_bytes + vectors <= 1.6 * report.text_bytes


@pytest.mark.skipif(not (STARTER / "docs").is_dir(), reason="packs/starter/docs is not here")
def test_the_starter_pack_is_a_good_recipe() -> None:
    """Intent: the pack that comes with the app can always be built."""
    recipe = load_recipe(STARTER)
    assert recipe.id == "cairn-starter" and recipe.title == "Field notes"
    assert recipe.notice == "Not a substitute for trained help."
    assert len(recipe.documents) >= 60
    assert {document.entry.language for document in recipe.documents} >= {"eng", "spa", "fra", "ara", "zho"}
