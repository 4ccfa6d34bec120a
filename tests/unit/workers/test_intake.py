"""What a person gives, sorted by what takes it in (web/intake.mjs, web/dropped-files.mjs), in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

NODE = shutil.which("node")
SCRIPT = Path(__file__).with_name("intake.test.mjs")

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here")


def sorted_out(**given: Any) -> list[dict[str, Any]]:
    """The parcels that are made of names, or of a dropped tree."""
    command = [NODE or "node", str(SCRIPT), json.dumps(given)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def test_files_go_where_their_kind_is_taken_in() -> None:
    """Intent: nobody says what a file is; parts of one archive go together, packs one by one."""
    names = ["wiki.zimaa", "notes.ZIP", "wiki.ZIMab", "more.zip", "medicine.zim", "all.opds", "library.XML"]
    found = sorted_out(names=names)
    assert [(parcel["method"], parcel["paths"]) for parcel in found] == [
        ("archives.add", ["wiki.zimaa", "wiki.ZIMab"]),
        ("packs.add", ["notes.ZIP"]),
        ("packs.add", ["more.zip"]),
        ("archives.add", ["medicine.zim"]),
        ("archives.catalogue", ["all.opds"]),
        ("archives.catalogue", ["library.XML"]),
    ]


def test_parts_of_the_same_name_in_two_folders_are_two_archives() -> None:
    found = sorted_out(names=["a/wiki.zimaa", "b/wiki.zimaa"])
    assert [parcel["paths"] for parcel in found] == [["a/wiki.zimaa"], ["b/wiki.zimaa"]]


@pytest.mark.parametrize("handles", [True, False], ids=["handles", "entries"])
def test_a_dropped_folder_keeps_its_paths(handles: bool) -> None:
    """Intent: batches are read to their end, in every browser, and Chromium's handles come along."""
    tree = {
        "usb": {"1.zip": "x", "2.zip": "x", "deep": {"3.zip": "x"}, "4.zip": "x", "5.zip": "x"},
        "6.zip": "x",
    }
    found = sorted_out(tree=tree, handles=handles)
    assert [parcel["paths"][0] for parcel in found] == [
        "usb/1.zip", "usb/2.zip", "usb/deep/3.zip", "usb/4.zip", "usb/5.zip", "6.zip",
    ]  # fmt: skip
    assert {parcel["handles"] for parcel in found} == {int(handles)}


def test_everything_else_is_a_document_and_goes_together() -> None:
    """Intent: a folder of notes is one request, so that it is known as a folder."""
    found = sorted_out(names=["notes/a.txt", "notes/b/c.pdf", "water.zim", "d.docx"])
    assert [(parcel["kind"], parcel["method"], parcel["paths"]) for parcel in found] == [
        ("documents", "documents.add", ["notes/a.txt", "notes/b/c.pdf", "d.docx"]),
        ("archives", "archives.add", ["water.zim"]),
    ]
