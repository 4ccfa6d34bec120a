"""Sentences of a text that is still being written, whatever the size of its pieces.

:class:`SentenceStream` passes characters through as soon as nothing that follows can change what
they are, and says where a sentence closed. It holds back only white space, the punctuation that may
end a sentence, and an open ``[`` that may become a citation; so a reader sees every word at once.
What comes out depends on the text alone, never on how it was cut into pieces.

Markdown is passed through: table rows and code blocks hold no sentences, a line break ends one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cairn.answering.citations import MARKER, MARKER_MAX_CHARS, marker_numbers

_ALWAYS = "。！？｡؟۔।॥።"  # end a sentence whatever follows
_MAYBE = ".!?…"
_ENDS = _MAYBE + _ALWAYS
_CLOSERS = "\"'”’»›)）」』】》*_`"
_SPACE = " \t\u00a0\u3000"
_PLAIN = re.compile(rf"[^\s\[{re.escape(_ENDS)}]+")
_RUN = re.compile(rf"[{re.escape(_ENDS)}][{re.escape(_ENDS + _CLOSERS)}]*")
_BLANKS = re.compile(rf"[{_SPACE}]+")
_ANY_BLANKS = re.compile(r"\s*")
_LIST_NUMBER = re.compile(r"\s*(?:[-*+>]\s+)?[*_]{0,2}(?:\d{1,3}|[a-zA-Z])")
_INITIAL = re.compile(r"(?:^|(?<![\d°])[\s(.])[A-ZÀ-ÞА-Я]\Z")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|vs|e\.g|i\.e|eg|ie|cf|approx|fig|figs|no|nos|vol|p|pp|ca"
    r"|z\.b|d\.h|bzw|nr|evtl|usw|sr|sra|srta|dra|p\.ej|ej|pág|núm|aprox|art|env|par ex|av|т\.е|т\.д|рис)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Closed:
    """A sentence ended here: its text without citation markers, and the numbers it had claimed."""

    text: str
    claimed: tuple[int, ...]


class SentenceStream:
    """Cut a stream of text into released characters and closed sentences."""

    def __init__(self) -> None:
        self._buffer = ""
        self._line = ""  # current line up to the buffer, markers removed
        self._sentence = ""  # since the last close
        self._claimed: list[int] = []
        self._code = False  # inside a ``` block

    def feed(self, delta: str) -> Iterator[str | Closed]:
        """Take new characters; yield text to show and the sentences that closed, in order."""
        self._buffer += delta
        yield from self._drain(final=False)

    def finish(self) -> Iterator[str | Closed]:
        """The stream has ended: yield what was held back and close the last sentence."""
        yield from self._drain(final=True)
        yield from self._close()

    def _drain(self, *, final: bool) -> Iterator[str | Closed]:
        while self._buffer:
            step = self._step(final)
            if step is None:
                return
            yield from step

    def _step(self, final: bool) -> Iterator[str | Closed] | None:
        """Consume something from the front of the buffer, or None when more text is needed."""
        char = self._buffer[0]
        if char == "[":
            return self._bracket(final)
        if char in _ENDS:
            return self._end(final)
        if char in "\r\n":
            return self._line_break()
        if char.isspace():
            return self._blanks(final)
        match = _PLAIN.match(self._buffer)
        return self._release(match.end() if match else 1)

    def _release(self, count: int) -> Iterator[str]:
        text, self._buffer = self._buffer[:count], self._buffer[count:]
        self._line += text
        self._sentence += text
        yield text

    def _close(self) -> Iterator[Closed]:
        text, claimed = self._sentence.strip(), tuple(self._claimed)
        self._sentence, self._claimed = "", []
        if text and not self._code and not self._line.lstrip().startswith(("|", "```", "~~~")):
            yield Closed(text, claimed)

    def _line_break(self) -> Iterator[str | Closed]:
        yield from self._close()
        if self._line.lstrip().startswith(("```", "~~~")):
            self._code = not self._code
        yield from self._release(1)
        self._line = self._sentence = ""

    def _marker(self, start: int, final: bool) -> tuple[int, str] | None:
        """End and text of the marker at ``start`` ("" when it is none); None: more text is needed."""
        window = self._buffer[start : start + MARKER_MAX_CHARS]
        close = re.search(r"[\]\n]|(?!^)\[", window)
        if close is None:
            return (start, "") if final or len(window) == MARKER_MAX_CHARS else None
        text = window[: close.end()]
        return (start + len(text), text) if MARKER.fullmatch(text) else (start, "")

    def _bracket(self, final: bool) -> Iterator[str] | None:
        found = self._marker(0, final)
        if found is None:
            return None
        end, text = found
        if not text:
            return self._release(1)
        self._buffer = self._buffer[end:]
        self._claimed += marker_numbers(text)
        return iter(())

    def _blanks(self, final: bool) -> Iterator[str | Closed] | None:
        match = _BLANKS.match(self._buffer)
        end = match.end() if match else 1
        if end == len(self._buffer):
            return self._release(end) if final else None
        after = self._buffer[end]
        if after == "[":
            found = self._marker(end, final)
            if found is None:
                return None
            stop, text = found
            if text:
                return self._drop_marker(end, stop, text, final)
        if after in "\r\n":
            return self._close_then_release(0, end)
        return self._release(end)

    def _drop_marker(self, end: int, stop: int, text: str, final: bool) -> Iterator[str] | None:
        """Remove a marker after blanks, and the blanks too where another blank or a stop follows."""
        if stop == len(self._buffer) and not final:
            return None
        rest = self._buffer[stop:]
        glued = rest[:1].isspace() or rest[:1] in tuple(_ENDS + ",;:")
        self._buffer = rest if glued or not rest else self._buffer[:end] + rest
        self._claimed += marker_numbers(text)
        return iter(())

    def _end(self, final: bool) -> Iterator[str | Closed] | None:
        """Punctuation that may end the sentence: decide by what follows it."""
        match = _RUN.match(self._buffer)
        end = match.end() if match else 1
        stop, claimed = end, list[int]()
        while True:  # markers that stand behind the stop belong to the sentence before it
            blank = _ANY_BLANKS.match(self._buffer, stop)
            after = blank.end() if blank else stop
            broken = "\n" in self._buffer[stop:after]
            if after == len(self._buffer) and not final and not broken:
                return None
            if broken or self._buffer[after : after + 1] != "[":
                break
            found = self._marker(after, final)
            if found is None:
                return None
            if not found[1]:
                break
            stop = found[0]
            claimed += marker_numbers(found[1])
        run, following = self._buffer[:end], "" if broken else self._buffer[after : after + 1]
        if not self._ends(run, following, spaced=after > end):
            return self._release(end)
        self._claimed += claimed
        self._buffer = run + self._buffer[stop:]
        return self._close_then_release(end, 0)

    def _close_then_release(self, before: int, after: int) -> Iterator[str | Closed]:
        """Release ``before`` characters, close the sentence, release ``after`` more."""
        if before:
            yield from self._release(before)
        yield from self._close()
        if after:
            yield from self._release(after)

    def _ends(self, run: str, following: str, spaced: bool) -> bool:
        """Whether this punctuation ends the sentence; ``following`` is "" at the end of the line."""
        if any(char in _ALWAYS for char in run) or not following:
            return True
        if not spaced or following.islower():
            return False
        if run.rstrip(_CLOSERS) != ".":
            return True
        return not (
            _LIST_NUMBER.fullmatch(self._line)
            or _ABBREVIATION.search(self._sentence)
            or _INITIAL.search(self._sentence)
        )
