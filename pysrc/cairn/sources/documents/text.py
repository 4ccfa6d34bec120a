"""What a reader gets out of a file, and what the library keeps of it, one unit at a time.

A document's text is the texts of its units joined, and its passages' texts joined are that same
text: nothing is lost and nothing stands twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["txt", "md", "html", "csv", "json", "docx", "odt", "epub", "pdf"]

UNIT_CHARACTERS = 48_000
"""Text that is indexed and committed at once: about 30 passages, a fraction of a second in a browser."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a file that is read as a whole; Markdown where it has headings, lists or tables."""

    text: str
    title: str = ""  # as the file itself names it, "" when it does not
    language: str = ""  # as the file declares it, any code
    notes: tuple[str, ...] = ()  # what the person should know, a sentence each


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a document's text with the pages that it begins.

    ``pages`` are (offset in this text, page number) of every page that starts here, ascending;
    the first one is at offset 0 where the document has pages at all.
    """

    text: str
    pages: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage to be: a stretch of its unit's text."""

    text: str
    start: int  # code points from the start of the document
    locator: str  # the headings above it, the outermost first
    tokens: int
    first_page: int  # of its first character, 0 where there are no pages
    last_page: int  # of its last character that is no space


@dataclass(slots=True)
class Headings:
    """The Markdown headings that are open where the next unit starts: (level, words)."""

    open: list[tuple[int, str]] = field(default_factory=list)

    def copy(self) -> Headings:
        """The same headings, to go on from."""
        return Headings(list(self.open))

    def enter(self, level: int, words: str) -> None:
        """Begin a section; what is as deep or deeper ends."""
        while self.open and self.open[-1][0] >= level:
            self.open.pop()
        self.open.append((level, words))

    def path(self) -> str:
        """The open headings, the outermost first."""
        return PATH.join(words for _, words in self.open)


PATH = " › "
"""Between the headings of a path."""
