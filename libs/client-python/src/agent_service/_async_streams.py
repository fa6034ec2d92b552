"""Followed streams, transcripts and running turns in asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from types import TracebackType
from typing import Generic, TypeVar, cast

from typing_extensions import Self, Unpack

from ._core.calls import random_key
from ._core.effects import Flow
from ._core.fold import TranscriptFold
from ._core.follow import Idle
from ._core.frames import Cursor, Frame
from ._core.sessions import follow_events, follow_session, snapshot
from ._core.turns import QuestionReader, TextReader, TurnReader
from ._generated import models as m
from ._generated.operations import AsyncEvents as GeneratedEvents
from ._generated.operations import AsyncSessions as GeneratedSessions
from ._generated.operations import AsyncTurns
from ._resource import AsyncResource
from ._streams import note_rest

D = TypeVar("D")


class AsyncFollow(Generic[D]):
    """Frames, each once, over cuts and restarts. `cursor` is where to go on after the frames that were read."""

    def __init__(self, resource: AsyncResource, cursor: Cursor, flow: Flow[None]) -> None:
        self._position = cursor
        self._frames = resource.each(cast("Flow[object]", flow))

    @property
    def cursor(self) -> str | None:
        """Opaque; None until a position is known."""
        return self._position.value

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Frame[D]:
        return cast("Frame[D]", await anext(self._frames))

    async def close(self) -> None:
        await self._frames.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncTranscript:
    """The state of a session, kept as it changes by a task of its own until `close()`, also when the session rests."""

    def __init__(self) -> None:
        self._fold = TranscriptFold()
        self._listeners: list[Callable[[], None]] = []
        self._follow: AsyncFollow[m.SessionTranscriptFrame] | None = None
        self._task: asyncio.Task[None] | None = None
        self._resting = asyncio.Event()

    @property
    def messages(self) -> list[m.SessionTranscriptMessage]:
        return self._fold.messages

    @property
    def turns(self) -> list[m.SessionTranscriptTurn]:
        return self._fold.turns

    @property
    def interactions(self) -> list[m.Interaction]:
        return self._fold.interactions

    @property
    def cursor(self) -> str | None:
        return None if self._follow is None else self._follow.cursor

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls the listener after each change. Gives what stops that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    async def wait(self) -> None:
        """Waits until all turns are over. Throws what ended the stream."""
        await self._resting.wait()
        if self._task is not None and self._task.done():
            await self._task

    async def close(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def load(self, sessions: AsyncSessions, session_id: str) -> Self:
        cursor = ""
        pages = sessions.each(snapshot(sessions.policy, session_id))
        async for page, is_last in cast("AsyncGenerator[tuple[m.SessionTranscriptSnapshot, bool], None]", pages):
            self._fold.page(page, is_last=is_last)
            cursor = page["resume_cursor"]
        self._follow = sessions.follow(session_id, after=cursor, idle="wait")
        self._task = asyncio.create_task(self._read(self._follow), name=f"transcript {session_id}")
        return self

    async def _read(self, follow: AsyncFollow[m.SessionTranscriptFrame]) -> None:
        try:
            async with follow:
                async for frame in follow:
                    self._fold.frame(frame.data)
                    note_rest(self._resting, frame.data)
                    for listener in list(self._listeners):
                        listener()
        finally:
            self._resting.set()


class AsyncRun:
    """A turn that was started. Each of its readers follows the session by itself, from where the turn begins."""

    def __init__(self, sessions: AsyncSessions, ack: m.TurnAck) -> None:
        self._sessions = sessions
        self._turns = AsyncTurns(sessions.client, sessions.target, sessions.policy)
        self.ack = ack
        self.session_id = ack["session_id"]
        self.turn_id = ack["turn_id"]

    def frames(self) -> AsyncFollow[m.SessionTranscriptFrame]:
        return self._sessions.follow(self.session_id, after=self.ack["resume_cursor"])

    async def text(self) -> AsyncGenerator[str, None]:
        """What the agent says, as it says it."""
        reader = TextReader(self.turn_id)
        async with self.frames() as frames:
            async for frame in frames:
                if piece := reader.take(frame.data):
                    yield piece
                if reader.is_over:
                    return

    async def questions(self) -> AsyncGenerator[m.Interaction, None]:
        """Questions to people that the turn asks, as it asks them."""
        reader = QuestionReader(self.turn_id)
        async with self.frames() as frames:
            async for frame in frames:
                for question in reader.take(frame.data):
                    yield question
                if reader.is_over:
                    return

    async def done(self) -> m.AgentTurn:
        """Waits until the turn is final, and gives it: completed, failed or cancelled."""
        reader = TurnReader(self.turn_id)
        async with self.frames() as frames:
            async for frame in frames:
                reader.take(frame.data)
                if reader.final is not None:
                    return reader.final
        return await self._sessions.get_turn(self.session_id, self.turn_id)

    async def nudge(self, content: str, *, wake: bool = False, idempotency_key: str | None = None) -> m.SessionNudgeAck:
        """Says something to the turn while it runs. It is said once, also when the call is made again after a cut."""
        key = idempotency_key or random_key()
        return await self._sessions.nudge(self.session_id, content=content, wake=wake, idempotency_key=key)

    async def cancel(self) -> m.AgentTurn:
        return await self._turns.cancel(self.session_id, self.turn_id)


class AsyncSessions(GeneratedSessions):
    def follow(
        self, session_id: str, /, *, after: str | None = None, idle: Idle = "end"
    ) -> AsyncFollow[m.SessionTranscriptFrame]:
        """Frames of the session's transcript. `after` is a cursor that a follower had before.

        When all turns are over it ends, or with `idle="wait"` looks for new ones again and again.
        """
        cursor = Cursor(after)
        return AsyncFollow(self, cursor, follow_session(self.policy, session_id, cursor, idle))

    async def transcript(self, session_id: str, /) -> AsyncTranscript:
        """Reads the whole session, and keeps up with it."""
        return await AsyncTranscript().load(self, session_id)


class AsyncEvents(GeneratedEvents):
    def follow(
        self, *, after: str | None = None, **query: Unpack[m.StreamSourceEventsParametersQuery]
    ) -> AsyncFollow[m.SourceEvent]:
        """The organization's events: from now on, from `after`, or by `**{"from": "earliest"}` from the oldest kept."""
        cursor = Cursor(after, has_bootstrap=False)
        return AsyncFollow(self, cursor, follow_events(self.policy, cursor, query))
