"""Passages lose nothing, respect their sizes and cut where a reader would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.passages import tokens
from cairn.passages.blocks import blocks
from cairn.passages.chunker import DEFAULT_SIZES, Sizes, chunk
from cairn.passages.ids import document_of, passage_id, passage_sha256
from cairn.passages.tokens import estimate_tokens, measure

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "data" / "corpus"


def texts(text: str, title: str = "Title", **options: object) -> list[str]:
    """The passages of a text; fails when a character is lost or doubled."""
    spans = chunk(text, title, **options)  # type: ignore[arg-type]
    assert "".join(text[span.start : span.end] for span in spans) == text
    return [text[span.start : span.end] for span in spans]


def sentence(words: int, start: str = "Water") -> str:
    return " ".join([start] + ["boils"] * (words - 1)) + "."


def test_short_documents_are_one_passage() -> None:
    """Intent: nothing is cut that fits; the title is the locator."""
    (span,) = chunk("# Boiling water\n\nBoil it for one minute.\n", "Boiling")
    assert span.locator == "Boiling water"
    (span,) = chunk("Boil it for one minute.\n", "Boiling")
    assert span.locator == "Boiling"


@given(
    st.text(st.sampled_from("aZé09٣ .,,!!––’“—\u0301\u00a0\u2003\n\x01\x19\x1c\x85जлب水あ…²Ⅻ_"))
    | st.text()
    | st.text(st.characters(max_codepoint=0x2100))
)
def test_the_quick_measure_is_the_measure(text: str) -> None:
    """Intent: passages and their ids depend on it, so the shortcut for Latin text changes nothing."""
    assert measure(text) == tokens._measure_any(text)


def test_empty_and_blank_texts() -> None:
    """Intent: no passage for nothing; blank characters still belong to one."""
    assert chunk("", "t") == []
    assert texts(" \n\n\t\n") == [" \n\n\t\n"]
    assert chunk("\n \n", "t")[0].token_estimate == 0


def test_a_new_heading_closes_a_passage_above_the_minimum() -> None:
    """Intent: FORMATS 1.5, sections part from 180 tokens on and merge below."""
    long = "\n\n".join(sentence(60) for _ in range(4))
    short = sentence(20)
    text = f"# A\n\n{long}\n\n# B\n\n{short}\n\n# C\n\n{short}\n"
    found = texts(text)
    assert len(found) == 2
    assert found[1].startswith("# B") and "# C" in found[1]
    assert [span.locator for span in chunk(text, "t")] == ["A", "B"]


def test_paragraphs_join_up_to_the_target() -> None:
    """Intent: FORMATS 1.5, passages fill up to 420 tokens and do not pass it by joining."""
    text = "\n\n".join(sentence(90) for _ in range(40))
    spans = chunk(text, "t")
    assert all(200 < span.token_estimate <= 425 for span in spans[:-1])


def test_a_heading_never_ends_a_passage() -> None:
    """Intent: a heading without its text tells a reader, and an embedder, nothing."""
    for filler in range(150, 480, 10):
        text = f"{sentence(filler)}\n\n## Next part\n\n{sentence(300)}\n\nYou need:\n\n" + (
            "- a pot with a lid and a stove that works\n" * 30
        )
        for found in texts(text)[:-1]:
            last = [line for line in found.splitlines() if line.strip()][-1]
            assert not last.startswith("#") and not last.endswith(":"), (filler, last)


def test_many_headings_without_text_still_end() -> None:
    """Intent: a table of contents cannot grow one endless passage."""
    text = "\n".join(f"## Chapter {n} of the manual about water" for n in range(400))
    assert max(span.token_estimate for span in chunk(text, "t")) <= DEFAULT_SIZES.most


def test_list_items_and_table_rows_stay_whole() -> None:
    """Intent: a long list or table is cut between items, never inside one."""
    items = "".join(f"{n}. Take {n} litres of water.\n   Then wait {n} hours.\n" for n in range(150))
    rows = "| a | b |\n|---|---|\n" + "".join(f"| {n} litres. Or so. | {n} hours |\n" for n in range(150))
    for found in texts(items):
        assert found.lstrip()[0].isdigit() and found.rstrip().endswith("hours.")
    for found in texts(rows):
        assert found.startswith("|") and found.rstrip().endswith("|")


def test_fenced_code_is_one_block() -> None:
    """Intent: blank lines and # inside code neither part it nor make headings."""
    text = "Text.\n\n```\n# not a heading\n\nx = 1\n```\n\nMore.\n"
    found = blocks(text)
    assert len(found) == 3
    assert not any(block.heading for block in found)


