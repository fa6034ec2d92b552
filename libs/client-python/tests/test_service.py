"""The blocking client against a started service."""

from __future__ import annotations

import threading

import httpx
import pytest

from agent_service import AgentService, ApiError, ConnectionFailed, RetryPolicy, errors
from agent_service import models as m
from agent_service._generated.errors import ERRORS

from .conftest import Address
from .service import ENDLESS, eventually, free_port, make_agent, script, unique

SAY = script({"say": "one two three"})


def person(svc: AgentService) -> tuple[str, str]:
    """Id and key of somebody who may answer questions."""
    roles = {role["name"]: role["id"] for role in svc.roles.list()}
    human = svc.principals.create(name=unique("ann"), kind="human", role_ids=[roles["User"]])
    return human["id"], svc.api_keys.create(name=unique("key"), principal_id=human["id"])["key"]


def test_resources_are_made_read_changed_and_deleted(svc: AgentService) -> None:
    made = make_agent(svc, description="first")
    assert svc.agents.update(made["id"], description="second").get("description") == "second"
    assert svc.agents.get(made["id"])["name"] == made["name"]
    svc.agents.delete(made["id"])
    with pytest.raises(errors.NotFoundError) as caught:
        svc.agents.get(made["id"])
    assert caught.value.status == 404 and caught.value.request_id


def test_a_list_is_read_over_all_its_pages(svc: AgentService) -> None:
    names = {make_agent(svc)["name"] for _ in range(5)}
    found = [one["name"] for one in svc.agents.list(limit=2)]
    assert names <= set(found) and len(found) == len(set(found))
    assert len(list(svc.agents.list(limit=2).pages())) >= 3
    assert svc.agents.list(name="there is none").first() is None
    assert svc.agents.list(limit=1).all() == list(svc.agents.list())


def test_rows_are_written_and_found_by_a_query_page_by_page(svc: AgentService) -> None:
    table = svc.tables.create(
        name=unique("t").replace("-", "_"),
        schema={"identity_column": "name", "columns": [{"name": "name", "type": "string"}]},
    )
    svc.tables.bulk_create_rows(table["id"], rows=[{"name": f"n{index}"} for index in range(7)])
    rows = svc.tables.query_rows(table["id"], limit=3, sort=[{"field": "name", "order": "asc"}])
    assert [row["data"]["name"] for row in rows] == [f"n{index}" for index in range(7)]
    assert len(svc.tables.query_rows(table["id"]).all()) == 7


def test_a_body_of_several_forms_takes_each(svc: AgentService) -> None:
    human, _ = person(svc)
    svc.role_assignments.create(principal_id=human, role_name="Viewer")
    with pytest.raises(errors.AlreadyExistsError):
        svc.role_assignments.create(principal_id=human, role_name="Viewer")
    assert {one["role_name"] for one in svc.role_assignments.list(principal_id=human)} == {"User", "Viewer"}


def test_a_turn_is_started_read_and_waited_for(svc: AgentService, agent: m.Agent) -> None:
    run = svc.invoke(agent["name"], SAY)
    assert "".join(run.text()) == "one two three"
    turn = run.done()
    assert turn["status"] == "completed" and turn.get("usage", {}).get("calls") == 1
    assert "".join(run.text()) == "one two three"
    said = svc.sessions.list_messages(run.session_id, limit=1).all()
    assert [message["role"] for message in said] == ["user", "assistant"]
    backwards = svc.sessions.list_messages(run.session_id, limit=1, order="desc").all()
    assert [message["role"] for message in backwards] == ["assistant", "user"]


def test_a_failed_turn_is_given_and_not_thrown(svc: AgentService, agent: m.Agent) -> None:
    run = svc.invoke(agent["id"], script({"fail": "broken"}), session=unique("s"))
    assert run.done()["status"] == "failed"


def test_one_key_is_one_turn_and_without_a_key_one_is_made(svc: AgentService, agent: m.Agent) -> None:
    session = unique("s")
    first = svc.invoke(agent["id"], SAY, session=session, idempotency_key="order-7")
    first.done()
    again = svc.invoke(agent["id"], "other", session=session, idempotency_key="order-7")
    assert (again.turn_id, again.ack["deduped"]) == (first.turn_id, True)
    assert svc.invoke(agent["id"], SAY, session=session).turn_id != first.turn_id


def test_a_busy_session_says_with_which_turn(svc: AgentService, agent: m.Agent) -> None:
    session = unique("s")
    run = svc.invoke(agent["id"], ENDLESS, session=session)
    with pytest.raises(errors.SessionTurnActiveError) as caught:
        svc.invoke(agent["id"], "me too", session=session)
    assert caught.value.details["turn_id"] == run.turn_id
    assert run.nudge("hurry")["delivery"] == "current_turn"
    assert run.cancel()["status"] == "cancelled" == run.done()["status"]


