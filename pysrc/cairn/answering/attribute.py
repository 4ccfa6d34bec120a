"""Say, sentence by sentence and while it is being written, which passage a text rests on.

The default model seldom cites and must not be trusted when it does. :class:`Attributor` takes the
model's text in any pieces, removes everything that looks like a citation, and writes " [n]" behind
each closed sentence that a passage supports. Text passes through at once; the outcome does not
depend on how it was cut (tested).

A text that goes wrong is cut off where that shows: when it repeats itself (:attr:`Attributor.looping`)
or makes several statements in a row that no passage supports (:attr:`Attributor.drifting`).

Headings, lines that end with a colon, table rows and code are shown but not judged: they state
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cairn.answering.loops import LoopDetector
from cairn.answering.stream import Closed, SentenceStream
from cairn.answering.support import Supporter
from cairn.passages.types import Passage
from cairn.protocol import SentenceInfo

_NO_STATEMENT = re.compile(r"^\s*(?:#{1,6}\s.*|.*[:：]\**\s*|\*\*[^*]*\*\*\s*)$", re.DOTALL)
_MARKUP = re.compile(r"^\s*(?:[-*+>•]\s+|\d{1,3}[.)]\s+)+|\*\*|__|`")


DRIFT = 3
"""Unsupported statements in a row after which the model has left the evidence."""


class Attributor:
    """Streams a model's text with citations of ours put in."""

    def __init__(self, passages: Sequence[tuple[int, Passage]]) -> None:
        """``passages``: the evidence, with citation numbers."""
        self._stream = SentenceStream()
        self._supporter = Supporter(passages)
        self._loops = LoopDetector()
        self._shown: list[str] = []
        self.sentences: list[SentenceInfo] = []
        self._unsupported = 0
        self.looping = False
        self.drifting = False

    @property
    def ended(self) -> bool:
        """Whether the model is to be stopped: nothing more is shown."""
        return self.looping or self.drifting

    @property
    def text(self) -> str:
        """All that was shown so far."""
        return "".join(self._shown)

    @property
    def cited(self) -> set[int]:
        """The citation numbers in use."""
        return {sentence["n"] for sentence in self.sentences} - {0}

    def take_over(self, before: Attributor) -> None:
        """Go on behind the finished text of another one."""
        before.finish()
        self._shown = [before.text, "\n\n"] if before.text.strip() else []
        self.sentences = list(before.sentences)

    def feed(self, delta: str) -> str:
        """Take new characters of the model; return the characters to show now (may be "").

        Once :attr:`ended` is true the model is to be stopped.
        """
        return self._show(self._stream.feed(delta))

    def finish(self) -> str:
        """The model is done or was stopped: close the last sentence, return what is left to show."""
        return self._show(self._stream.finish())

    def _show(self, parts: Iterable[str | Closed]) -> str:
        shown: list[str] = []
        for part in parts:
            if self.ended:
                break
            shown.append(self._attribute(part) if isinstance(part, Closed) else self._pass(part))
        self._shown += shown
        return "".join(shown)

    def _pass(self, text: str) -> str:
        """Model text on its way out, up to the word that completes a loop."""
        end = self._loops.feed(text)
        self.looping = end is not None
        return text[:end]

    def _attribute(self, sentence: Closed) -> str:
        """Judge a closed sentence; the characters to put behind it."""
        text = _MARKUP.sub("", sentence.text).strip()
        if _NO_STATEMENT.match(sentence.text) or not text:
            return ""
        self.looping = self._loops.sentence(text)
        support = self._supporter.best(text, sentence.claimed)
        if support is None:
            return ""
        self._unsupported = 0 if support.n else self._unsupported + 1
        self.drifting = self._unsupported >= DRIFT
        self.sentences.append(
            SentenceInfo(text=text, n=support.n, support=support.share, confirmed=support.confirmed)
        )
        return f" [{support.n}]" if support.n else ""
