"""Event streams, out of bytes that come in any pieces."""

from __future__ import annotations

from dataclasses import dataclass

EVENT_BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True)
class ServerEvent:
    """`id` is that of this event alone: an event without one has None, whatever came before."""

    id: str | None
    event: str
    data: str


class EventTooLarge(Exception):
    """An event is larger than any that the service sends."""


class SseParser:
    """Feeds on bytes and gives whole events. Lines end with LF, CRLF or CR; comments and unknown fields are skipped."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._fields: dict[str, list[str]] = {}
        self._size = 0
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        if self._after_cr and chunk[:1] == b"\n":
            chunk, self._after_cr = chunk[1:], False
        if not chunk:
            return []
        self._after_cr = chunk[-1:] == b"\r"
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._rest += chunk
        if self._size + len(self._rest) > EVENT_BYTES_MAX:
            raise EventTooLarge(f"an event of more than {EVENT_BYTES_MAX} bytes")
        if b"\n" not in chunk:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        events = [self._line(bytes(line)) for line in lines]
        return [event for event in events if event is not None]

    def _line(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._dispatch()
        self._size += len(line)
        if line[:1] == b":":
            return None
        name, _, value = line.decode("utf-8").partition(":")
        self._fields.setdefault(name, []).append(value[1:] if value[:1] == " " else value)
        return None

    def _dispatch(self) -> ServerEvent | None:
        fields, self._fields, self._size = self._fields, {}, 0
        if "data" not in fields:
            return None
        ids = [value for value in fields.get("id", []) if "\0" not in value]
        return ServerEvent(
            id=ids[-1] if ids else None,
            event=fields.get("event", ["message"])[-1],
            data="\n".join(fields["data"]),
        )
