"""The handed documents, every one: what comes in is what was in the files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from cairn.sources.documents.pdf_layout import page_text
from tests.unit.documents.helpers import Desk, NodePdf, at_desk, corpus

WORD = re.compile(r"\w+")
FORMULAS = "german-geometry-textbook.pdf"
SAMPLED = 200
ORDERED = {
    "readygov-caregivers.pdf": 0.97,
    "awkward-two-column.pdf": 0.95,
    "fema-is100c-student-manual.pdf": 0.95,
    "two-column-tico19-paper.pdf": 0.9,
}
"""Shares of the neighbouring words of pdftotext that must be neighbours here."""


def words_of(text: str) -> Counter[str]:
    return Counter(word.lower() for word in WORD.findall(text))


def prose(words: Counter[str]) -> Counter[str]:
    """The words that are not pieces of a formula."""
    return Counter({word: n for word, n in words.items() if len(word) > 3 and word.isalpha()})


def pdftotext(path: Path, *options: str) -> str:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    done = subprocess.run(["pdftotext", *options, str(path), "-"], capture_output=True, text=True, check=True)
    return done.stdout


def test_every_text_file_comes_back_character_for_character(tmp_path: Path) -> None:
    """Intent: hash of the passages joined = hash of the file's characters, for all 175 text files."""
    folder = corpus()
    listed = [d for d in json.loads((folder / "manifest.json").read_text()) if d["format"] != "pdf"]
    assert len(listed) >= 175

    async def scenario(desk: Desk) -> None:
        desk.picked.pick("key", [folder / d["path"] for d in listed], folder)
        added = await desk.own.add(desk.own.first().id, "key", lambda done, total, path: None)
        await desk.own.settled()
        assert added.failed == 0
        done = {d["path"]: d for d in desk.listed()}
        for d in listed:
            path = f"corpus/{d['path']}"
            if done[path]["status"] == "skipped":
                assert done[path]["reason"].startswith("The same file as")
                continue
            assert done[path]["status"] == "completed", done[path]
            document = desk.own.first().document(done[path]["id"])
            characters = (folder / d["path"]).read_bytes().decode("utf-8")
            assert document.sha256 == hashlib.sha256(characters.encode()).hexdigest(), path

    at_desk(tmp_path, scenario, seconds=600)


def test_pdfs_have_the_words_of_pdftotext_and_the_right_pages(tmp_path: Path) -> None:
    """Intent: 98 of 100 words of every text layer, in order, each passage on the page it says."""
    folder = corpus("pdf")
    chance = random.Random(8)

    async def scenario(desk: Desk) -> None:
        paths = sorted(folder.glob("*.pdf"))
        await desk.add(*paths)
        documents = {d["path"]: d for d in desk.listed()}
        assert documents["awkward-password.pdf"]["code"] == "password_needed"
        for name in ("awkward-fax-scan.pdf", "awkward-scanned-earthquake.pdf"):
            assert documents[name]["status"] == "failed" and "is a scan" in documents[name]["reason"]
        read = [path for path in paths if documents[path.name]["status"] == "completed"]
        assert len(read) == len(paths) - 3
        found = total = 0
        source = desk.own.first()
        for path in read:
            expected, own = pdftotext(path), desk.text(path.name)
            wanted, got = words_of(expected), words_of(own)
            shared = sum((wanted & got).values())
            # Formulas come in pieces that pdftotext joins otherwise: of that book, the words count.
            if path.name == FORMULAS:
                letters = prose(wanted)
                assert sum((letters & got).values()) >= 0.98 * letters.total()
            else:
                assert shared >= 0.98 * wanted.total(), (path.name, shared, wanted.total())
            found, total = found + shared, total + wanted.total()
        assert found >= 0.98 * total
        right = 0
        rows = desk.own.database.rows("SELECT row - 1 FROM places WHERE first_page > 0")
        sample = chance.sample(source.passages([row for (row,) in rows]), SAMPLED)
        names = {d["id"]: path for path, d in documents.items()}
        for passage in sample:
            pages = ("-f", str(passage.page), "-l", str(passage.last_page))
            there = words_of(pdftotext(folder / names[passage.document_id], *pages))
            wanted = words_of(passage.text)
            if names[passage.document_id] == FORMULAS:
                wanted = prose(wanted)
            right += sum((wanted & there).values()) >= 0.9 * wanted.total()
        assert right >= 0.99 * SAMPLED, right

    at_desk(tmp_path, scenario, NodePdf(), seconds=900)


def test_single_columns_are_read_in_order_and_two_columns_one_after_the_other() -> None:
    """Intent: neighbours in the file are neighbours in the text."""
    folder = corpus("pdf")
    for name, least in ORDERED.items():
        own = WORD.findall(text_of(folder / name).lower())
        wanted = WORD.findall(pdftotext(folder / name).lower())
        pairs, expected = (Counter(pairwise(one)) for one in (own, wanted))
        assert sum((pairs & expected).values()) >= least * expected.total(), name


def text_of(path: Path) -> str:
    async def read() -> str:
        pdf = NodePdf()
        opened = await pdf.open(path.read_bytes(), path.name, "")
        return "\n\n".join([page_text(await pdf.page(n)) for n in range(1, opened.pages + 1)])

    return asyncio.run(read())
