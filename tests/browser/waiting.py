"""Waiting for something to become true, with a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(check: Callable[[], T], seconds: float = 60, every: float = 0.1) -> T:
    """What ``check`` returns once it is true; fails when that takes too long."""
    ends = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < ends, f"waited {seconds} s in vain"
        time.sleep(every)
    return found
