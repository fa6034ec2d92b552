"""The flow of a stream that is followed over cuts, rotations and restarts."""

from __future__ import annotations

from collections.abc import Callable

from .._errors import ApiError, ConnectionFailed
from .calls import refusal
from .effects import Broken, Emit, Flow, Request, Sleep, open_stream, read
from .frames import Cursor, End
from .retries import RETRIED_STATUSES, RetryPolicy
from .sse import EventTooLarge, SseParser


class Connection:
    """What one connection of a stream came to."""

    def __init__(self) -> None:
        self.frames = 0
        self.end: End | None = None
        self.asked: float | None = None
        self.fault: Exception | None = None


def follow(policy: RetryPolicy, cursor: Cursor, request: Callable[[str | None], Request]) -> Flow[None]:
    """Emits each frame once, and comes back after whatever ended a connection, until the stream is idle.

    Throws the refusal of a connection that would be refused again, and `ConnectionFailed` after too many in a row that
    brought nothing.
    """
    failures = 0
    while True:
        connection = Connection()
        yield from _connect(cursor, request(cursor.value), connection)
        if connection.end == "idle":
            return
        failures = 0 if connection.frames > 0 else failures + 1
        if failures > policy.stream_failures:
            if isinstance(connection.fault, ApiError):
                raise connection.fault
            raise ConnectionFailed(f"{failures} connections in a row brought nothing") from connection.fault
        yield Sleep(policy.stream_delay(failures, connection.asked))


def _connect(cursor: Cursor, request: Request, connection: Connection) -> Flow[None]:
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
            for event in parser.feed(chunk):
                connection.frames += 1
                frame, connection.end = cursor.take(event)
                if frame is not None:
                    yield Emit(frame)
                if connection.end is not None:
                    return
    except (Broken, EventTooLarge, ValueError) as fault:
        connection.fault = (
            fault.__cause__ if isinstance(fault, Broken) and isinstance(fault.__cause__, Exception) else fault
        )
