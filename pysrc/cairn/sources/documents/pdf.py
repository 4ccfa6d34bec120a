"""The port of what reads PDFs (pdf.js in a worker of its own), and what a page of it looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cairn.errors import DocumentUnreadable


@dataclass(frozen=True, slots=True)
class PdfItem:
    """A run of text as the page draws it, in points from the page's lower left, as it is looked at."""

    text: str
    x: float
    y: float  # of the base line
    width: float
    height: float  # of the letters
    angle: int  # degrees, 0 for text that runs as usual
    ends_line: bool
    rtl: bool


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page's text layer; ``pictures`` says whether it draws any."""

    number: int  # from 1
    width: float
    height: float
    items: tuple[PdfItem, ...]
    pictures: bool


@dataclass(frozen=True, slots=True)
class PdfOpened:
    """What is known of a PDF once it is open."""

    pages: int
    title: str
    language: str
    outline: tuple[tuple[int, int, str], ...]  # (page, depth from 1, words), in reading order


class PdfReader(Protocol):
    """Reads one PDF at a time."""

    async def open(self, data: bytes, name: str, password: str) -> PdfOpened:
        """Open a file; raises PasswordNeeded, DocumentUnreadable, WorkerCrashed or TimedOut."""

    async def page(self, number: int) -> PdfPage:
        """A page of the open file; raises DocumentUnreadable."""

    async def close(self) -> None:
        """Let go of the file."""


class NoPdfReader:
    """Where there is none."""

    async def open(self, data: bytes, name: str, password: str) -> PdfOpened:
        raise DocumentUnreadable("PDFs cannot be read here.", hint="Open Cairn in a browser.")

    async def page(self, number: int) -> PdfPage:
        raise DocumentUnreadable("PDFs cannot be read here.")

    async def close(self) -> None:
        return
