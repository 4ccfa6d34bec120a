"""Tokens as other readers of the same sources give them: ``[WB-E-…]``, ``[WB-W-…]`` (FORMATS.md 1.5).

Passages of the published Emergency Box and of Wikipedia archives carry them, so that an answer
copied elsewhere still points to the same place: FNV-1a (32 bits, Fowler, Noll and Vo) over ``kind NUL
source NUL document NUL passage`` in base 36, seven upper-case characters. The source of an Emergency
Box is its version. The description does not spell the kinds; ``emergency-box`` and ``wikipedia`` are
taken. Thirty-two bits do collide, so the second passage of an answer whose token is already given
keeps ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from cairn.passages.types import Passage
from cairn.protocol import SourceInfo
from cairn.sources.types import Source

_EMERGENCY_BOX = re.compile(r"emergency[-_ ]?box", re.IGNORECASE)
_WIKIPEDIA = re.compile(r"wikipedia", re.IGNORECASE)
_KINDS = {"E": "emergency-box", "W": "wikipedia"}
_BASE36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = 7


class Shared(NamedTuple):
    """How a source is named in shared tokens."""

    letter: str  # "E" or "W"
    identity: str


@runtime_checkable
class Described(Protocol):
    """A source that tells its facts."""

    def describe(self) -> SourceInfo:
        """As the page lists it."""


def shared_names(sources: Iterable[Source]) -> dict[str, Shared]:
    """By source id, those whose passages have shared tokens."""
    named = {}
    for source in sources:
        if not isinstance(source, Described):
            continue
        info = source.describe()
        if source.kind == "pack" and _EMERGENCY_BOX.search(source.id):
            named[source.id] = Shared("E", info["version"])
        elif source.kind == "archive":
            about = info.get("archive")
            if _WIKIPEDIA.search(f"{source.title} {about['publisher'] if about else ''}"):
                named[source.id] = Shared("W", source.id)
    return named


def shared_token(name: Shared, document: str, passage: str) -> str:
    """The token of a passage.

    >>> shared_token(Shared("E", "2026.1"), "water", "water:0123456789abcdef0123")
    '[WB-E-0YHZ9AH]'
    """
    code = fnv1a("\0".join((_KINDS[name.letter], name.identity, document, passage)).encode())
    digits = ""
    for _ in range(_DIGITS):
        code, digit = divmod(code, 36)
        digits = _BASE36[digit] + digits
    return f"[WB-{name.letter}-{digits}]"


def fnv1a(data: bytes) -> int:
    """The 32-bit hash."""
    code = 0x811C9DC5
    for byte in data:
        code = ((code ^ byte) * 0x01000193) & 0xFFFFFFFF
    return code


def with_shared(own: Sequence[str], passages: Sequence[Passage], named: Mapping[str, Shared]) -> list[str]:
    """The tokens ``own`` of these passages, replaced by the shared ones where there are any."""
    given: dict[str, tuple[str, str, str]] = {}
    made = []
    for token, passage in zip(own, passages, strict=True):
        name = named.get(passage.source_id)
        if name is not None:
            identity = (passage.source_id, passage.document_id, passage.passage_id)
            shared = shared_token(name, passage.document_id, passage.passage_id)
            if given.setdefault(shared, identity) == identity:
                token = shared
        made.append(token)
    return made
