"""Carries flows out against a written play instead of a socket."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from agent_service._core.effects import Broken, Effect, Emit, Flow, Open, Read, Request, Response, Send, Sleep

Answer = Response | Broken


def answer(status: int, body: object = None, **headers: str) -> Response:
    text = b"" if body is None else json.dumps(body).encode()
    return Response(status, {name.replace("_", "-"): value for name, value in headers.items()}, text)


def refused(status: int, code: str, **headers: str) -> Response:
    return answer(status, {"error": {"code": code, "message": "no"}}, **headers)


class Play:
    """What the other side does, in order: an answer, a break, or for a stream its chunks and how it ends."""

    def __init__(self, *acts: Answer | Sequence[bytes | Broken]) -> None:
        self._acts: Iterator[Answer | Sequence[bytes | Broken]] = iter(acts)
        self._chunks: Iterator[bytes | Broken] = iter(())
        self.requests: list[Request] = []
        self.waits: list[float] = []
        self.emitted: list[object] = []

    def run(self, flow: Flow[object]) -> object:
        broken: Broken | None = None
        while True:
            try:
                effect = next(flow) if broken is None else flow.throw(broken)
            except StopIteration as end:
                return end.value
            broken = self._carry_out(effect)

    def _carry_out(self, effect: Effect) -> Broken | None:
        if isinstance(effect, Emit):
            self.emitted.append(cast("Emit[object]", effect).value)
        elif isinstance(effect, Sleep):
            self.waits.append(effect.seconds)
        elif isinstance(effect, Send | Open):
            return self._begin(effect)
        elif isinstance(effect, Read):
            chunk = next(self._chunks, None)
            if isinstance(chunk, Broken):
                return chunk
            effect.answer = chunk
        return None

    def _begin(self, effect: Send | Open) -> Broken | None:
        self.requests.append(effect.request)
        act = next(self._acts)
        if isinstance(act, Broken):
            return act
        if isinstance(act, Response):
            effect.answer = act
        else:
            self._chunks = iter(act)
            effect.answer = Response(200, {"content-type": "text/event-stream"})
        return None


def event(data: Mapping[str, object], position: str | None = None) -> bytes:
    head = "" if position is None else f"id: {position}\n"
    return f"{head}event: {data['event_type']}\ndata: {json.dumps(data)}\n\n".encode()


def bytewise(*events: bytes) -> Iterable[bytes]:
    joined = b"".join(events)
    return [joined[index : index + 1] for index in range(len(joined))]
