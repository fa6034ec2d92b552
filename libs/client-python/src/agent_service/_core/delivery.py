"""Whether a delivery comes from the service: signed calls of actions, callbacks of questions, and web hooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, overload

TOLERANCE_SECONDS = 300
SEALED = re.compile(r"^whsec_[A-Za-z0-9_-]{43}$")
SECONDS = re.compile(r"^[1-9]\d{0,15}$")


class DeliveryError(ValueError):
    """The delivery does not verify: it is not to be acted on."""


@dataclass(frozen=True)
class Delivery:
    id: str
    """The same for every try of one delivery: deduplicate effects on it."""
    timestamp: int
    body: bytes

    def json(self) -> object:
        return json.loads(self.body)


class SignedRequest(Protocol):
    """A request as httpx, and with its bytes at hand, as most frameworks have it."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def content(self) -> bytes: ...


Secret = str | Sequence[str]


@overload
def verify_delivery(
    request: SignedRequest, secret: Secret, /, *, token: str = ..., now: Callable[[], float] = ...
) -> Delivery: ...
@overload
def verify_delivery(
    headers: Mapping[str, str],
    body: bytes,
    secret: Secret,
    /,
    *,
    token: str = ...,
    now: Callable[[], float] = ...,
) -> Delivery: ...
def verify_delivery(
    first: SignedRequest | Mapping[str, str],
    second: bytes | Secret,
    third: Secret | None = None,
    /,
    *,
    token: str = "svc",
    now: Callable[[], float] = time.time,
) -> Delivery:
    """Gives the delivery when it was signed with the secret, or with one of several while one is being replaced.

    Takes    a request with `headers` and `content`, or headers and the body's bytes as they came; the secret; the token
             of the header names where the deployment changed it (`SVC_WIRE_TOKEN`).
    Refuses  `DeliveryError`: a header is missing, the signature is of another secret or body, or its time is more than
             300 seconds from now.
    """
    if third is None:
        if isinstance(second, bytes):
            raise TypeError("verify_delivery takes a request and a secret, or headers, the body's bytes and a secret")
        request = cast(SignedRequest, first)
        headers, body, secret = request.headers, request.content, second
    else:
        headers, body, secret = cast("Mapping[str, str]", first), cast(bytes, second), third
    secrets = [secret] if isinstance(secret, str) else list(secret)
    named = {name.lower(): value for name, value in headers.items()}
    if not all(secrets) or not secrets:
        raise DeliveryError("there is no secret to verify with")
    if "webhook-signature" in named:
        return _verify_hook(named, body, secrets, now())
    return _verify_call(named, body, secrets, f"x-{token.lower()}-", now())


def _verify_call(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], prefix: str, now: float) -> Delivery:
    if _header(headers, f"{prefix}signature-version") != "v1":
        raise DeliveryError("the signature's version is not v1")
    delivery_id = _header(headers, f"{prefix}delivery-id")
    timestamp = _seconds(headers, f"{prefix}timestamp", now)
    if not SECONDS.match(_header(headers, f"{prefix}secret-version")):
        raise DeliveryError("the secret's version is no number")
    signed = f"v1.{delivery_id}.{timestamp}.".encode() + body
    given = _header(headers, f"{prefix}signature")
    keys = [_call_key(secret) for secret in secrets]
    expected = ["sha256=" + hmac.new(key, signed, hashlib.sha256).hexdigest() for key in keys]
    return _judged([given], expected, Delivery(delivery_id, timestamp, body))


def _verify_hook(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: float) -> Delivery:
    delivery_id = _header(headers, "webhook-id")
    timestamp = _seconds(headers, "webhook-timestamp", now)
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    given = _header(headers, "webhook-signature").split(" ")
    digests = [hmac.new(_hook_key(secret), signed, hashlib.sha256).digest() for secret in secrets]
    expected = ["v1," + base64.b64encode(digest).decode() for digest in digests]
    return _judged(given, expected, Delivery(delivery_id, timestamp, body))


def _judged(given: Sequence[str], expected: Sequence[str], delivery: Delivery) -> Delivery:
    # Every pair is compared, so that the time taken says nothing.
    matches = [hmac.compare_digest(one.encode(), other.encode()) for one in given for other in expected]
    if not any(matches):
        raise DeliveryError("the signature is of another secret or another body")
    return delivery


def _call_key(secret: str) -> bytes:
    if not SEALED.match(secret):
        return secret.encode()
    return base64.urlsafe_b64decode(secret.removeprefix("whsec_") + "=")


def _hook_key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise DeliveryError("the secret of a web hook is whsec_ and base64") from error


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if not value:
        raise DeliveryError(f"the header {name} is missing")
    return value


def _seconds(headers: Mapping[str, str], name: str, now: float) -> int:
    text = _header(headers, name)
    if not SECONDS.match(text) or abs(int(text) - now) > TOLERANCE_SECONDS:
        raise DeliveryError(f"{name} is more than {TOLERANCE_SECONDS} seconds from now")
    return int(text)
