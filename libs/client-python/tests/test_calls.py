from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import cast

import pytest

from agent_service import AgentService, ApiError, AsyncAgentService, ConnectionFailed, RetryPolicy, errors
from agent_service._core.calls import Call, call, pages, pairs, path_of
from agent_service._core.effects import Broken, Request, Response
from agent_service._core.retries import retry_after
from agent_service._core.sessions import invocation

from .flows import Play, answer, refused

POLICY = RetryPolicy(retries=3, draw=lambda: 1.0)
READ = Call("GET", "/v1/agents")
TURN = {"agent_ref": {"name": "guide"}, "input": {"content": [{"type": "text", "text": "hi"}]}}


@pytest.mark.parametrize("client", [AgentService, AsyncAgentService])
@pytest.mark.parametrize("key", ["svck_1\nsvck_2", "svck_\u20ac", "svck 1"])
def test_a_key_that_is_none_is_refused_without_being_told(
    client: type[AgentService] | type[AsyncAgentService], key: str
) -> None:
    with pytest.raises(ValueError, match="the key has") as refusal:
        client("http://127.0.0.1:1", key)
    assert "svck" not in str(refusal.value)


@pytest.mark.parametrize(
    "fault",
    [
        refused(429, "rate_limit_exceeded"),
        refused(503, "service_unavailable"),
        answer(502),
        answer(504),
        Broken("cut"),
        Response(200, {}, b'{"cut": '),
    ],
)
def test_a_read_is_made_again_where_that_may_help(fault: Response | Broken) -> None:
    play = Play(fault, answer(200, {"items": []}))
    assert play.run(call(POLICY, READ)) == {"items": []}
    assert play.waits == [0.5]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 500])
def test_a_refusal_that_stays_is_thrown_at_once(status: int) -> None:
    play = Play(refused(status, "conflict"))
    with pytest.raises(ApiError):
        play.run(call(POLICY, READ))
    assert len(play.requests) == 1


def test_tries_end_and_wait_longer_each_time() -> None:
    play = Play(*[Broken("cut") for _ in range(4)])
    with pytest.raises(ConnectionFailed):
        play.run(call(POLICY, READ))
    assert play.waits == [0.5, 1.0, 2.0]


def test_waits_are_drawn_and_end_at_a_bound() -> None:
    assert RetryPolicy(draw=lambda: 0.5).delay(0) == 0.25
    assert RetryPolicy(draw=lambda: 1.0).delay(1000) == 8.0
    assert RetryPolicy(draw=lambda: 0.0).delay(2) == 0.0


def test_the_service_says_how_long_to_wait() -> None:
    play = Play(refused(429, "rate_limit_exceeded", retry_after="7"), answer(200, {}))
    play.run(call(RetryPolicy(draw=lambda: 0.0), READ))
    assert play.waits == [7.0]
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, lambda: noon) == 30.0
    assert retry_after({"retry-after": "soon"}) is None


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_a_write_without_a_key_is_made_once(method: str) -> None:
    play = Play(refused(503, "service_unavailable"))
    with pytest.raises(errors.ServiceUnavailableError):
        play.run(call(POLICY, Call(method, "/v1/agents", body={"name": "a"})))
    assert len(play.requests) == 1


def test_a_write_with_a_key_and_one_that_adopts_are_made_again() -> None:
    keyed = Call("POST", "/v1/actions/a/invoke", body={}, idempotency_key="k")
    adopting = Call("POST", "/v1/agents", body={"name": "a", "if_exists": "adopt"})
    for given in (keyed, adopting):
        play = Play(Broken("cut"), answer(201, {}))
        play.run(call(POLICY, given))
        assert len(play.requests) == 2


def key_of(request: Request) -> object:
    assert request.body is not None
    return json.loads(request.body)["input"].get("idempotency_key")


def test_a_turn_gets_a_key_and_keeps_it_when_it_is_asked_for_again() -> None:
    play = Play(Broken("cut"), refused(503, "service_unavailable"), answer(202, {}))
    play.run(call(POLICY, Call("POST", "/v1/agents/invoke", body=TURN, key_in_body=True)))
    keys = {key_of(request) for request in play.requests}
    assert len(play.requests) == 3 and len(keys) == 1 and None not in keys
    assert {request.headers["idempotency-key"] for request in play.requests} == keys


def test_a_key_that_is_given_stays_and_a_blank_one_is_none() -> None:
    for given, expected in (("order-7", {"order-7"}), ("  ", None)):
        body = {**TURN, "input": {**cast("dict[str, object]", TURN["input"]), "idempotency_key": given}}
        play = Play(answer(202, {}))
        play.run(call(POLICY, Call("POST", "/v1/agents/invoke", body=body, key_in_body=True)))
        assert key_of(play.requests[0]) in (expected or {key_of(play.requests[0])}) and key_of(play.requests[0]) != "  "


def test_a_turn_in_a_new_session_is_not_asked_for_twice() -> None:
    body = {**TURN, "session": {"mode": "new"}}
    play = Play(Broken("cut"))
    with pytest.raises(ConnectionFailed):
        play.run(call(POLICY, Call("POST", "/v1/agents/invoke", body=body, key_in_body=True)))
    assert "idempotency-key" not in play.requests[0].headers


