"""How fast something goes now, and how long the rest will take."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

WINDOW_MS = 5_000.0


class Rate:
    """Of a growing count, over the last five seconds; ``clock`` returns milliseconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def anew(self) -> Rate:
        """Another one with the same clock."""
        return Rate(self._clock)

    def saw(self, done: int) -> None:
        """Note the count now; a count that went back starts anew."""
        now = self._clock()
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, done))
        while len(self._seen) > 2 and self._seen[0][0] < now - WINDOW_MS:
            self._seen.popleft()

    @property
    def per_second(self) -> float:
        """Units a second, 0 while that is not known."""
        if len(self._seen) < 2:
            return 0.0
        (began, first), (ended, last) = self._seen[0], self._seen[-1]
        return (last - first) * 1000 / (ended - began) if ended > began else 0.0

    def seconds_left(self, total: int) -> float | None:
        """Seconds until ``total`` at this rate; None while that is not known."""
        rate = self.per_second
        if not rate or not total:
            return None
        return max(0.0, (total - self._seen[-1][1]) / rate)
