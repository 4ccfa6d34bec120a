"""The convention of every border: JSON-RPC 2.0 semantics, its limits, and the check of untrusted text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from cairn.errors import ERRORS, CairnError, InvalidRequest

Methods = dict[str, tuple[frozenset[str], frozenset[str]]]
"""Of one border: method → (required parameters, optional parameters)."""

CANCEL = "$/cancel"
PROTOCOL_VERSION = 1
MAX_MESSAGE_CHARS = 4_000_000
MAX_JSON_NESTING = 64

_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


def encode_error(error: CairnError) -> dict[str, Any]:
    """The JSON-RPC ``error`` object of a typed error."""
    return {
        "code": error.code,
        "message": error.message,
        "data": {"hint": error.hint, "retryable": error.retryable},
    }


def decode_error(obj: object) -> CairnError:
    """Rebuild the typed error from a JSON-RPC ``error`` object; unknown codes become CairnError."""
    if not isinstance(obj, dict):
        return CairnError(str(obj))
    data = obj.get("data")
    data = data if isinstance(data, dict) else {}
    cls = ERRORS.get(str(obj.get("code")), CairnError)
    return cls(
        str(obj.get("message", "")),
        hint=str(data.get("hint", "")),
        retryable=bool(data.get("retryable", False)),
    )


def load_json(text: str, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """``json.loads`` for text from elsewhere; also raises ValueError when it is nested too deep.

    In Pyodide a deep nesting is no RecursionError but overflows the stack of the browser, which
    ends the interpreter; so the depth is counted before the parser sees the text.
    """
    depth = 0
    for match in _NESTING.finditer(text):
        char = match.group()[0]
        if char in "[{":
            depth += 1
            if depth > MAX_JSON_NESTING:
                raise ValueError("it is nested too deep")
        elif char in "]}":
            depth -= 1
    return json.loads(text, object_pairs_hook=object_pairs_hook)


def parse_message(text: str) -> dict[str, Any]:
    """Parse one JSON-RPC message.

    Raises InvalidRequest when it is not a JSON object, is too large or has no method and no reply.
    """
    if len(text) > MAX_MESSAGE_CHARS:
        raise InvalidRequest("The message is too large.")
    try:
        message = load_json(text)
    except ValueError as error:
        raise InvalidRequest("The message is not JSON.") from error
    if not isinstance(message, dict):
        raise InvalidRequest("The message is not a JSON object.")
    if not isinstance(message.get("method"), str) and "id" not in message:
        raise InvalidRequest("The message has neither a method nor an id.")
    return message


def check_params(table: Methods, method: str, params: object) -> None:
    """Check a request's parameter names against a method table; InvalidRequest names the fault."""
    if not isinstance(params, dict):
        raise InvalidRequest("Parameters must be an object.")
    if method not in table:
        raise InvalidRequest(f"Unknown method {method}.")
    required, optional = table[method]
    missing = required - params.keys()
    unknown = params.keys() - required - optional
    if missing:
        raise InvalidRequest(f"{method} needs {', '.join(sorted(missing))}.")
    if unknown:
        raise InvalidRequest(f"{method} does not take {', '.join(sorted(unknown))}.")
