"""Reasoning, tool calls and text come apart the same way however the stream was cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.answering.reasoning import Separator, wanted

TEXTS = [
    ("<think>Boil? Yes.</think>Boil it.", "Boil it.", "Boil? Yes.", ""),
    ("<THINK>a</THINK>b<think>c</think>d", "bd", "ac", ""),
    ("[THINK]hm[/THINK]Yes.", "Yes.", "hm", ""),
    ("◁think▷hm◁/think▷Yes.", "Yes.", "hm", ""),
    ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
     "Yes.", "hm", ""),
    ("<|begin_of_thought|>hm<|end_of_thought|>Yes.<|im_end|>", "Yes.", "hm", ""),
    ("<think>never closed", "", "never closed", ""),
    ("So: <tool_call>{\"q\": \"boil\"}</tool_call>", "So: ", "", "{\"q\": \"boil\"}</tool_call>"),
    ("a < b and 1 <t 2 [1] [th]", "a < b and 1 <t 2 [1] [th]", "", ""),
    ("ends with <thi", "ends with <thi", "", ""),
    ("</think>Yes.", "Yes.", "", ""),
]  # fmt: skip


def apart(pieces: list[str]) -> tuple[str, str, str]:
    separator = Separator()
    found = {"text": "", "thinking": "", "tool": ""}
    for piece in pieces:
        for kind, text in separator.feed(piece):
            found[kind] += text
    for kind, text in separator.finish():
        found[kind] += text
    return found["text"], found["thinking"], found["tool"]


@pytest.mark.parametrize(("text", "said", "thought", "call"), TEXTS)
def test_kinds(text: str, said: str, thought: str, call: str) -> None:
    assert apart([text]) == (said, thought, call)
    assert apart(list(text)) == (said, thought, call)


@given(st.sampled_from([text for text, *_ in TEXTS]), st.lists(st.integers(0, 90), max_size=8))
def test_the_outcome_does_not_depend_on_the_cuts(text: str, cuts: list[int]) -> None:
    at = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    assert apart([text[a:b] for a, b in pairwise(at)]) == apart([text])


@given(st.text(max_size=200))
def test_text_without_markers_passes(text: str) -> None:
    """Intent: nothing a person could read is lost; broken UTF-8 cannot break the page."""
    shown = apart([text])[0]
    shown.encode()
    if not set("<[◁`") & set(text) and text.isprintable():
        assert shown == text


def test_broken_utf8_is_repaired() -> None:
    assert apart(["Boil \ud83d", " it\x00\ufffd."])[0] == "Boil \ufffd it\ufffd."


@pytest.mark.parametrize(
    ("call", "query"),
    [
        ('{"name": "search", "arguments": {"query": "boil water"}}', "boil water"),
        ("search('boil water')", "boil water"),
        ("search(query='boil water', limit=3)", "boil water"),
        ("{}", ""),
        ("", ""),
    ],
)
def test_what_a_call_wanted(call: str, query: str) -> None:
    assert wanted(call) == query
