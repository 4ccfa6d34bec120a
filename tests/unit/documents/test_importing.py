"""Files into the library: what is found, what is said of bad ones, what survives an end at any point."""

from __future__ import annotations

import asyncio
import hashlib
import io
import random
import zipfile
from pathlib import Path

import pytest

from cairn.errors import DocumentNotFound, InvalidRequest
from cairn.index.types import LexicalQuery
from cairn.models.ports import ModelInfo
from cairn.sources.documents.originals import FOLDER
from tests.unit.documents.helpers import Desk, FakePdf, WordEmbedder, at_desk

WATER = "# Water\n\nBoil it for one minute.\n\n## Wells\n\nCover the well with a lid.\n"
E5 = ModelInfo("fake-e5", "r1", "q8", "wasm", dimensions=2)


def zip_of(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()


def test_a_file_is_found_read_and_verified(tmp_path: Path) -> None:
    """Intent: add, search, cite, read, all of the same characters."""

    async def scenario(desk: Desk) -> None:
        added = await desk.add(desk.write("water.md", WATER), desk.write("fire.txt", "Matches light fires."))
        assert (added.accepted, added.skipped, added.failed) == (2, 0, 0)
        assert desk.status() == {"fire.txt": "completed", "water.md": "completed"}
        assert desk.find("boil") == ["Water"]
        assert desk.text("water.md") == WATER
        source = desk.own.first()
        document = source.document(desk.of("water.md")["id"])
        assert document.sha256 == hashlib.sha256(WATER.encode()).hexdigest()
        places = source.locate_passages(document)
        assert "".join(document.text[p["start"] : p["end"]] for p in places) == WATER
        info = source.describe()
        assert (info["kind"], info["documents"], info["title"]) == ("documents", 2, "My documents")
        assert info["passages"] == source.passage_count == 2

    at_desk(tmp_path, scenario)


def test_folders_keep_their_structure_and_zips_are_taken_apart(tmp_path: Path) -> None:
    """Intent: a person finds a document where it was; system files are not documents."""

    async def scenario(desk: Desk) -> None:
        desk.write("notes/a/one.md", "# One\n\nApples.")
        desk.write("notes/.DS_Store", b"\0\0")
        desk.write("notes/more.zip", zip_of({"x/two.txt": b"Pears.", "../../evil.txt": b"Plums."}))
        await desk.add(folder=desk.folder / "desk" / "notes")
        assert desk.status() == {
            "notes/a/one.md": "completed",
            "notes/more.zip/evil.txt": "completed",
            "notes/more.zip/x/two.txt": "completed",
        }

    at_desk(tmp_path, scenario)


def test_unchanged_and_duplicate_files_are_skipped_and_changed_ones_replaced(tmp_path: Path) -> None:
    """Intent: re-import costs nothing for what is the same, and never shows two versions."""

    async def scenario(desk: Desk) -> None:
        path = desk.write("water.md", WATER)
        await desk.add(path)
        first = desk.of("water.md")
        added = await desk.add(path, desk.write("copy.md", WATER))
        assert (added.accepted, added.skipped) == (0, 2)
        reasons = {d["path"]: d["reason"] for d in desk.listed() if d["status"] == "skipped"}
        assert reasons == {
            "water.md": "Unchanged since it was added.",
            "copy.md": "The same file as “water.md”.",
        }
        desk.write("water.md", WATER.replace("one minute", "three minutes"))
        await desk.add(path)
        assert desk.status() == {"water.md": "completed"}
        assert desk.of("water.md")["id"] == first["id"]  # a citation of it still leads here
        assert "three minutes" in desk.text("water.md")
        assert desk.find("minute") == [] and desk.find("minutes") == ["Water"]
        stored = [info.name for info in await desk.files.list(FOLDER)]
        await desk.restart()
        assert len(stored) == 2 and len(await desk.files.list(FOLDER)) == 1

    at_desk(tmp_path, scenario)


def test_a_folder_added_again_loses_what_is_no_longer_in_it(tmp_path: Path) -> None:
    """Intent: deleted files go, and it is said; another folder of that name takes nothing away."""

    async def scenario(desk: Desk) -> None:
        folder = desk.folder / "desk" / "notes"
        for name in ("one", "two", "three"):
            desk.write(f"notes/{name}.txt", f"This is {name}.")
        await desk.add(folder=folder)
        (folder / "two.txt").unlink()
        added = await desk.add(folder=folder)
        assert added.removed == ["notes/two.txt"]
        assert desk.find("two") == []
        for name in ("one", "three"):
            (folder / f"{name}.txt").unlink()
        desk.write("notes/other.txt", "Something else.")
        added = await desk.add(folder=folder)
        assert added.removed == []
        assert {"notes/one.txt", "notes/three.txt", "notes/other.txt"} <= set(desk.status())

    at_desk(tmp_path, scenario)


def test_bad_files_fail_with_a_sentence_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Intent: one bad file never stops the rest, and each says what is wrong with it."""
    bomb = zip_of({"word/document.xml": b"<w>" + b" " * (30 << 20) + b"</w>"})
    entities = zip_of({"word/document.xml": b'<!DOCTYPE w [<!ENTITY a "b">]><w>&a;</w>'})
    deep = zip_of({"content.xml": b"<a>" * 5_000 + b"</a>" * 5_000, "META-INF/manifest.xml": b"<a/>"})
    bad: dict[str, tuple[bytes, str]] = {
        "empty.txt": (b"", "it is empty"),
        "spaces.txt": (b" \n\n ", "there is no text in it"),
        "photo.txt": (b"\x89PNG\r\n\x1a\n" + bytes(100), "it is a picture"),
        "program.md": (b"\x7fELF" + bytes(300), "it is a program"),
        "noise.txt": (bytes(range(1, 32)) * 50, "it is not text"),
        "fake.docx": (b"Just some words.", "it is no DOCX file"),
        "cut.docx": (zip_of({"word/document.xml": b"<w/>"})[:60], "it is damaged"),
        "bomb.docx": (bomb, "it unpacks to far more than its size"),
        "entities.docx": (entities, "its XML declares entities"),
        "deep.odt": (deep, "its XML is nested too deep"),
        "empty.epub": (zip_of({"META-INF/container.xml": b"<a/>"}), "it is no EPUB"),
        "sheet.xlsx": (zip_of({"[Content_Types].xml": b"<a/>", "xl/workbook.xml": b"<a/>"}), "an Office"),
        "old.doc": (b"\xd0\xcf\x11\xe0" + bytes(600), "an old Office file"),
        "nothing.zip": (zip_of({}), "there are no files in it"),
    }  # fmt: skip

    async def scenario(desk: Desk) -> None:
        paths = [desk.write(name, data) for name, (data, _) in bad.items()]
        await desk.add(*paths, desk.write("good.txt", "Good words."))
        documents = {d["path"]: d for d in desk.listed()}
        for name, (_, reason) in bad.items():
            assert documents[name]["status"] == "failed", name
            assert reason in documents[name]["reason"], documents[name]["reason"]
            assert name in documents[name]["reason"]
            assert documents[name]["hint"], name
        assert documents["good.txt"]["status"] == "completed"

    at_desk(tmp_path, scenario)


def test_odd_names_and_wide_tables_and_deep_json_are_taken(tmp_path: Path) -> None:
    """Intent: names and shapes that break naive importers."""
    table = ";".join(f"column{n}" for n in range(500)) + "\n" + ";".join(map(str, range(500))) + "\n"
    names = ["évac‮txt.exe.md", "🙂 notes.txt", "n" * 240 + ".txt", "a\\b.txt"]

    async def scenario(desk: Desk) -> None:
        paths = [desk.write(f"odd{n}/{name}", f"Text of {n}.") for n, name in enumerate(names)]
        deep = "[" * 100_000 + "]" * 100_000
        paths += [desk.write("wide.csv", table), desk.write("deep.json", deep)]
        await desk.add(*paths)
        assert set(desk.status().values()) == {"completed"}
        shown = [d["path"] for d in desk.listed()]
        assert not any("\u202e" in path or "\\" in path for path in shown)
        assert max(map(len, shown)) <= 210
        assert desk.text("wide.csv") == table
        [place] = {
            p["locator"]
            for p in desk.own.passages(desk.own.first().id, desk.of("wide.csv")["id"], 0, 9)["passages"]
        }
        assert place.startswith("column0, column1") and place.endswith("…")

    at_desk(tmp_path, scenario)


def test_pages_scans_and_passwords_of_pdfs(tmp_path: Path) -> None:
    """Intent: pages are cited, pages without text are named, a password is asked once and not kept."""
    pages = ["Alpha words.", "", "", "Beta words.\nmore of beta", "", "Gamma."]

    async def scenario(desk: Desk) -> None:
        pdf = desk.write("book.pdf", "%PDF-fake\n" + "\f".join(pages))
        await desk.add(pdf, desk.write("scan.pdf", "%PDF-fake\n\f\f"))
        scan = desk.of("scan.pdf")
        assert scan["status"] == "failed" and "no text on pages 1–3" in scan["reason"]
        assert desk.of("book.pdf")["status"] == "failed"
        assert desk.of("book.pdf")["code"] == "password_needed"
        collection = desk.own.first().id
        desk.own.retry(collection, desk.of("book.pdf")["number"], "wrong")
        await desk.own.settled()
        assert desk.of("book.pdf")["code"] == "password_needed"
        desk.own.retry(collection, desk.of("book.pdf")["number"], "open")
        await desk.own.settled()
        book = desk.of("book.pdf")
        assert (book["status"], book["pages"], book["notes"]) == (
            "completed", 6, ["No text on pages 2–3, 5 (pictures of text, a scan)."],
        )  # fmt: skip
        [passage] = desk.own.first().passages([0])
        assert (passage.page, passage.last_page) == (1, 6)
        assert b"open" not in (tmp_path / "store" / "library.db").read_bytes().replace(b"opens", b"")

    class Locked(FakePdf):
        async def open(self, data: bytes, name: str, password: str):  # type: ignore[no-untyped-def]
            self.password = "open" if b"Alpha" in data else ""
            return await super().open(data, name, password)

    at_desk(tmp_path, scenario, Locked())


def test_an_import_that_ends_anywhere_goes_on_without_repeating_units(tmp_path: Path) -> None:
    """Intent: 40 random ends: nothing half-visible, nothing lost that was completed, no unit twice."""
    chance = random.Random(8)
    pages = [f"Page {n} tells of topic{n} and wells. " * 300 for n in range(60)]
    expected = [f"doc{n}" for n in range(6)]

    async def scenario(desk: Desk) -> None:
        pdf = FakePdf()
        desk.pdf = pdf
        await desk.restart()
        paths = [desk.write(f"doc{n}.txt", f"doc{n} begins. " + f"Word{n} of it. " * 9_000) for n in range(6)]
        await desk.add(desk.write("book.pdf", "%PDF-fake\n" + "\f".join(pages)), *paths, wait=False)
        completed: set[str] = set()
        ends = 0
        while set(desk.status().values()) != {"completed"}:
            ends += 1
            await _run_for(desk, chance.randrange(1, 12))
            await desk.restart()
            now = {path for path, status in desk.status().items() if status == "completed"}
            assert completed <= now, desk.status()
            completed = now
            seen = {p.document_id for p in _every(desk)}
            visible = {d["id"] for d in desk.listed() if d["status"] == "completed"}
            assert seen <= visible
        assert ends >= 5
        source = desk.own.first()
        for d in desk.listed():
            source.document(d["id"])  # raises when a single character is missing or double
        assert [n for n in expected if desk.find(n)] == expected
        # A page is read again only when its unit was not finished.
        assert len(pdf.asked) <= len(pages) + ends * 13

    at_desk(tmp_path, scenario)


async def _run_for(desk: Desk, steps: int) -> None:
    for _ in range(steps * 3):
        await asyncio.sleep(0)


def _every(desk: Desk) -> list:  # type: ignore[type-arg]
    source = desk.own.first()
    hits = source.search_words(LexicalQuery(terms=("of", "page", "begins")), 5_000)
    return source.passages([hit.row for hit in hits])


def test_pause_resume_cancel_and_delete(tmp_path: Path) -> None:
    """Intent: the person is in charge of the queue; what is deleted is gone from search at once."""

    async def scenario(desk: Desk) -> None:
        collection = desk.own.first().id
        await desk.add(desk.write("water.md", WATER))
        paths = [desk.write(f"doc{n}.txt", f"Number{n} of it. " * 5_000) for n in range(4)]
        await desk.add(*paths, wait=False)
        desk.own.pause()
        await desk.own.settled()
        assert desk.own.info(collection)["paused"]
        assert "pending" in desk.status().values()
        desk.own.resume()
        await asyncio.sleep(0)
        await desk.own.cancel(collection)
        await desk.own.settled()
        assert set(desk.status().values()) == {"completed"}
        number = desk.of("water.md")["number"]
        await desk.own.remove(collection, [number])
        assert desk.find("boil") == []
        await desk.own.settled()
        assert desk.own.database.rows("SELECT count(*) FROM gone") == [(0,)]
        [(left,)] = desk.own.database.rows("SELECT count(*) FROM places WHERE document = ?", (number,))
        assert left == 0
        await desk.own.remove_collection(collection)
        assert desk.own.sources == {} and await desk.files.list(FOLDER) == []

    at_desk(tmp_path, scenario)


def test_rename_move_and_paste(tmp_path: Path) -> None:
    """Intent: documents are found by the title and in the collection that the person gave them."""

    async def scenario(desk: Desk) -> None:
        first = desk.own.first().id
        added = await desk.own.paste(first, "Radio / plan", "Channel 16 is for distress.")
        await desk.own.settled()
        assert added.accepted == 1
        document = desk.of("Radio - plan.md")
        assert desk.own.rename(first, document["number"], "  VHF plan ")["title"] == "VHF plan"
        assert desk.find("vhf") == ["VHF plan"]
        other = desk.own.create("Boat")["id"]
        desk.own.move(first, [document["number"]], other)
        await desk.own.settled()
        assert desk.status(first) == {} and desk.status(other) == {"Radio - plan.md": "completed"}
        [moved] = desk.listed(other)
        assert (moved["id"], moved["title"]) == (document["id"], "VHF plan")
        with pytest.raises(DocumentNotFound):
            desk.own.first().document(document["id"])
        with pytest.raises(InvalidRequest):
            await desk.own.paste(first, "", "  \n ")

    at_desk(tmp_path, scenario)


def test_vectors_join_in_the_background_and_the_mode_is_told_truly(tmp_path: Path) -> None:
    """Intent: searchable by words at once, by meaning as vectors arrive, shorter texts first."""

    async def scenario(desk: Desk) -> None:
        await desk.add(
            desk.write("a.txt", "A long story of many words about the water in a well. " * 20),
            desk.write("b.txt", "Water boils."),
            desk.write("c.txt", "Fire burns."),
        )
        source = desk.own.first()
        assert source.vector_model is None and source.missing_vectors == 3
        embedder = WordEmbedder(E5)
        desk.own.embed(embedder)
        await desk.own.settled()
        assert embedder.texts[-1].startswith("A long story")  # shorter texts come first
        assert source.vectors_complete and source.vector_model is not None
        query = await embedder.embed_query("water")
        found = source.search_vector(query, 2)
        assert sorted(p.title for p in source.passages([hit.row for hit in found])) == ["a", "b"]
        await desk.add(desk.write("d.txt", "Snow melts."))
        assert source.vectors_complete and source.missing_vectors == 0
        await desk.restart()
        source = desk.own.first()
        assert [hit.row for hit in source.search_vector(query, 2)] == [hit.row for hit in found]
        await desk.own.remove(source.id, [desk.of("b.txt")["number"]])
        assert [p.title for p in source.passages([h.row for h in source.search_vector(query, 1)])] == ["a"]

    at_desk(tmp_path, scenario)
