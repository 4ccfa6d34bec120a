"""Split archives: ``x.zimaa``, ``x.zimab`` … in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cairn.errors import ArchiveInvalid

_PART = re.compile(r"(.*\.zim)([a-z]{2})", re.IGNORECASE | re.DOTALL)


def is_part(name: str) -> bool:
    """Whether a file's name is that of one part of a split archive."""
    return _PART.fullmatch(name) is not None


def order_parts(names: Sequence[str]) -> list[str]:
    """File names of one split archive in order; raises ArchiveInvalid when one is missing between.

    A missing last part shows when the archive is opened: its size does not fit.
    """
    parts: dict[int, str] = {}
    stems = set()
    for name in names:
        match = _PART.fullmatch(name)
        if match is None:
            raise _missing(f"{name} is not a part of a split archive")
        first, second = match[2].lower()[0], match[2].lower()[1]
        stems.add(match[1])
        parts[(ord(first) - 97) * 26 + ord(second) - 97] = name
    if len(stems) > 1 or len(parts) < len(names):
        raise _missing("these files are parts of different archives")
    for number in range(len(parts)):
        if number not in parts:
            letters = chr(97 + number // 26) + chr(97 + number % 26)
            raise _missing(f"the part {min(stems)}{letters} is missing")
    return [parts[number] for number in range(len(parts))]


def _missing(what: str) -> ArchiveInvalid:
    return ArchiveInvalid(
        f"The archive cannot be opened: {what}.",
        hint="Choose all its parts together: .zimaa, .zimab and so on.",
    )
