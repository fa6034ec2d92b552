"""The flow of a stream that is followed over cuts, rotations and restarts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .._errors import ApiError, ConnectionFailed
from .calls import refusal
from .effects import Broken, Emit, Flow, Request, Sleep, open_stream, read
from .frames import Cursor, End
from .retries import RETRIED_STATUSES, RetryPolicy
from .sse import EventTooLarge, SseParser

TRANSPORT = frozenset({"stream.ready", "stream.end"})


class Connection:
    """What one connection of a stream came to."""

    def __init__(self) -> None:
        self.is_heard = False
        """Something came, and be it a sign of life: feeds may be quiet for long."""
        self.news = False
        """There was a frame beside those that say where a stream stands."""
        self.end: End | None = None
        self.asked: float | None = None
        self.fault: Exception | None = None


Idle = Literal["end", "wait"]
IDLE_FIRST_SECONDS = 1.0
IDLE_LONGEST_SECONDS = 15.0


def follow(
    policy: RetryPolicy, cursor: Cursor, request: Callable[[str | None], Request], idle: Idle = "end"
) -> Flow[None]:
    """Emits each frame once, and comes back after whatever ended a connection.

    A stream that is idle ends it, or is looked at again and again: then its end is told once for each time of rest.
    Throws the refusal of a connection that would be refused again, and `ConnectionFailed` after too many in a row that
    brought nothing.
    """
    failures, rest = 0, 0.0
    while True:
        connection = Connection()
        yield from _connect(cursor, request(cursor.value), connection, tells_end=rest == 0.0)
        if connection.end == "idle":
            if idle == "end":
                return
            rest = (
                IDLE_FIRST_SECONDS
                if connection.news
                else min(IDLE_LONGEST_SECONDS, max(IDLE_FIRST_SECONDS, rest * 1.5))
            )
            failures = 0
            yield Sleep(rest)
            continue
        rest = 0.0 if connection.news else rest
        failures = 0 if connection.is_heard else failures + 1
        if failures > policy.stream_failures:
            if isinstance(connection.fault, ApiError):
                raise connection.fault
            raise ConnectionFailed(f"{failures} connections in a row brought nothing") from connection.fault
        yield Sleep(policy.stream_delay(failures, connection.asked))


def _connect(cursor: Cursor, request: Request, connection: Connection, *, tells_end: bool) -> Flow[None]:
    parser = SseParser()
    cursor.connected()
    try:
        head = yield from open_stream(request)
        if head.status != 200:
            error = refusal(head)
            if head.status not in RETRIED_STATUSES:
                raise error
            connection.fault, connection.asked = error, error.retry_after
            return
        while (chunk := (yield from read())) is not None:
            connection.is_heard = True
            for event in parser.feed(chunk):
                frame, connection.end = cursor.take(event)
                is_news = frame is not None and frame.data.get("event_type") not in TRANSPORT
                connection.news = connection.news or is_news
                if frame is not None and (connection.end is None or tells_end or connection.news):
                    yield Emit(frame)
                if connection.end is not None:
                    return
    except (Broken, EventTooLarge, ValueError) as fault:
        connection.fault = (
            fault.__cause__ if isinstance(fault, Broken) and isinstance(fault.__cause__, Exception) else fault
        )
