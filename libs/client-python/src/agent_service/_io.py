"""Drivers: they carry out the effects of flows with httpx, blocking or in asyncio."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

import httpx

from ._core.effects import Broken, Effect, Emit, Flow, Open, Read, Request, Response, Send, Sleep

T = TypeVar("T")

# The service gives a stream a sign of life every 15 seconds.
STREAM_READ_SECONDS = 60.0
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Target:
    """Where requests go and what each of them carries."""

    base_url: str
    headers: dict[str, str]
    timeout: float
    connect_timeout: float = 10.0

    def build(self, client: httpx.Client | httpx.AsyncClient, request: Request, *, is_stream: bool) -> httpx.Request:
        read = STREAM_READ_SECONDS if is_stream else self.timeout
        return client.build_request(
            request.method,
            self.base_url + request.path,
            params=list(request.query) or None,
            headers={**self.headers, **request.headers},
            content=request.body,
            timeout=httpx.Timeout(self.timeout, connect=min(self.timeout, self.connect_timeout), read=read),
        )


def _response(answer: httpx.Response, body: bytes) -> Response:
    return Response(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, body)


def _is_stream(answer: httpx.Response) -> bool:
    return answer.status_code == 200 and answer.headers.get("content-type", "").startswith(EVENT_STREAM)


def _broken(error: Exception) -> Broken:
    broken = Broken(str(error) or type(error).__name__)
    broken.__cause__ = error
    return broken


class Stream:
    """A flow of a blocking client with the connection that it reads. Another thread may close it."""

    def __init__(self, client: httpx.Client, target: Target) -> None:
        self._client = client
        self._target = target
        self._answer: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._closed = threading.Event()
        self.result: object = None

    def each(self, flow: Flow[object]) -> Generator[object, None, None]:
        """What the flow emits, until it ends or the stream is closed."""
        broken: Broken | None = None
        try:
            while not self._closed.is_set():
                effect = next(flow) if broken is None else flow.throw(broken)
                broken = None
                if isinstance(effect, Emit):
                    yield cast("Emit[object]", effect).value
                    continue
                try:
                    self._carry_out(effect)
                except httpx.RequestError as error:
                    broken = _broken(error)
        except StopIteration as end:
            self.result = end.value
        finally:
            flow.close()
            self._release()

    def close(self) -> None:
        """Ends the stream; a read that waits in another thread ends with it."""
        self._closed.set()
        answer = self._answer
        network = answer.extensions.get("network_stream") if answer is not None else None
        connection = cast("socket.socket | None", network.get_extra_info("socket")) if network is not None else None
        if connection is not None:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it was over already

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Send):
            answer = self._client.send(self._target.build(self._client, effect.request, is_stream=False))
            effect.answer = _response(answer, answer.content)
        elif isinstance(effect, Open):
            effect.answer = self._open(effect.request)
        elif isinstance(effect, Read):
            effect.answer = next(self._chunks, None)
        elif isinstance(effect, Sleep):
            self._closed.wait(effect.seconds)

    def _open(self, request: Request) -> Response:
        self._release()
        request_built = self._target.build(self._client, request, is_stream=True)
        self._answer = answer = self._client.send(request_built, stream=True)
        if not _is_stream(answer):
            return _response(answer, answer.read())
        self._chunks = answer.iter_bytes()
        return _response(answer, b"")

    def _release(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.close()


class AsyncStream:
    """A flow of a client in asyncio with the connection that it reads."""

    def __init__(self, client: httpx.AsyncClient, target: Target) -> None:
        self._client = client
        self._target = target
        self._answer: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self.result: object = None

    async def each(self, flow: Flow[object]) -> AsyncGenerator[object, None]:
        """What the flow emits, until it ends."""
        broken: Broken | None = None
        try:
            while True:
                try:
                    effect = next(flow) if broken is None else flow.throw(broken)
                except StopIteration as end:
                    self.result = end.value
                    return
                broken = None
                if isinstance(effect, Emit):
                    yield cast("Emit[object]", effect).value
                    continue
                try:
                    await self._carry_out(effect)
                except httpx.RequestError as error:
                    broken = _broken(error)
        finally:
            flow.close()
            await self._release()

    async def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Send):
            answer = await self._client.send(self._target.build(self._client, effect.request, is_stream=False))
            effect.answer = _response(answer, answer.content)
        elif isinstance(effect, Open):
            effect.answer = await self._open(effect.request)
        elif isinstance(effect, Read):
            effect.answer = None if self._chunks is None else await anext(self._chunks, None)
        elif isinstance(effect, Sleep):
            await asyncio.sleep(effect.seconds)

    async def _open(self, request: Request) -> Response:
        await self._release()
        request_built = self._target.build(self._client, request, is_stream=True)
        self._answer = answer = await self._client.send(request_built, stream=True)
        if not _is_stream(answer):
            return _response(answer, await answer.aread())
        self._chunks = answer.aiter_bytes()
        return _response(answer, b"")

    async def _release(self) -> None:
        answer, self._answer, self._chunks = self._answer, None, None
        if answer is not None:
            await answer.aclose()
