from __future__ import annotations

import random

import pytest

from agent_service._core import sse
from agent_service._core.sse import EventTooLarge, ServerEvent, SseParser

TEXT = (
    ": keep-alive\n\n"
    'id: 1\nevent: a\ndata: {"text": "one\u2028two \u00e4\u20ac"}\n\n'
    "event: b\r\ndata:first\r\ndata: second\r\n\r\n"
    "id: nothing follows\n\n"
    "data\rid: 2\rignored: x\r\r"
).encode()
EVENTS = [
    ServerEvent("1", "a", '{"text": "one\u2028two \u00e4\u20ac"}'),
    ServerEvent(None, "b", "first\nsecond"),
    ServerEvent("2", "message", ""),
]


def pieces(text: bytes, draw: random.Random) -> list[bytes]:
    cuts = sorted(draw.randrange(len(text) + 1) for _ in range(draw.randrange(1, 12)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@pytest.mark.parametrize("seed", range(200))
def test_events_come_whole_out_of_bytes_in_any_pieces(seed: int) -> None:
    parser = SseParser()
    found = [one for piece in pieces(TEXT, random.Random(seed)) for one in parser.feed(piece)]
    assert found == EVENTS


def test_an_event_that_is_cut_is_not_given() -> None:
    assert SseParser().feed(b'id: 1\ndata: {"whole": tr') == []
    assert SseParser().feed(b"id: 1\ndata: {}\n") == []


def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "EVENT_BYTES_MAX", 100)
    parser = SseParser()
    parser.feed(b"data: " + b"x" * 60 + b"\n")
    with pytest.raises(EventTooLarge):
        parser.feed(b"data: " + b"x" * 60)
