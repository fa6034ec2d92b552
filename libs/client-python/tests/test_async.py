"""The same in asyncio. What is no wait is one core with the blocking client: here is what the other driver must do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from agent_service import AsyncAgentService, ConnectionFailed, RetryPolicy, errors

from .conftest import Address
from .service import ENDLESS, MODEL, free_port, script, unique

SAY = script({"say": "one two three"})


async def make_agent(svc: AsyncAgentService) -> str:
    return (await svc.agents.create(name=unique("agent"), visibility="organization", model=MODEL))["id"]


async def conversation(svc: AsyncAgentService) -> None:
    agent = await make_agent(svc)
    run = await svc.invoke(agent, SAY, session=unique("s"))
    assert "".join([piece async for piece in run.text()]) == "one two three"
    assert (await run.done())["status"] == "completed"
    assert [one async for one in run.questions()] == []
    found = [one["id"] async for one in svc.agents.list(limit=1)]
    assert agent in found and len(found) == len(await svc.agents.list().all())
    assert await svc.agents.list(name="there is none").first() is None
    assert [page["has_more"] async for page in svc.agents.list(limit=100).pages()][-1] is False


async def steering(svc: AsyncAgentService) -> None:
    agent = await make_agent(svc)
    run = await svc.invoke(agent, ENDLESS, session=unique("s"))
    changed = asyncio.Event()
    async with await svc.sessions.transcript(run.session_id) as transcript:
        stop = transcript.subscribe(changed.set)
        assert (await run.nudge("hurry"))["delivery"] == "current_turn"
        assert (await run.cancel())["status"] == "cancelled"
        await asyncio.wait_for(transcript.wait(), 60)
        assert changed.is_set() and transcript.turns[-1]["status"] == "cancelled" and transcript.cursor
        assert len(transcript.messages) == 1 and transcript.interactions == []
        stop()
    with pytest.raises(errors.NotFoundError):
        await svc.sessions.transcript("ses_nothing")


async def events(svc: AsyncAgentService) -> None:
    agent = await make_agent(svc)
    async with svc.events.follow(event_type=["session.message.created"]) as followed:
        first = asyncio.ensure_future(anext(followed))
        while followed.cursor is None:
            await asyncio.wait([first], timeout=0.02)
        run = await svc.invoke(agent, SAY, session=unique("s"))
        assert (await asyncio.wait_for(first, 60)).data["source_id"] == run.session_id


async def leaving(svc: AsyncAgentService) -> None:
    run = await svc.invoke(await make_agent(svc), ENDLESS, session=unique("s"))

    async def read() -> None:
        async for _ in run.text():
            raise AssertionError("it says nothing")

    reading = asyncio.ensure_future(read())
    await asyncio.wait([reading], timeout=0.3)
    reading.cancel()
    await asyncio.wait([reading], timeout=60)
    assert reading.cancelled()
    async with await svc.sessions.transcript(run.session_id):
        assert (await svc.sessions.get_turn(run.session_id, run.turn_id))["status"] in {"queued", "running"}
    await run.cancel()


@pytest.mark.parametrize("part", [conversation, steering, events, leaving])
def test_in_asyncio(part: Callable[[AsyncAgentService], Awaitable[None]], address: Address) -> None:
    async def main() -> None:
        async with AsyncAgentService(address.url, address.key) as svc:
            await part(svc)

    asyncio.run(main())


def test_nobody_there_is_said_in_asyncio_too() -> None:
    async def main() -> None:
        policy = RetryPolicy(retries=1, draw=lambda: 0.0)
        async with AsyncAgentService(f"http://127.0.0.1:{free_port()}", "k", retries=policy) as svc:
            with pytest.raises(ConnectionFailed) as caught:
                await svc.me.get()
            assert isinstance(caught.value.__cause__, httpx.ConnectError)

    asyncio.run(main())
