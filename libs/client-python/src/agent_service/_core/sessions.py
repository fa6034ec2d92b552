"""Flows of sessions and of the organization's events, and the bodies of turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from .calls import Call, Members, call, pairs, path_of, random_key
from .effects import Emit, Flow, Request
from .follow import Idle, follow
from .frames import Cursor
from .retries import RetryPolicy

if TYPE_CHECKING:
    from .._generated import models as m

SNAPSHOT_PAGES_MAX = 100_000
PAGE_ROWS = 100
# Later than any event: a list of what came since ends where the feed does.
NEVER = "9999-01-01T00:00:00.000Z"
AGENT_ID = re.compile(r"^agent_[0-9a-z]{20,}$")
STREAM_HEADERS = {"accept": "text/event-stream", "cache-control": "no-cache"}


def follow_session(policy: RetryPolicy, session_id: str, cursor: Cursor, idle: Idle = "end") -> Flow[None]:
    path = path_of("/v1/sessions/{session_id}/transcript/stream", {"session_id": session_id})
    return follow(policy, cursor, stream_request(path, {}), idle)


def stream_request(path: str, query: Members) -> Callable[[str | None], Request]:
    return lambda cursor: Request("GET", path, pairs({**query, "cursor": cursor}), STREAM_HEADERS)


def snapshot(policy: RetryPolicy, session_id: str) -> Flow[None]:
    """Emits the pages of a session's snapshot, each with whether it is the last."""
    path = path_of("/v1/sessions/{session_id}/transcript", {"session_id": session_id})
    query: Members = {"limit": PAGE_ROWS}
    for _ in range(SNAPSHOT_PAGES_MAX):
        page = cast(Members, (yield from call(policy, Call("GET", path, pairs(query)))))
        is_last = page.get("has_more") is not True
        yield Emit((page, is_last))
        if is_last:
            return
        query = {"limit": PAGE_ROWS, "page_token": page["next_page_token"]}
    raise ValueError(f"a snapshot of more than {SNAPSHOT_PAGES_MAX} pages")


def follow_events(policy: RetryPolicy, cursor: Cursor, query: Members) -> Flow[None]:
    """Follows the feed from the cursor. Without one it first looks where the feed ends, so that a cut loses nothing."""
    if cursor.value is None and query.get("from") != "earliest":
        filters = {name: value for name, value in query.items() if name != "from"}
        cursor.begin_at((yield from _feed_end(policy, filters)))
    return (yield from follow(policy, cursor, stream_request("/v1/events/stream", query)))


def _feed_end(policy: RetryPolicy, filters: Members) -> Flow[str]:
    position: object = None
    for _ in range(SNAPSHOT_PAGES_MAX):
        query = {**filters, "since": NEVER, "limit": PAGE_ROWS, "cursor": position}
        page = cast(Members, (yield from call(policy, Call("GET", "/v1/events", pairs(query)))))
        position = page["next_cursor"]
        if page.get("has_more") is not True:
            return str(position)
    raise ValueError("the feed has no end")


def invocation(
    agent: str | m.AgentRef,
    content: str | Sequence[m.InputContentBlock],
    session: str | m.InvokeSessionSpec | None,
    turn_input: Mapping[str, object],
    rest: Mapping[str, object],
) -> dict[str, object]:
    """The body of an invocation, whose agent is named by its id or its name.

    A new session gets a key of its own, so that a repeat of the call finds it and opens no second one.
    """
    blocks: object = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    body: dict[str, object] = {
        "agent_ref": ({"id" if AGENT_ID.match(agent) else "name": agent}) if isinstance(agent, str) else agent,
        "input": {"content": blocks, **given(turn_input)},
        **given(rest),
    }
    if session is not None:
        told: Members = {"session_key": session} if isinstance(session, str) else session
        if told.get("mode") == "new" and "session_key" not in told:
            told = {**told, "mode": "continue_or_create", "session_key": random_key()}
        body["session"] = told
    return body


def given(members: Mapping[str, object]) -> dict[str, object]:
    """Without what was not given."""
    return {name: value for name, value in members.items() if value is not None}
