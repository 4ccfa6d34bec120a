"""Parameters of requests, checked: each function takes one out or says what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from cairn.errors import InvalidRequest
from cairn.index.rows import Filters

T = TypeVar("T", bound=str)

DEFAULT_SEARCH_LIMIT = 8
MAX_SEARCH_LIMIT = 40


def text(params: dict[str, Any], name: str, default: str | None = None) -> str:
    """A text parameter, required without ``default``; raises InvalidRequest when it is anything else.

    Half surrogate pairs (a page may cut a text inside an emoji) become replacement characters:
    SQLite and the models take valid Unicode only.
    """
    value = params.get(name, default)
    if not isinstance(value, str):
        raise InvalidRequest(f"{name} must be text.")
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def flag(params: dict[str, Any], name: str, default: bool = True) -> bool:
    """An optional yes or no, yes when absent; raises InvalidRequest when it is anything else."""
    value = params.get(name, default)
    if not isinstance(value, bool):
        raise InvalidRequest(f"{name} must be true or false.")
    return value


def source_ids(params: dict[str, Any]) -> list[str] | None:
    """The optional list of source ids; None means all."""
    return None if params.get("sources") is None else texts(params, "sources")


def texts(params: dict[str, Any], name: str) -> list[str]:
    """An optional list of texts, empty when absent; raises InvalidRequest when it is anything else."""
    value = params.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidRequest(f"{name} must be a list of texts.")
    return value


def filters(params: dict[str, Any]) -> Filters:
    """What a search is limited to; raises InvalidRequest."""
    return Filters(
        frozenset(texts(params, "languages")),
        frozenset(texts(params, "collections")),
        frozenset(texts(params, "documents")),
    )


def search_limit(params: dict[str, Any]) -> int:
    """How many hits a search may return."""
    value = params.get("limit", DEFAULT_SEARCH_LIMIT)
    if type(value) is not int or not 0 < value <= MAX_SEARCH_LIMIT:  # bool is an int too
        raise InvalidRequest(f"limit must be a whole number from 1 to {MAX_SEARCH_LIMIT}.")
    return value


def whole_number(params: dict[str, Any], name: str, default: int) -> int:
    """An optional whole number that is not negative; raises InvalidRequest when it is anything else."""
    value = params.get(name, default)
    if type(value) is not int or not 0 <= value < 2**53:
        raise InvalidRequest(f"{name} must be a whole number.")
    return value


def one_of(params: dict[str, Any], name: str, choices: Sequence[T]) -> T:
    """An optional choice, the first one when absent; raises InvalidRequest when it is anything else."""
    value = params.get(name, choices[0])
    for choice in choices:
        if value == choice:
            return choice
    raise InvalidRequest(f"{name} must be one of {', '.join(choices)}.")
