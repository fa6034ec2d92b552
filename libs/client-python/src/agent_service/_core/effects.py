"""Effects that flows ask for, and what they are answered with."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

Pairs: TypeAlias = Sequence[tuple[str, str]]


class Broken(Exception):
    """There is no answer, or it was cut. Its cause is what the transport said."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Pairs = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


@dataclass(frozen=True)
class Response:
    """`headers` have lower-case names. The body of an opened stream is empty unless it was refused."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class Effect:
    """Something to be done by the driver."""


class Asked(Effect, Generic[T]):
    """An effect with an answer, which the driver puts in before it goes on."""

    answer: T


class Send(Asked[Response]):
    """Send a request and read the whole answer. Throws `Broken`."""

    def __init__(self, request: Request) -> None:
        self.request = request


class Open(Asked[Response]):
    """Send a request and leave the answer's body to be read. Throws `Broken`. Closes the stream that is open."""

    def __init__(self, request: Request) -> None:
        self.request = request


class Read(Asked["bytes | None"]):
    """The next bytes of the open stream, or None at its end. Throws `Broken`."""


class Sleep(Effect):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Emit(Effect, Generic[T]):
    """Gives a value to the caller."""

    def __init__(self, value: T) -> None:
        self.value = value


Flow: TypeAlias = Generator[Effect, None, T]


def send(request: Request) -> Flow[Response]:
    effect = Send(request)
    yield effect
    return effect.answer


def open_stream(request: Request) -> Flow[Response]:
    effect = Open(request)
    yield effect
    return effect.answer


def read() -> Flow[bytes | None]:
    effect = Read()
    yield effect
    return effect.answer
