"""When a call is made again, and after how long."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

# Too many requests, a dependency that is down, and what proxies say of a service that is away.
RETRIED_STATUSES = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how soon. Waits are drawn between nothing and a bound that doubles, so that callers spread out."""

    retries: int = 4
    """Tries of one call after the first."""
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    asked_cap_seconds: float = 60.0
    """A call is not made again when the service asks for a longer wait: the caller decides."""
    stream_failures: int = 100
    """Connections of a stream in a row that bring nothing before it gives up."""
    stream_base_seconds: float = 0.1
    stream_cap_seconds: float = 5.0
    draw: Callable[[], float] = random.random

    def may_wait(self, asked: float | None) -> bool:
        return asked is None or asked <= self.asked_cap_seconds

    def delay(self, failures: int, asked: float | None = None) -> float:
        """Takes how many tries failed before this one; gives seconds to wait."""
        return self._spread(self.base_seconds, self.cap_seconds, failures, asked)

    def stream_delay(self, failures: int, asked: float | None = None) -> float:
        return self._spread(self.stream_base_seconds, self.stream_cap_seconds, failures, asked)

    def _spread(self, base: float, cap: float, failures: int, asked: float | None) -> float:
        bound = min(cap, base * 2.0 ** min(failures, 32))
        if asked is None:
            return bound * self.draw()
        return min(asked, self.asked_cap_seconds) + base * self.draw()


def retry_after(
    headers: Mapping[str, str], now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
) -> float | None:
    """Seconds of a `Retry-After` header, which is a number or a date; None without one that can be read."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - now()).total_seconds())
