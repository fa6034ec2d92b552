"""The flow of one call, and of a list page by page."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast
from urllib.parse import quote

from .._errors import ApiError, ConnectionFailed, error_of
from .._generated.errors import ERRORS
from .effects import Broken, Emit, Flow, Pairs, Request, Response, Sleep, send
from .retries import RETRIED_STATUSES, RetryPolicy, retry_after

Members = Mapping[str, object]
PageBy = Literal["query", "body", "sequence", "after", ""]


@dataclass(frozen=True)
class Call:
    """One call of an operation."""

    method: str
    path: str
    query: Pairs = ()
    body: Members | None = None
    idempotency_key: str | None = None
    key_in_body: bool = False
    is_read: bool = False
    """Changes nothing, whatever its method says."""

    @property
    def is_repeatable(self) -> bool:
        """A repeat changes nothing: reads, writes with a key, and what adopts the resource that is there."""
        if self.method == "GET" or self.is_read or self.idempotency_key is not None:
            return True
        return self.body is not None and self.body.get("if_exists") == "adopt"

    def request(self) -> Request:
        headers = {"accept": "application/json"}
        if self.body is not None:
            headers["content-type"] = "application/json"
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        text = None if self.body is None else json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode()
        return Request(self.method, self.path, self.query, headers, text)


def path_of(template: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        if value in {"", ".", ".."}:
            raise ValueError(f"{name} is {value!r}, which is no name of anything")
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template


def pairs(query: Members) -> list[tuple[str, str]]:
    """The query as it is sent: lists repeat their name; None and empty text are left out."""
    found: list[tuple[str, str]] = []
    for name, value in query.items():
        for one in cast("list[object]", value) if isinstance(value, (list, tuple)) else [value]:
            if one is None or one == "":
                continue
            found.append((name, ("true" if one else "false") if isinstance(one, bool) else str(one)))
    return found


def random_key() -> str:
    return str(uuid.uuid4())


def with_key(body: Members, make: Callable[[], str] = random_key) -> tuple[Members, str | None]:
    """Takes the body of a turn or a nudge. Gives it with its key, where one makes a repeat the same turn, and the key.

    One is made where there is none. In a session that the call opens anew no repeat could find it.
    """
    given, session = body.get("input"), body.get("session")
    if isinstance(session, dict) and cast(Members, session).get("mode") == "new":
        return body, None
    holder = cast(Members, given) if isinstance(given, dict) else body
    key = holder.get("idempotency_key")
    text = (key.strip() if isinstance(key, str) else "") or make()
    keyed = {**holder, "idempotency_key": text}
    return keyed if holder is body else {**body, "input": keyed}, text


def refusal(response: Response) -> ApiError:
    request_id = response.headers.get("x-request-id")
    return error_of(response.status, response.body, ERRORS, request_id, retry_after(response.headers))


def call(policy: RetryPolicy, given: Call) -> Flow[object]:
    """Gives the answer's JSON, or None where there is no body. Throws `ApiError`."""
    if given.key_in_body and given.body is not None:
        body, key = with_key(given.body)
        given = replace(given, body=body, idempotency_key=key)
    request = given.request()
    failures = 0
    while True:
        error: ApiError
        cause: BaseException | None = None
        try:
            response = yield from send(request)
            if 200 <= response.status < 300:
                return json.loads(response.body) if response.body else None
            error = refusal(response)
            is_passing = response.status in RETRIED_STATUSES
        except (Broken, ValueError) as broken:
            cause = broken.__cause__ or broken
            error = ConnectionFailed(f"{given.method} {given.path}: {cause or 'no answer'}")
            is_passing = True
        may_repeat = given.is_repeatable and failures < policy.retries and policy.may_wait(error.retry_after)
        if not (is_passing and may_repeat):
            raise error from cause
        yield Sleep(policy.delay(failures, error.retry_after))
        failures += 1


def pages(policy: RetryPolicy, given: Call, page_by: PageBy, *, rows: bool) -> Flow[None]:
    """Emits each row, or each page, of a list to its end."""
    following: Call | None = replace(given, is_read=True)
    while following is not None:
        page = cast("dict[str, object]", (yield from call(policy, following)))
        if rows:
            for row in cast("list[object]", page["items"]):
                yield Emit(row)
        else:
            yield Emit(page)
        following = _next(following, page, page_by)


def _next(given: Call, page: Members, page_by: PageBy) -> Call | None:
    items = cast("list[object]", page["items"])
    if page.get("has_more") is not True or page_by == "":
        return None
    if page_by == "sequence":
        is_back = ("order", "desc") in given.query
        name, value = (
            ("before_sequence", page.get("prev_sequence")) if is_back else ("after_sequence", page.get("next_sequence"))
        )
    else:
        name, value = ("after" if page_by == "after" else "cursor"), page.get("next_cursor")
    if value is None or (not items and value == dict(given.query).get(name)):
        return None
    if page_by == "body":
        return replace(given, body={**(given.body or {}), name: value})
    return replace(given, query=[*(pair for pair in given.query if pair[0] != name), (name, str(value))])