def test_a_nudge_keeps_its_key_and_gets_one_where_it_has_none() -> None:
    for body in ({"content": "x", "idempotency_key": "k"}, {"content": "x"}):
        play = Play(Broken("cut"), answer(202, {}))
        play.run(call(POLICY, Call("POST", "/n", body=body, key_in_body=True)))
        sent = [json.loads(request.body or b"")["idempotency_key"] for request in play.requests]
        assert sent[0] == sent[1] == play.requests[1].headers["idempotency-key"] != ""
        assert body.get("idempotency_key", sent[0]) == sent[0]


def test_a_wait_that_is_too_long_is_left_to_the_caller() -> None:
    with pytest.raises(errors.RateLimitExceededError) as caught:
        Play(refused(429, "rate_limit_exceeded", retry_after="61")).run(call(POLICY, READ))
    assert caught.value.retry_after == 61.0


def test_a_new_session_of_an_invocation_gets_a_key_so_that_a_repeat_finds_it() -> None:
    body = invocation("guide", "hi", {"mode": "new", "title": "t"}, {}, {})
    session = cast("dict[str, object]", body["session"])
    assert (session["mode"], session["title"]) == ("continue_or_create", "t") and session["session_key"]
    kept = invocation("guide", "hi", {"mode": "new", "session_key": "k"}, {}, {})
    assert kept["session"] == {"mode": "new", "session_key": "k"}


def test_an_agent_is_named_by_id_or_name() -> None:
    for agent, ref in (("guide", "name"), ("agent_01m86fjevna53pq64q50r4s0va", "id"), ("agent_smith", "name")):
        assert invocation(agent, "hi", None, {}, {})["agent_ref"] == {ref: agent}


def test_an_error_has_code_status_details_and_request() -> None:
    body = {"error": {"code": "session_turn_active", "message": "busy", "details": {"turn_id": "t"}}}
    with pytest.raises(errors.SessionTurnActiveError) as caught:
        Play(answer(409, body, x_request_id="req_1")).run(call(POLICY, READ))
    error = caught.value
    assert (error.code, error.status, error.details, error.request_id) == (
        "session_turn_active",
        409,
        {"turn_id": "t"},
        "req_1",
    )


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"error": "no"}', b'{"error": {"code": 7}}', b""])
def test_an_answer_that_is_not_of_the_service_is_an_error_too(body: bytes) -> None:
    with pytest.raises(ApiError) as caught:
        Play(Response(418, {}, body)).run(call(POLICY, READ))
    assert (caught.value.code, caught.value.status) == ("unknown", 418)


def test_a_code_of_a_later_version_is_an_error_with_that_code() -> None:
    with pytest.raises(ApiError) as caught:
        Play(refused(409, "brand_new")).run(call(POLICY, READ))
    assert caught.value.code == "brand_new" and type(caught.value) is ApiError


def test_rows_come_over_all_pages() -> None:
    play = Play(
        answer(200, {"items": [1, 2], "has_more": True, "next_cursor": "c"}),
        answer(200, {"items": [], "has_more": True, "next_cursor": "d"}),
        answer(200, {"items": [3], "has_more": False}),
    )
    play.run(pages(POLICY, Call("GET", "/v1/agents", [("limit", "2")]), "query", rows=True))
    assert play.emitted == [1, 2, 3]
    cursors = [dict(request.query).get("cursor") for request in play.requests]
    assert cursors == [None, "c", "d"] and all(("limit", "2") in request.query for request in play.requests)


def test_a_list_that_is_asked_for_by_post_is_a_read() -> None:
    play = Play(Broken("cut"), answer(200, {"items": [1], "has_more": False}))
    play.run(pages(POLICY, Call("POST", "/v1/tables/t/query", body={}), "body", rows=True))
    assert play.emitted == [1]


@pytest.mark.parametrize(("order", "name", "value"), [("asc", "after_sequence", "2"), ("desc", "before_sequence", "1")])
def test_messages_are_paged_by_sequence_in_both_directions(order: str, name: str, value: str) -> None:
    play = Play(
        answer(200, {"items": [1, 2], "has_more": True, "next_sequence": 2, "prev_sequence": 1}),
        answer(200, {"items": [3], "has_more": False}),
    )
    play.run(pages(POLICY, Call("GET", "/m", [("order", order)]), "sequence", rows=True))
    assert (name, value) in play.requests[1].query


def test_the_query_is_sent_as_the_service_reads_it() -> None:
    assert pairs({"a": None, "b": "", "c": True, "d": ["x", "y"], "e": 0}) == [
        ("c", "true"),
        ("d", "x"),
        ("d", "y"),
        ("e", "0"),
    ]


def test_a_name_in_a_path_stays_one_part_of_it() -> None:
    assert path_of("/v1/actions/{action_name}", {"action_name": "a/b?c"}) == "/v1/actions/a%2Fb%3Fc"
    for value in ("", ".", ".."):
        with pytest.raises(ValueError, match="action_name"):
            path_of("/v1/actions/{action_name}", {"action_name": value})
