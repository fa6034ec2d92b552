"""Errors of calls. Each code of the contract has a class of its own in `agent_service.errors`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast


class ApiError(Exception):
    """An answer of the service that is a refusal, or no answer at all (`ConnectionFailed`)."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        details: Mapping[str, object] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" (request {request_id})" if request_id else ""))
        self.code = code
        self.message = message
        self.status = status
        self.details: Mapping[str, object] = details or {}
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds that the service asks to wait before the next try."""


class ConnectionFailed(ApiError):
    """The service could not be reached, or the connection broke before the answer was whole. Its cause says how."""

    def __init__(self, message: str) -> None:
        super().__init__("connection_failed", message, status=0)


def error_of(
    status: int, body: bytes, classes: Mapping[str, type[ApiError]], request_id: str | None, retry_after: float | None
) -> ApiError:
    """The error of an answer. What is not of the service, such as a proxy's page, has the code `unknown`."""
    code, message, details = _told(body)
    if code is None:
        code, message = "unknown", f"status {status}"
    kind = classes.get(code, ApiError)
    return kind(code, message, status=status, details=details, request_id=request_id, retry_after=retry_after)


def _told(body: bytes) -> tuple[str | None, str, Mapping[str, object]]:
    try:
        parsed: object = json.loads(body)
    except ValueError:
        return None, "", {}
    error = cast("Mapping[str, object]", parsed).get("error") if isinstance(parsed, dict) else None
    if not isinstance(error, dict):
        return None, "", {}
    told = cast("Mapping[str, object]", error)
    code, message, details = told.get("code"), told.get("message"), told.get("details")
    if not isinstance(code, str):
        return None, "", {}
    return code, str(message), cast("Mapping[str, object]", details) if isinstance(details, dict) else {}
