"""What the generated operations stand on: one call, and lists that are read to their end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from typing import Generic, TypeVar, cast

import httpx

from ._core.calls import Call, PageBy, call, pages, pairs, path_of, random_key
from ._core.effects import Flow, Pairs
from ._core.retries import RetryPolicy
from ._io import AsyncStream, Stream, Target

T = TypeVar("T")
Body = Mapping[str, object]


class Pages(Generic[T]):
    """Rows of a list, over all its pages; a page is read when its first row is asked for."""

    def __init__(self, resource: Resource, given: Call, page_by: PageBy) -> None:
        self._resource = resource
        self._given = given
        self._page_by: PageBy = page_by

    def __iter__(self) -> Generator[T, None, None]:
        return cast("Generator[T, None, None]", self._each(rows=True))

    def pages(self) -> Generator[Mapping[str, object], None, None]:
        """The answers themselves, one for each page."""
        return cast("Generator[Mapping[str, object], None, None]", self._each(rows=False))

    def all(self) -> list[T]:
        return list(self)

    def first(self) -> T | None:
        return next(iter(self), None)

    def _each(self, *, rows: bool) -> Generator[object, None, None]:
        return self._resource.each(pages(self._resource.policy, self._given, self._page_by, rows=rows))


class AsyncPages(Generic[T]):
    """Rows of a list, over all its pages; a page is read when its first row is asked for."""

    def __init__(self, resource: AsyncResource, given: Call, page_by: PageBy) -> None:
        self._resource = resource
        self._given = given
        self._page_by: PageBy = page_by

    def __aiter__(self) -> AsyncGenerator[T, None]:
        return cast("AsyncGenerator[T, None]", self._each(rows=True))

    def pages(self) -> AsyncGenerator[Mapping[str, object], None]:
        """The answers themselves, one for each page."""
        return cast("AsyncGenerator[Mapping[str, object], None]", self._each(rows=False))

    async def all(self) -> list[T]:
        return [row async for row in self]

    async def first(self) -> T | None:
        return await anext(aiter(self), None)

    def _each(self, *, rows: bool) -> AsyncGenerator[object, None]:
        return self._resource.each(pages(self._resource.policy, self._given, self._page_by, rows=rows))


class Resource:
    def __init__(self, client: httpx.Client, target: Target, policy: RetryPolicy) -> None:
        self.client = client
        self.target = target
        self.policy = policy

    def each(self, flow: Flow[object]) -> Generator[object, None, None]:
        return Stream(self.client, self.target).each(flow)

    def run(self, flow: Flow[object]) -> object:
        stream = Stream(self.client, self.target)
        for _ in stream.each(flow):
            raise AssertionError("a call emits nothing")
        return stream.result

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Pairs = (),
        body: object = None,
        idempotency_key: str | None = None,
        key_in_body: bool = False,
    ) -> object:
        members = cast("Body | None", body)
        return self.run(call(self.policy, Call(method, path, query, members, idempotency_key, key_in_body)))

    def _pages(
        self, method: str, path: str, *, page_by: PageBy, query: Pairs = (), body: object = None
    ) -> Pages[object]:
        return Pages(self, Call(method, path, query, cast("Body | None", body)), page_by)

    def _path(self, template: str, **names: str) -> str:
        return path_of(template, names)


class AsyncResource:
    def __init__(self, client: httpx.AsyncClient, target: Target, policy: RetryPolicy) -> None:
        self.client = client
        self.target = target
        self.policy = policy

    def each(self, flow: Flow[object]) -> AsyncGenerator[object, None]:
        return AsyncStream(self.client, self.target).each(flow)

    async def run(self, flow: Flow[object]) -> object:
        stream = AsyncStream(self.client, self.target)
        async for _ in stream.each(flow):
            raise AssertionError("a call emits nothing")
        return stream.result

    async def _call(
        self,
        method: str,
        path: str,
        *,
        query: Pairs = (),
        body: object = None,
        idempotency_key: str | None = None,
        key_in_body: bool = False,
    ) -> object:
        members = cast("Body | None", body)
        return await self.run(call(self.policy, Call(method, path, query, members, idempotency_key, key_in_body)))

    def _pages(
        self, method: str, path: str, *, page_by: PageBy, query: Pairs = (), body: object = None
    ) -> AsyncPages[object]:
        return AsyncPages(self, Call(method, path, query, cast("Body | None", body)), page_by)

    def _path(self, template: str, **names: str) -> str:
        return path_of(template, names)


__all__ = ["AsyncPages", "AsyncResource", "Pages", "Resource", "pairs", "random_key"]
