"""Followed streams, transcripts and running turns of blocking callers."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Mapping
from types import TracebackType
from typing import Generic, Protocol, TypeVar, cast

from typing_extensions import Self, Unpack

from ._core.calls import random_key
from ._core.effects import Flow
from ._core.fold import TranscriptFold
from ._core.follow import Idle
from ._core.frames import Cursor, Frame
from ._core.sessions import follow_events, follow_session, snapshot
from ._core.turns import QuestionReader, TextReader, TurnReader
from ._generated import models as m
from ._generated.operations import Events as GeneratedEvents
from ._generated.operations import Sessions as GeneratedSessions
from ._generated.operations import Turns
from ._io import Stream
from ._resource import Resource

D = TypeVar("D")


class Flag(Protocol):
    def set(self) -> None: ...
    def clear(self) -> None: ...


def note_rest(resting: Flag, data: Mapping[str, object]) -> None:
    """Keeps the flag set while a session rests: from the end of its stream to the next change."""
    kind = data.get("event_type")
    if kind == "stream.end":
        resting.set()
    elif kind != "stream.ready":
        resting.clear()


class Follow(Generic[D]):
    """Frames, each once, over cuts and restarts. `cursor` is where to go on after the frames that were read."""

    def __init__(self, resource: Resource, cursor: Cursor, flow: Flow[None]) -> None:
        self._position = cursor
        self._stream = Stream(resource.client, resource.target)
        self._frames = self._stream.each(cast("Flow[object]", flow))

    @property
    def cursor(self) -> str | None:
        """Opaque; None until a position is known."""
        return self._position.value

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Frame[D]:
        return cast("Frame[D]", next(self._frames))

    def close(self) -> None:
        """Ends the stream; another thread that reads it comes to its end."""
        self._stream.close()
        if inspect.getgeneratorstate(self._frames) != inspect.GEN_RUNNING:
            self._frames.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Transcript:
    """The state of a session, which a thread of its own keeps until `close()`, also when the session rests."""

    def __init__(self, sessions: Sessions, session_id: str) -> None:
        self._fold = TranscriptFold()
        self._lock = threading.RLock()
        self._listeners: list[Callable[[], None]] = []
        self._resting = threading.Event()
        self._fault: Exception | None = None
        cursor = ""
        for page, is_last in cast(
            "Generator[tuple[m.SessionTranscriptSnapshot, bool], None, None]",
            sessions.each(snapshot(sessions.policy, session_id)),
        ):
            self._fold.page(page, is_last=is_last)
            cursor = page["resume_cursor"]
        self._follow = sessions.follow(session_id, after=cursor, idle="wait")
        self._thread = threading.Thread(target=self._read, name=f"transcript {session_id}", daemon=True)
        self._thread.start()

    @property
    def messages(self) -> list[m.SessionTranscriptMessage]:
        with self._lock:
            return self._fold.messages

    @property
    def turns(self) -> list[m.SessionTranscriptTurn]:
        with self._lock:
            return self._fold.turns

    @property
    def interactions(self) -> list[m.Interaction]:
        with self._lock:
            return self._fold.interactions

    @property
    def cursor(self) -> str | None:
        return self._follow.cursor

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls the listener after each change, on the transcript's thread. Gives what stops that."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until all turns are over; False when the time is over first. Throws what ended the stream."""
        is_resting = self._resting.wait(timeout)
        if self._fault is not None:
            raise self._fault
        return is_resting

    def close(self) -> None:
        self._follow.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        try:
            for frame in self._follow:
                with self._lock:
                    self._fold.frame(frame.data)
                    listeners = list(self._listeners)
                note_rest(self._resting, frame.data)
                for listener in listeners:
                    listener()
        except Exception as fault:  # raised to those who wait
            self._fault = fault
        finally:
            self._resting.set()


class Run:
    """A turn that was started. Each of its readers follows the session by itself, from where the turn begins."""

    def __init__(self, sessions: Sessions, ack: m.TurnAck) -> None:
        self._sessions = sessions
        self._turns = Turns(sessions.client, sessions.target, sessions.policy)
        self.ack = ack
        self.session_id = ack["session_id"]
        self.turn_id = ack["turn_id"]

    def frames(self) -> Follow[m.SessionTranscriptFrame]:
        return self._sessions.follow(self.session_id, after=self.ack["resume_cursor"])

    def text(self) -> Generator[str, None, None]:
        """What the agent says, as it says it."""
        reader = TextReader(self.turn_id)
        with self.frames() as frames:
            for frame in frames:
                if piece := reader.take(frame.data):
                    yield piece
                if reader.is_over:
                    return

    def questions(self) -> Generator[m.Interaction, None, None]:
        """Questions to people that the turn asks, as it asks them."""
        reader = QuestionReader(self.turn_id)
        with self.frames() as frames:
            for frame in frames:
                yield from reader.take(frame.data)
                if reader.is_over:
                    return

    def done(self) -> m.AgentTurn:
        """Waits until the turn is final, and gives it: completed, failed or cancelled."""
        reader = TurnReader(self.turn_id)
        with self.frames() as frames:
            for frame in frames:
                reader.take(frame.data)
                if reader.final is not None:
                    return reader.final
        return self._sessions.get_turn(self.session_id, self.turn_id)

    def nudge(self, content: str, *, wake: bool = False, idempotency_key: str | None = None) -> m.SessionNudgeAck:
        """Says something to the turn while it runs. It is said once, also when the call is made again after a cut."""
        key = idempotency_key or random_key()
        return self._sessions.nudge(self.session_id, content=content, wake=wake, idempotency_key=key)

    def cancel(self) -> m.AgentTurn:
        return self._turns.cancel(self.session_id, self.turn_id)


class Sessions(GeneratedSessions):
    def follow(
        self, session_id: str, /, *, after: str | None = None, idle: Idle = "end"
    ) -> Follow[m.SessionTranscriptFrame]:
        """Frames of the session's transcript. `after` is a cursor that a follower had before.

        When all turns are over it ends, or with `idle="wait"` looks for new ones again and again.
        """
        cursor = Cursor(after)
        return Follow(self, cursor, follow_session(self.policy, session_id, cursor, idle))

    def transcript(self, session_id: str, /) -> Transcript:
        """Reads the whole session, and keeps up with it."""
        return Transcript(self, session_id)


class Events(GeneratedEvents):
    def follow(
        self, *, after: str | None = None, **query: Unpack[m.StreamSourceEventsParametersQuery]
    ) -> Follow[m.SourceEvent]:
        """The organization's events: from now on, from `after`, or by `**{"from": "earliest"}` from the oldest kept."""
        cursor = Cursor(after, has_bootstrap=False)
        return Follow(self, cursor, follow_events(self.policy, cursor, query))
