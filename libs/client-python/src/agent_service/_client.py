"""The clients: a blocking one, and one in asyncio."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import TracebackType
from typing import cast

import httpx
from typing_extensions import Self

from ._async_streams import AsyncEvents, AsyncRun, AsyncSessions
from ._core.calls import Call, call, pairs
from ._core.retries import RetryPolicy
from ._core.sessions import invocation
from ._generated import models as m
from ._generated.operations import AsyncOperations, Operations
from ._io import Target
from ._resource import AsyncResource, Resource
from ._streams import Events, Run, Sessions
from ._worker import Action, AsyncWorker, Worker

DEFAULT_TIMEOUT = 60.0
UNSENDABLE = re.compile(r"[^\x21-\x7e]")


def _target(base_url: str, key: str, timeout: float) -> Target:
    if not base_url.startswith(("http://", "https://")):
        raise ValueError(f"the address of a service begins with http:// or https://, not {base_url!r}")
    if UNSENDABLE.search(key):  # what the transport says of it would have the key in it
        raise ValueError("the key has a blank, a line break or another character that no key has")
    agent = f"agent-service-client/{version('agent-service-client')}"
    return Target(base_url.rstrip("/"), {"authorization": f"Bearer {key}", "user-agent": agent}, timeout)


class AgentService(Operations):
    """The service, for blocking programs. Threads may share one.

    Takes    where it is and a key; a client of httpx of one's own (proxies, certificates), which its owner closes.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retries: RetryPolicy | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._target = _target(base_url, key, timeout)
        self._policy = retries or RetryPolicy()
        self._owned = httpx.Client() if http is None else None
        client = http or cast(httpx.Client, self._owned)
        resource = Resource(client, self._target, self._policy)
        super().__init__(resource)
        self.sessions = Sessions(client, self._target, self._policy)
        self.events = Events(client, self._target, self._policy)

    def invoke(
        self,
        agent: str | m.AgentRef,
        content: str | Sequence[m.InputContentBlock],
        *,
        session: str | m.InvokeSessionSpec | None = None,
        idempotency_key: str | None = None,
        context: Sequence[m.RuntimeContextItem] | None = None,
        metadata: Mapping[str, object] | None = None,
        operation: m.TurnOperationPolicy | None = None,
        output: m.TurnOutputSpec | None = None,
    ) -> Run:
        """Starts a turn of an agent, named by its name or id; `session` is the key of the conversation."""
        turn_input = {"idempotency_key": idempotency_key, "context": context, "metadata": metadata}
        body = invocation(agent, content, session, turn_input, {"operation": operation, "output": output})
        given = Call("POST", "/v1/agents/invoke", body=body, key_in_body=True)
        return Run(self.sessions, cast(m.TurnAck, self.sessions.run(call(self._policy, given))))

    def worker(
        self,
        actions: Mapping[str, Action],
        *,
        concurrency: int = 1,
        name: str | None = None,
        instance_id: str | None = None,
    ) -> Worker:
        """A worker that carries out these actions, each `action(input, context)`, blocking or `async`."""
        return Worker(
            lambda: AsyncWorker(
                self._target, self._policy, actions, concurrency=concurrency, name=name, instance_id=instance_id
            )
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> object:
        """Any call: its answer's JSON, or None where there is none."""
        given = Call(method.upper(), path, pairs(query or {}), body, idempotency_key)
        return self.sessions.run(call(self._policy, given))

    def close(self) -> None:
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncAgentService(AsyncOperations):
    """The service, in asyncio.

    Takes    where it is and a key; a client of httpx of one's own (proxies, certificates), which its owner closes.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retries: RetryPolicy | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._target = _target(base_url, key, timeout)
        self._policy = retries or RetryPolicy()
        self._owned = httpx.AsyncClient() if http is None else None
        client = http or cast(httpx.AsyncClient, self._owned)
        super().__init__(AsyncResource(client, self._target, self._policy))
        self.sessions = AsyncSessions(client, self._target, self._policy)
        self.events = AsyncEvents(client, self._target, self._policy)

    async def invoke(
        self,
        agent: str | m.AgentRef,
        content: str | Sequence[m.InputContentBlock],
        *,
        session: str | m.InvokeSessionSpec | None = None,
        idempotency_key: str | None = None,
        context: Sequence[m.RuntimeContextItem] | None = None,
        metadata: Mapping[str, object] | None = None,
        operation: m.TurnOperationPolicy | None = None,
        output: m.TurnOutputSpec | None = None,
    ) -> AsyncRun:
        """Starts a turn of an agent, named by its name or id; `session` is the key of the conversation."""
        turn_input = {"idempotency_key": idempotency_key, "context": context, "metadata": metadata}
        body = invocation(agent, content, session, turn_input, {"operation": operation, "output": output})
        given = Call("POST", "/v1/agents/invoke", body=body, key_in_body=True)
        return AsyncRun(self.sessions, cast(m.TurnAck, await self.sessions.run(call(self._policy, given))))

    def worker(
        self,
        actions: Mapping[str, Action],
        *,
        concurrency: int = 1,
        name: str | None = None,
        instance_id: str | None = None,
    ) -> AsyncWorker:
        """A worker that carries out these actions, each `action(input, context)`, blocking or `async`."""
        return AsyncWorker(
            self._target, self._policy, actions, concurrency=concurrency, name=name, instance_id=instance_id
        )

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> object:
        """Any call: its answer's JSON, or None where there is none."""
        given = Call(method.upper(), path, pairs(query or {}), body, idempotency_key)
        return await self.sessions.run(call(self._policy, given))

    async def close(self) -> None:
        if self._owned is not None:
            await self._owned.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
