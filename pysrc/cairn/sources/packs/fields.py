"""Checked access to the fields of a JSON object that somebody else wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from cairn.errors import CairnError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Fields:
    """A JSON object at a place; every method raises what ``fault`` makes of the reason."""

    def __init__(self, value: object, place: str, fault: Callable[[str], CairnError]) -> None:
        self._place = place
        self._fault = fault
        if not isinstance(value, dict):
            raise fault(f"{place or 'it'} is not an object")
        self._value = value

    def name(self, field: str) -> str:
        """The field's full name, as errors give it."""
        return f"{self._place}.{field}" if self._place else field

    def has(self, field: str) -> bool:
        """Whether the field is there and not null."""
        return self._value.get(field) is not None

    def text(self, field: str, most: int, pattern: re.Pattern[str] | None = None) -> str:
        """A text of 1 to ``most`` characters without control characters, matching the pattern."""
        value = self._value.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self._fault(f"{self.name(field)} is not a text")
        if len(value) > most:
            raise self._fault(f"{self.name(field)} is longer than {most} characters")
        if _UNPRINTABLE.search(value) or (pattern and not pattern.fullmatch(value)):
            raise self._fault(f"{self.name(field)} has characters that may not be there")
        return value

    def optional_text(self, field: str, most: int) -> str:
        """As :meth:`text`, "" when it is absent or empty."""
        return self.text(field, most) if self._value.get(field) not in (None, "") else ""

    def integer(self, field: str, least: int, most: int) -> int:
        """A whole number in a range."""
        value = self._value.get(field)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._fault(f"{self.name(field)} is not a number from {least} to {most}")
        return value

    def sha256(self, field: str) -> str:
        """64 lower-case hexadecimal digits."""
        return self.text(field, 64, _SHA256)

    def url(self, field: str) -> str:
        """An http or https address."""
        value = self.text(field, 2000)
        try:
            parts = urlsplit(value)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise self._fault(f"{self.name(field)} is not a web address")
        return value

    def object(self, field: str) -> Fields:
        """A nested object."""
        return Fields(self._value.get(field), self.name(field), self._fault)

    def objects(self, field: str, least: int, most: int, *, required: bool = True) -> Iterator[Fields]:
        """A list of objects with a number of items in a range."""
        value = self._value.get(field)
        if value is None and not required:
            return
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self._fault(f"{self.name(field)} is not a list of {least} to {most} items")
        for number, item in enumerate(value):
            yield Fields(item, f"{self.name(field)}[{number}]", self._fault)
