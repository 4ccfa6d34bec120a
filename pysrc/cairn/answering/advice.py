"""What to add to a library that does not cover a question: a kind of source, never an answer."""

from __future__ import annotations

from collections.abc import Sequence

from cairn.protocol import Route
from cairn.sources.types import Source

ADD_MEDICAL = (
    "Nothing is said from memory about health. Add a first aid or medical pack, or a health archive, "
    "and ask a doctor or nurse where you can."
)
ADD_ENCYCLOPEDIA = "An encyclopedia archive, such as Wikipedia as a ZIM file, may cover it."
ADD_OWN = "A pack or an archive on this subject, or your own documents, may cover it."


def what_to_add(route: Route, sources: Sequence[Source]) -> str:
    """One or two sentences for the person, by what was asked and what is there."""
    if route == "emergency":
        return ADD_MEDICAL
    if not any(source.kind == "archive" for source in sources):
        return ADD_ENCYCLOPEDIA
    return ADD_OWN
