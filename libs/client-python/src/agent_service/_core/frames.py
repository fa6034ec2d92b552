"""Frames of followed streams, and where a reader of them stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, cast

from .sse import ServerEvent

D = TypeVar("D")
Data = Mapping[str, object]
End = Literal["idle", "rotate"]

# Far more frames than one recorded change has.
TAIL_MAX = 10_000


@dataclass(frozen=True)
class Frame(Generic[D]):
    """One frame as it came over the wire. One without an `id` is live only."""

    id: str | None
    data: D


class Cursor:
    """Position of a reader that comes back after cuts.

    Several frames may stand at one position, and the service sends all of them again to a reader who comes back there;
    those that the reader had are recognised by what they say, and dropped.
    """

    def __init__(self, after: str | None, *, has_bootstrap: bool = True) -> None:
        self.value = after
        """Where to go on; None until the first position is known."""
        self._first: str | None = None
        self._tail_id: str | None = after
        self._tail: list[str] = []
        self._repeats: list[str] = []
        self._is_ready = False
        # Without a position what a session's stream begins with stands at one: only a new start brings the rest of it.
        self._is_settled = after is not None or not has_bootstrap

    @property
    def is_ready(self) -> bool:
        """Whether what was there at the first connection has been read."""
        return self._is_ready

    def begin_at(self, position: str) -> None:
        self._move(position)
        self.value = position
        self._is_settled = True

    def connected(self) -> None:
        """A new connection begins: what stands at the position may come again."""
        self._repeats = list(self._tail)
        if not self._is_settled:
            self._first = None

    def take(self, event: ServerEvent) -> tuple[Frame[Data] | None, End | None]:
        """Takes an event of the stream. Gives its frame unless it is a repeat, and why the stream ended if it did."""
        data = cast(Data, json.loads(event.data))
        kind = data.get("event_type")
        if kind == "stream.end":
            is_idle = data.get("reason") == "idle"
            return (Frame(event.id, data), "idle") if is_idle else (None, "rotate")
        if kind == "stream.ready":
            return (self._ready(event, data), None)
        if event.id is not None and not self._note(event.id, event.data):
            return None, None
        return Frame(event.id, data), None

    def _ready(self, event: ServerEvent, data: Data) -> Frame[Data] | None:
        resume = data.get("resume_cursor")
        if isinstance(resume, str):
            self.begin_at(resume)
        was_ready, self._is_ready = self._is_ready, True
        return None if was_ready else Frame(event.id, data)

    def _note(self, position: str, text: str) -> bool:
        """Moves to the position of a frame; False for one that the reader had."""
        if position == self._tail_id and text in self._repeats:
            self._repeats.remove(text)
            return False
        self._move(position)
        if len(self._tail) < TAIL_MAX:
            self._tail.append(text)
        self._first = self._first or position
        if self._is_settled or position != self._first:
            self.value = position
            self._is_settled = True
        return True

    def _move(self, position: str) -> None:
        if position == self._tail_id:
            return
        self._tail_id = position
        self._tail = []
        self._repeats = []
