"""Where sentences end, in every script, without a model.

Two layers. A *line* layer decides which line breaks separate (blank lines, list items, headings,
table rows) and which only wrap. Within such a stretch, ends are marks: 。！？ ۔ ؟ । ። and their
like always end a sentence, ``. ! ? …`` only before a space and not after an abbreviation, an
initial, a list number or a German ordinal, and not before a lower-case word. Thai has no mark, so
long stretches of it are cut at spaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from cairn.passages.languages import iso639_3

_CLOSERS = r"[\"'”’»›)\]）」』】》〉]*+(?:\[\d{1,3}\])*+"
_HARD = r"。！？｡．۔؟।॥။።፧፨។៕᠃᠉‼⁇⁈⁉‽։།"
# Possessive and only from the first mark of a row: a line of a million dots stays linear.
_END = re.compile(rf"[{_HARD}]++[!?.…{_HARD}]*+{_CLOSERS}|(?<![.!?…])[.!?…]++{_CLOSERS}(?=\s|$)")
# A line that starts something of its own: list item, heading, table row, quotation.
_OWN_LINE = re.compile(r"[ \t]*(?:[-*+•‣▪–·][ \t]|\(?\d{1,3}[.)][ \t]|\(?[a-z][.)][ \t]|#{1,6}[ \t]|\|)")
_ALONE = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\|)")  # … and ends with its line
_ROW = re.compile(r"[ \t]*\|")  # of a table; a full stop in a cell ends nothing
_LONGEST_ABBREVIATION = 40
_LONGEST_MARKER = 12
_MARKER = re.compile(r"[ \t>]*(?:[-*+•‣▪–·][ \t]+|#{1,6}[ \t]+)*")
_TABLE_RULE = re.compile(r"[ \t|:+=_*-]*$")
_LINE = re.compile(r"[^\n]*\n?")
_BEFORE_STOP = re.compile(r"[^\s(\[“\"«„]*$")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_THAI_SPACE = re.compile(r"(?<=[\u0e00-\u0eff])[ \u00a0]+(?=[\u0e00-\u0eff\d])")
# fmt: off
_ORDINAL_LANGUAGES = frozenset({
    "deu", "dan", "nor", "nob", "nno", "fin", "tur", "hun", "pol", "ces", "slk", "slv", "hrv",
    "srp", "est", "lav", "isl",
})
# fmt: on
_THAI_LONG, _THAI_LEAST = 120, 40  # characters: cut stretches longer than this, into no less


@cache
def _abbreviations(language: str) -> dict[str, frozenset[str]]:
    folder = resources.files("cairn.passages").joinpath("data", "abbreviations.json")
    table = json.loads(folder.read_text(encoding="utf-8"))
    del table["about"]
    chosen = [table[language]] if language in table else list(table.values())
    kinds = ("never", "number", "inner")
    return {kind: frozenset(word for entry in chosen for word in entry[kind]) for kind in kinds}


def stretches(text: str) -> list[tuple[int, int]]:
    """Cut a text at the line breaks that separate; consecutive, together the whole text."""
    starts = [0]
    previous_alone = previous_blank = False
    for match in _LINE.finditer(text):
        start, end = match.span()
        if start == end:
            break
        blank = not match.group().strip()
        own = _OWN_LINE.match(text, start) is not None
        if start and not blank and (own or previous_alone or previous_blank):
            starts.append(start)
        previous_alone = _ALONE.match(text, start) is not None or is_shouted(match.group())
        previous_blank = blank
    return [(a, b) for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if a < b]


def is_shouted(line: str) -> bool:
    """Whether a line is an ALL-CAPS heading: 3 letters or more, at most 160 characters, no stop."""
    line = line.strip()
    return (
        line.isupper() and len(line) <= 160 and line[-1] not in ".,;:!?…" and sum(map(str.isalpha, line)) >= 3
    )


def pieces(text: str, language: str = "") -> list[tuple[int, int]]:
    """Cut a text at sentence ends; consecutive spans that together are the whole text.

    Spaces belong to the piece before them, list markers to the piece after them.
    """
    language = iso639_3(language)
    found: list[tuple[int, int]] = []
    for start, end in stretches(text):
        begin = start
        ends = () if _ROW.match(text, start) else _ends(text, start, end, language)
        for cut in ends:
            found.append((begin, cut))
            begin = cut
        if begin < end:
            found.append((begin, end))
    return found


def sentences(text: str, language: str = "") -> list[tuple[int, int]]:
    """Sentences as ``(start, end)`` offsets in code points, in order, without surrounding spaces.

    A list item, a heading and a table row are sentences of their own, without their ``-`` or ``#``
    (a number such as ``1.`` stays); the rule of a table and stretches without any letter or digit
    are none. ``language`` (ISO 639-1 or -3) chooses the abbreviations; "" uses all of them.
    """
    found: list[tuple[int, int]] = []
    for start, end in pieces(text, language):
        marker = _MARKER.match(text, start, end)
        if marker:
            start = marker.end()
        body = text[start:end]
        stripped = body.strip()
        if _TABLE_RULE.match(stripped) or not _LETTER_OR_DIGIT.search(stripped):
            continue
        start += len(body) - len(body.lstrip())
        found.append((start, start + len(stripped)))
    return found


def _ends(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Ends of sentences inside one stretch, each after the spaces that follow."""
    begin = start
    for match in _END.finditer(text, start, end):
        after = match.end()
        while after < end and text[after].isspace():
            after += 1
        if after >= end:
            break
        if _is_end(text, begin, match, after, language):
            yield from _thai_cuts(text, begin, after)
            yield after
            begin = after
    yield from _thai_cuts(text, begin, end)


def _is_end(text: str, begin: int, match: re.Match[str], after: int, language: str) -> bool:
    mark = match.group()
    if mark[0] in _HARD:
        # A full-width stop between digits is a decimal point.
        decimal = mark == "．" and text[begin : match.start()][-1:].isdigit()
        return not (decimal and text[after].isdigit())
    if text[after].islower():
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    stop = match.start()
    word = _BEFORE_STOP.search(text, max(begin, stop - _LONGEST_ABBREVIATION), stop)
    before = word.group() if word else ""
    if not before:
        return True
    if stop - begin <= _LONGEST_MARKER and (before.isdigit() or len(before) == 1):
        marker = _MARKER.sub("", text[begin:stop]).strip(" (")
        if marker == before:
            return False  # "1. Boil", "a. Boil": the number of a list item
    return _full_stop_ends(before, text[after], language)


def _full_stop_ends(before: str, following: str, language: str) -> bool:
    """Whether the full stop after this word, and before this character, ends the sentence."""
    if before.isdigit():
        return not (len(before) <= 2 and language in _ORDINAL_LANGUAGES)
    if len(before) == 1 and before.isupper():
        return False  # an initial
    known = _abbreviations(language)
    word = before.lower().strip("'’")
    if word in known["never"]:
        return False
    if word in known["number"] and following.isdigit():
        return False
    return not (word in known["inner"] and not following.isupper())


def _thai_cuts(text: str, start: int, end: int) -> Iterator[int]:
    if end - start <= _THAI_LONG:
        return
    begin = start
    for space in _THAI_SPACE.finditer(text, start, end):
        if space.end() - begin >= _THAI_LEAST and end - space.end() >= _THAI_LEAST:
            yield space.end()
            begin = space.end()
