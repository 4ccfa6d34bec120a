"""Which letters of a PDF page are marked (web/reader/pdf-passage.mjs), in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here")


def marked(page: str, passage: str) -> list[str]:
    """The marked letters of a page."""
    asked = json.dumps({"page": page, "passage": passage})
    command = [NODE or "node", str(HERE / "pdf-passage.test.mjs"), asked]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    found: list[str] = json.loads(run.stdout)
    return found


def test_line_ends_and_undone_hyphens_do_not_matter() -> None:
    page = "Page 4 Move to higher ground immedi-\nately  when a flood warn-\ning is given. Footer"
    passage = "Move to higher ground immediately when a flood warning is given."
    assert marked(page, passage) == ["movetohighergroundimmediatelywhenafloodwarningisgiven."]


def test_a_passage_that_ends_on_another_page_is_marked_as_far_as_it_goes() -> None:
    head, tail = "The pump is opened by turning its handle", " to the left until the mark is seen."
    assert marked(f"{head} 17", head + tail) == ["thepumpisopenedbyturningitshandle"]
    assert marked(f"MANUAL{tail}", head + tail) == ["totheleftuntilthemarkisseen."]


def test_running_heads_in_between_and_columns_in_another_order_are_left_out() -> None:
    one, two = "Fill the sandbags half full only.", "Lay them like bricks, folded side down."
    parts = marked(f"{two} FLOOD MANUAL 2026 {one}", f"{one} {two}")
    assert parts == ["laythemlikebricks,foldedsidedown.", "fillthesandbagshalffullonly."]


def test_what_is_not_there_is_not_marked() -> None:
    assert marked("Boil the water for a minute.", "An entirely different sentence stands here.") == []
    assert marked("", "Boil it.") == [] and marked("Boil it.", "") == []
    assert marked("水要煮沸一分钟。\n别的。", "水要煮沸一分钟。") == ["水要煮沸一分钟。"]
