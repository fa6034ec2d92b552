"""Streams that are cut, rotated and refused, without a service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from agent_service import Frame, RetryPolicy, errors
from agent_service._core.effects import Broken, Response
from agent_service._core.frames import Cursor
from agent_service._core.sessions import follow_events, follow_session

from .flows import Play, answer, bytewise, event, refused

POLICY = RetryPolicy(stream_failures=3, draw=lambda: 1.0)
READY = event({"event_type": "stream.ready", "session_id": "s", "resume_cursor": "c9"})
IDLE = event({"event_type": "stream.end", "session_id": "s", "reason": "idle"})
ROTATE = event({"event_type": "stream.end", "session_id": "s", "reason": "rotate"})
CUT = Broken("cut")


def turn(name: str, position: str | None) -> bytes:
    return event({"event_type": "turn.upsert", "id": name}, position)


def delta(text: str) -> bytes:
    return event({"event_type": "message.delta", "message_id": "m", "content_index": 0, "text": text})


def played(*acts: Response | Broken | Sequence[bytes | Broken], after: str | None = "c0") -> tuple[Play, Cursor]:
    play, cursor = Play(*acts), Cursor(after)
    play.run(follow_session(POLICY, "s", cursor))
    return play, cursor


def seen(play: Play) -> list[object]:
    return [
        cast("Frame[dict[str, object]]", frame).data.get("id")
        or cast("Frame[dict[str, object]]", frame).data["event_type"]
        for frame in play.emitted
    ]


def cursors(play: Play) -> list[str | None]:
    return [dict(request.query).get("cursor") for request in play.requests]


def test_a_cut_is_gone_on_from_where_the_reader_stands() -> None:
    play, cursor = played([turn("a", "c1"), delta("x"), CUT], CUT, [turn("b", "c2"), READY, IDLE])
    assert seen(play) == ["a", "message.delta", "b", "stream.ready", "stream.end"]
    assert cursors(play) == ["c0", "c1", "c1"]
    assert cursor.value == "c9"


def test_bytes_may_come_one_by_one() -> None:
    play, _ = played([*bytewise(turn("a", "c1"), READY, turn("b", "c10"), IDLE)])
    assert seen(play) == ["a", "stream.ready", "b", "stream.end"]


def test_the_body_may_end_without_a_word_and_a_rotation_is_not_the_end() -> None:
    play, _ = played([READY, turn("a", "c10")], [READY, ROTATE], [READY, IDLE])
    assert seen(play) == ["stream.ready", "a", "stream.end"]
    assert cursors(play) == ["c0", "c10", "c9"]


def test_frames_of_one_position_are_given_once_over_a_cut() -> None:
    # Two frames stand at c1 before the one that moves on: all three come again to who comes back at c1.
    first, second, third = turn("a", "c1"), turn("b", "c1"), turn("c", "c2")
    for cut in (1, 2, 3):
        whole = [turn("before", "c1"), first, second, third]
        play, _ = played([*whole[: cut + 1], CUT], [*whole[1 if cut < 3 else 4 :], IDLE])
        assert seen(play) == ["before", "a", "b", "c", "stream.end"]


def test_a_change_that_says_the_same_as_one_before_is_no_repeat() -> None:
    play, _ = played([turn("a", "c1"), turn("b", "c2"), turn("a", "c3"), CUT], [turn("a", "c4"), IDLE])
    assert seen(play) == ["a", "b", "a", "a", "stream.end"]


def test_what_a_session_begins_with_is_asked_for_again_until_it_is_whole() -> None:
    open_turn, question = turn("t", "c0"), turn("q", "c0")
    play, _ = played([open_turn, CUT], [open_turn, question, turn("a", "c1"), CUT], [IDLE], after=None)
    assert seen(play) == ["t", "q", "a", "stream.end"]
    assert cursors(play) == [None, None, "c1"]


def test_a_beginning_that_moved_on_is_whole_too() -> None:
    play, _ = played([turn("t", "c0"), CUT], [turn("t2", "c5"), CUT], [turn("t2", "c5"), READY, IDLE], after=None)
    assert seen(play) == ["t", "t2", "stream.ready", "stream.end"]
    assert cursors(play) == [None, None, None]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_service_that_is_away_is_waited_for(status: int) -> None:
    play, _ = played(refused(status, "x", retry_after="3"), [IDLE])
    assert play.waits == [3.1]


def test_a_refusal_that_stays_ends_it() -> None:
    with pytest.raises(errors.NotFoundError):
        played(refused(404, "not_found"))


def test_it_gives_up_when_connections_bring_nothing() -> None:
    with pytest.raises(errors.ConnectionFailed):
        played(*[CUT] * 4)
    with pytest.raises(errors.ServiceUnavailableError):
        played(*[refused(503, "service_unavailable")] * 4)


def test_a_quiet_feed_that_is_cut_again_and_again_is_gone_on_with() -> None:
    alive = b": alive\n\n"
    play, _ = played(*[[alive, CUT] for _ in range(5)], [turn("t1", "c1"), IDLE])
    assert seen(play) == ["t1", "stream.end"]


def test_a_session_that_rests_is_looked_at_again_when_that_is_asked_for() -> None:
    play = Play(
        [turn("a", "c1"), READY, IDLE],
        [READY, IDLE],
        [READY, IDLE],
        [turn("b", "c2"), READY, IDLE],
        refused(404, "not_found"),
    )
    with pytest.raises(errors.NotFoundError):
        play.run(follow_session(POLICY, "s", Cursor("c0"), "wait"))
    assert seen(play) == ["a", "stream.ready", "stream.end", "b", "stream.end"]
    assert play.waits == [1.0, 1.5, 2.25, 1.0]


def test_what_is_no_json_is_a_cut() -> None:
    play, _ = played([b"id: c1\ndata: {oops\n\n"], [IDLE])
    assert cursors(play) == ["c0", "c0"]


def test_events_from_now_on_begin_where_the_feed_ends_so_that_a_cut_before_the_first_loses_none() -> None:
    play = Play(
        answer(200, {"items": [], "has_more": True, "next_cursor": "e1"}),
        answer(200, {"items": [], "has_more": False, "next_cursor": "e2"}),
        CUT,
        [event({"event_type": "table.row.inserted", "source_id": "r"}, "e3"), CUT],
        refused(410, "cursor_expired"),
    )
    cursor = Cursor(None, has_bootstrap=False)
    with pytest.raises(errors.CursorExpiredError):
        play.run(follow_events(POLICY, cursor, {"event_type": ["table.*"]}))
    assert cursors(play) == [None, "e1", "e2", "e2", "e3"]
    assert all(("event_type", "table.*") in request.query for request in play.requests)
    assert len(play.emitted) == 1
