"""Streams that are cut at random bytes, also while the service is started again, say what an uncut one says.

CLIENT_CUTS: how many cuts (50); CLIENT_SEED: where the random numbers begin.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from agent_service import AgentService, AsyncAgentService, Frame, RetryPolicy, Run, TranscriptFold
from agent_service import models as m

from .cutting_proxy import CuttingProxy
from .service import Service, make_agent, script, unique

CUTS = int(os.environ.get("CLIENT_CUTS", "50"))
SEED = int(os.environ.get("CLIENT_SEED", "20261"))
ROUNDS_MAX = 20 + CUTS
SOON = RetryPolicy(retries=50, base_seconds=0.02, cap_seconds=0.5, stream_base_seconds=0.01, stream_cap_seconds=0.5)
TURN = script(
    {"think": "hm"},
    {"wait_ms": 40},
    {"call": {"name": "none", "input": {}}},
    {"wait_ms": 40},
    {"repeat_say": {"text": "w\u00f6rd ", "times": 60}},
    {"wait_ms": 40},
    {"say": "end"},
)
SLOW = "Count: tokens=60 every=60"

FrameOf = Frame[m.SessionTranscriptFrame]


@dataclass
class Seen:
    """What a reader of one stream was told."""

    fold: TranscriptFold = field(default_factory=TranscriptFold)
    durable: list[object] = field(default_factory=list[object])
    ends: list[object] = field(default_factory=list[object])

    def take(self, frame: FrameOf) -> None:
        self.fold.frame(frame.data)
        if frame.id is not None:
            self.durable.append((frame.id, frame.data))
        if frame.data["event_type"] in {"stream.ready", "stream.end"}:
            self.ends.append(frame.data["event_type"])

    @property
    def state(self) -> list[object]:
        return [self.durable, self.ends, self.fold.messages, self.fold.turns, self.fold.interactions]


@pytest.fixture(scope="module")
def own() -> Iterator[Service]:
    service = Service(SVC_LEASE_SECONDS="3").start()
    try:
        yield service
    finally:
        service.remove()


@dataclass
class Sides:
    """The service reached directly, and through the proxy that cuts."""

    direct: AgentService
    proxied: AgentService
    proxy: CuttingProxy

    def proxied_run(self, run: Run) -> Run:
        """The same turn, read through the proxy."""
        return Run(self.proxied.sessions, run.ack)


@pytest.fixture
def sides(own: Service) -> Iterator[Sides]:
    with CuttingProxy(own.port, CUTS // 2, SEED) as proxy, own.client() as direct:
        with AgentService(proxy.url, own.key, retries=SOON) as proxied:
            yield Sides(direct, proxied, proxy)


def follow_blocking(sides: Sides, run: Run) -> Seen:
    seen = Seen()
    with sides.proxied.sessions.follow(run.session_id, after=run.ack["resume_cursor"]) as frames:
        for frame in frames:
            seen.take(frame)
    return seen


def follow_async(sides: Sides, run: Run) -> Seen:
    async def main() -> Seen:
        seen = Seen()
        async with AsyncAgentService(sides.proxy.url, run_key(sides), retries=SOON) as svc:
            async with svc.sessions.follow(run.session_id, after=run.ack["resume_cursor"]) as frames:
                async for frame in frames:
                    seen.take(frame)
        return seen

    return asyncio.run(main())


def run_key(sides: Sides) -> str:
    return sides.direct.sessions.target.headers["authorization"].removeprefix("Bearer ")


def text_of(run: Run) -> str:
    return "".join(run.text())


def uncut(sides: Sides, run: Run) -> Seen:
    seen = Seen()
    with run.frames() as frames:
        for frame in frames:
            seen.take(frame)
    return seen


@pytest.mark.parametrize("follow", [follow_blocking, follow_async])
def test_a_stream_cut_at_random_bytes_says_what_the_uncut_one_says(
    sides: Sides, follow: Callable[[Sides, Run], Seen]
) -> None:
    agent = make_agent(sides.direct)
    rounds = 0
    while sides.proxy.cuts < CUTS // 2:
        rounds += 1
        assert rounds < ROUNDS_MAX, f"only {sides.proxy.cuts} cuts"
        run = sides.direct.invoke(agent["id"], TURN, session=unique("s"))
        with ThreadPoolExecutor(3) as pool:
            cut, whole, text = (
                pool.submit(follow, sides, run),
                pool.submit(uncut, sides, run),
                pool.submit(text_of, sides.proxied_run(run)),
            )
            assert cut.result().state == whole.result().state
            assert text.result() == "w\u00f6rd " * 60 + "end"
        assert whole.result().fold.turns[-1]["status"] == "completed"
    print(f"said: {sides.proxy.cuts} cuts of {follow.__name__} in {rounds} turns")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_of_the_service_loses_and_repeats_nothing(own: Service, sides: Sides, how: signal.Signals) -> None:
    agent = make_agent(sides.direct)
    run = sides.direct.invoke(agent["id"], SLOW, session=unique("s"))
    begun = threading.Event()

    def follow() -> Seen:
        seen = Seen()
        with sides.proxied.sessions.follow(run.session_id, after=run.ack["resume_cursor"]) as frames:
            for frame in frames:
                seen.take(frame)
                if frame.data["event_type"] == "message.delta":
                    begun.set()
        return seen

    with ThreadPoolExecutor(3) as pool:
        cut, text = pool.submit(follow), pool.submit(text_of, sides.proxied_run(run))
        assert begun.wait(60)
        own.stop(how)
        own.start()
        seen = cut.result(90)
        said = text.result(90)
    assert seen.state == uncut(sides, run).state
    assert said == "".join(f"tok{index} " for index in range(60))
    assert sides.proxy.cuts > 0


def test_events_are_each_told_once_over_cuts(own: Service, sides: Sides) -> None:
    agent = make_agent(sides.direct)
    session = sides.direct.sessions.create(agent_id=agent["id"], session_key=unique("s"))
    with sides.direct.events.follow(source_id=session["id"]) as first:
        ready = threading.Thread(target=lambda: next(first), daemon=True)
        ready.start()
        place: str | None = None
        while place is None:
            ready.join(0.01)
            place = first.cursor
        for _ in range(15):
            sides.direct.invoke(agent["id"], "say it again", session=session["session_key"]).done()
        with sides.proxied.events.follow(after=place, source_id=session["id"]) as events:
            found = [next(events).data["meta"]["id"] for _ in range(30)]
        listed = [
            one["meta"]["id"] for one in sides.direct.events.list(cursor=place, source_id=session["id"], limit=100)
        ]
        ready.join()
    assert found == listed and len(set(found)) == 30