def test_questions_come_as_they_are_asked(svc: AgentService, address: Address) -> None:
    ann, key = person(svc)
    agent = make_agent(
        svc,
        action_selectors=[
            {"selector_type": "exact", "selector": "svc.interaction.open"},
            {"selector_type": "exact", "selector": "svc.event.wait"},
        ],
    )
    ask = {"kind": "request_approval", "title": "May I?", "target_user_ids": [ann]}
    steps = script({"call": {"name": "svc_interaction_open", "input": ask}}, {"wait_ms": 600_000})
    run = svc.invoke(agent["id"], steps, session=unique("s"))
    question = next(run.questions())
    assert (question["title"], question["status"]) == ("May I?", "pending")
    with AgentService(address.url, key) as hers:
        hers.interactions.respond(question["id"], value=True)
    run.cancel()
    eventually("the answer to reach the session", lambda: list(run.questions()) == [])


def test_a_transcript_keeps_up_with_its_session(svc: AgentService, agent: m.Agent) -> None:
    session = unique("s")
    for text in ("a", "b", "c"):
        svc.invoke(agent["id"], text, session=session).done()
    run = svc.invoke(agent["id"], ENDLESS, session=session)
    changed = threading.Event()
    with svc.sessions.transcript(run.session_id) as transcript:
        stop = transcript.subscribe(changed.set)
        assert [turn["status"] for turn in transcript.turns[:3]] == ["completed"] * 3
        run.cancel()
        assert changed.wait(60) and transcript.wait(60)
        assert transcript.turns[-1]["status"] == "cancelled"
        assert [message["sequence"] for message in transcript.messages] == list(range(1, 8))
        again = svc.invoke(agent["id"], "d", session=session)
        assert again.done()["status"] == "completed"
        eventually("the next turn", lambda: transcript.turns[-1]["status"] == "completed")
        assert transcript.wait(60)
        stop()
        cursor = transcript.cursor
    with svc.sessions.follow(run.session_id, after=cursor) as frames:
        assert [frame.data["event_type"] for frame in frames] == ["stream.ready", "stream.end"]
    with pytest.raises(errors.NotFoundError):
        svc.sessions.transcript("ses_nothing")


def test_a_stream_that_waits_can_be_closed_from_another_thread(svc: AgentService, agent: m.Agent) -> None:
    run = svc.invoke(agent["id"], ENDLESS, session=unique("s"))
    frames = run.frames()
    seen: list[str] = []

    def read() -> None:
        seen.extend(frame.data["event_type"] for frame in frames)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    eventually("the first frames", lambda: "stream.ready" in seen)
    frames.close()
    reader.join(5)
    assert not reader.is_alive()
    transcript = svc.sessions.transcript(run.session_id)
    transcript.close()
    assert transcript.wait(5)
    run.cancel()
    assert svc.request("get", f"/v1/sessions/{run.session_id}/turns", query={"limit": 1})


def test_events_are_followed_from_now_on_and_from_before(svc: AgentService, agent: m.Agent) -> None:
    session = svc.sessions.create(agent_id=agent["id"], session_key=unique("s"))
    with svc.events.follow(event_type=["session.message.created"], source_id=session["id"]) as events:
        seen: list[str] = []
        started = threading.Event()

        def read() -> None:
            started.set()
            for frame in events:
                seen.append(frame.data["source_id"])
                if len(seen) == 2:
                    return

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        started.wait()
        eventually("the place to begin at", lambda: events.cursor)
        place = events.cursor
        run = svc.invoke(agent["id"], SAY, session=session["session_key"])
        reader.join(60)
        assert seen == [run.session_id] * 2
    with svc.events.follow(after=place, source_id=run.session_id) as events:
        first = next(events)
    assert (first.data["source_id"], first.data["event_type"]) == (run.session_id, "session.message.created")
    with svc.events.follow(**{"from": "earliest"}) as events:
        assert next(events).id is not None


def test_a_wrong_key_and_a_wrong_address_say_so(address: Address) -> None:
    with AgentService(address.url, "svck_" + "x" * 40) as svc, pytest.raises(errors.UnauthorizedError):
        svc.me.get()
    with AgentService(address.url, "svck_" + "x" * 40) as svc, pytest.raises(errors.UnauthorizedError):
        next(svc.events.follow())
    nowhere = f"http://127.0.0.1:{free_port()}"
    with AgentService(nowhere, "k", retries=RetryPolicy(retries=1, draw=lambda: 0.0)) as svc:
        with pytest.raises(ConnectionFailed) as caught:
            svc.me.get()
        assert isinstance(caught.value.__cause__, httpx.ConnectError) and isinstance(caught.value, ApiError)
    with pytest.raises(ValueError, match="http"):
        AgentService("127.0.0.1:8080", "k")


def test_a_client_of_httpx_of_ones_own_is_used_and_left_open(address: Address) -> None:
    asked: list[str] = []

    def note(request: httpx.Request) -> None:
        asked.append(request.url.path)

    with httpx.Client(event_hooks={"request": [note]}) as http:
        with AgentService(address.url + "/", address.key, http=http) as svc:
            svc.me.get()
        assert asked == ["/v1/me"] and not http.is_closed


def test_every_code_of_the_catalog_has_a_class_of_its_own() -> None:
    assert len(ERRORS) > 50 and len(set(ERRORS.values())) == len(ERRORS)
    assert ERRORS["session_turn_active"] is errors.SessionTurnActiveError