def test_long_paragraphs_are_cut_at_sentence_ends() -> None:
    """Intent: above 700 tokens a paragraph is cut, at 。 as well as at a full stop."""
    for mark, unit in ((" ", sentence(25)), ("", "水要煮沸一分钟才可以安全饮用。"), (" ", "पानी उबालें।")):
        text = mark.join([unit] * 260)
        found = texts(text)
        assert len(found) > 2
        assert all(part.rstrip().endswith((".", "。", "।")) for part in found)


def test_hard_cut_without_any_sentence_end() -> None:
    """Intent: one endless line is cut below the maximum, at spaces, never inside a cluster."""
    for text in ("word " * 4000, "x" * 20_000, "e\u0301" * 6000, "水" * 5000):
        for span in chunk(text, "t"):
            assert span.token_estimate <= DEFAULT_SIZES.most
            assert span.end - span.start <= 2800
            assert text[span.start] != "\u0301"
    assert all(part.startswith("word") for part in texts("word " * 4000))


def test_a_million_characters_stay_linear() -> None:
    """Intent: a 1,000,000-character line must not stall an import."""
    for text in ("." * 1_000_000, "#" * 200_000 + "x", "\n" * 300_000, "a" * 500_000):
        texts(text)


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# Water #", "Water"),
        ("###### Six", "Six"),
        ("## **WATER** _and_ [fire](x.html) `a_b`", "WATER and fire a_b"),
        ("Chapter 4 Finding water", "Chapter 4 Finding water"),
        ("Capítulo 3: El agua", "Capítulo 3: El agua"),
        ("第三章 水", "第三章 水"),
        ("1.2.3 Boiling", "1.2.3 Boiling"),
        ("4 Boiling", "4 Boiling"),
        ("FINDING WATER", "FINDING WATER"),
        ("**FINDING WATER**", "FINDING WATER"),
        ("ПОИСК ВОДЫ", "ПОИСК ВОДЫ"),
        ("Title\n=====", "Title"),
        ("#hashtag", ""),
        ("STOP!", ""),
        ("AB", ""),
        ("1. Boil the water.", ""),
        ("Part of it is water", ""),
        ("Just a line", ""),
        ("X" * 200, ""),
    ],
)
def test_headings(line: str, heading: str) -> None:
    """Intent: FORMATS 1.5, what is a heading and what only looks like one."""
    assert blocks(f"{line}\n\nText.\n")[0].heading == heading


def test_numbered_lists_with_blank_lines_are_no_headings() -> None:
    """Intent: steps written as paragraphs stay steps."""
    found = blocks("1. Find water\n\n2. Boil water\n\n3. Drink water\n")
    assert [block.heading for block in found] == ["", "", ""]


def test_sizes_can_be_chosen() -> None:
    """Intent: a collection may use other sizes than packs do."""
    text = "\n\n".join(sentence(30) for _ in range(20))
    small = chunk(text, "t", sizes=Sizes(20, 60, 100))
    assert max(span.token_estimate for span in small) <= 60


def test_ids_depend_on_place_and_text() -> None:
    """Intent: FORMATS 1.5, ids are stable and a repeated paragraph has its own."""
    sha = passage_sha256("text")
    assert sha == "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
    first = passage_id("boiling-water", "Head", sha, 0)
    assert first == passage_id("boiling-water", "Head", sha, 0)
    assert len({first, passage_id("boiling-water", "Head", sha, 1), passage_id("b", "Head", sha, 0)}) == 3
    assert document_of(first) == "boiling-water"
    assert len(first.rpartition(":")[2]) == 20


def test_token_estimate_adds_up() -> None:
    """Intent: the chunker may add parts instead of measuring again."""
    assert measure("") == 0
    assert estimate_tokens(" \n") == 0
    assert estimate_tokens("a") == 1
    assert measure("boil water") == pytest.approx(measure("boil ") + measure("water"))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/data/corpus is not here")
def test_real_documents_are_lossless() -> None:
    """Intent: the rules hold on real manuals in many languages."""
    manifest = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))
    seen: set[str] = set()
    for entry in manifest:
        if entry["format"] == "pdf" or entry["chars"] > 60_000 or entry["lang"] in seen:
            continue
        seen.add(entry["lang"])
        text = (CORPUS / entry["path"]).read_text(encoding="utf-8")
        texts(text, entry["title"])
        assert max(span.token_estimate for span in chunk(text, entry["title"])) <= 705
    assert len(seen) > 10
