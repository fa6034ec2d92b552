from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

import httpx
import pytest

from agent_service import DeliveryError, verify_delivery

KEY = bytes(range(32))
SECRET = "whsec_" + base64.urlsafe_b64encode(KEY).decode().rstrip("=")
BODY = b'{"parameters": {"name": "\xc3\x84nn"}}'
NOW = 1_767_225_600


def signed(key: bytes = KEY, body: bytes = BODY, at: int = NOW, token: str = "Svc") -> dict[str, str]:
    digest = hmac.new(key, b"v1.dlv_1.%d." % at + body, hashlib.sha256).hexdigest()
    return {
        f"X-{token}-Signature": f"sha256={digest}",
        f"X-{token}-Signature-Version": "v1",
        f"X-{token}-Timestamp": str(at),
        f"X-{token}-Delivery-Id": "dlv_1",
        f"X-{token}-Secret-Version": "1",
    }


def clock() -> float:
    return NOW


def test_a_delivery_of_the_service_verifies() -> None:
    delivery = verify_delivery(signed(), BODY, SECRET, now=clock)
    assert (delivery.id, delivery.timestamp) == ("dlv_1", NOW)
    assert delivery.json() == {"parameters": {"name": "\u00c4nn"}}


def test_a_secret_of_another_form_is_its_bytes_and_headers_may_have_any_case() -> None:
    headers = {name.lower(): value for name, value in signed(b"a secret of mine").items()}
    assert verify_delivery(headers, BODY, "a secret of mine", now=clock).id == "dlv_1"


def test_a_request_is_taken_whole() -> None:
    request = httpx.Request("POST", "https://example.test/", headers=signed(), content=BODY)
    assert verify_delivery(request, SECRET, now=clock).body == BODY


def test_one_of_several_secrets_is_enough_while_one_is_replaced() -> None:
    assert verify_delivery(signed(), BODY, ["whsec_" + "x" * 43, SECRET], now=clock).id == "dlv_1"


def test_a_deployment_may_spell_the_headers_its_own_way() -> None:
    assert verify_delivery(signed(token="Acme"), BODY, SECRET, token="acme", now=clock).id == "dlv_1"


@pytest.mark.parametrize(
    "change",
    [
        {"X-Svc-Signature": "sha256=" + "0" * 64},
        {"X-Svc-Signature": signed()["X-Svc-Signature"].removeprefix("sha256=")},
        {"X-Svc-Signature": ""},
        {"X-Svc-Signature-Version": "v2"},
        {"X-Svc-Timestamp": str(NOW - 301)},
        {"X-Svc-Timestamp": str(NOW + 301)},
        {"X-Svc-Timestamp": "now"},
        {"X-Svc-Timestamp": str(NOW + 1)},
        {"X-Svc-Delivery-Id": "dlv_2"},
        {"X-Svc-Delivery-Id": ""},
        {"X-Svc-Secret-Version": "0"},
        {"X-Svc-Signature": "sha256=\u00e4"},
    ],
)
def test_what_was_changed_does_not_verify(change: dict[str, str]) -> None:
    with pytest.raises(DeliveryError):
        verify_delivery({**signed(), **change}, BODY, SECRET, now=clock)


def test_another_body_and_another_secret_do_not_verify() -> None:
    none: list[str] = []
    for body, secret in ((BODY + b" ", SECRET), (BODY, "whsec_" + "y" * 43), (BODY, ""), (BODY, none)):
        with pytest.raises(DeliveryError):
            verify_delivery(signed(), body, secret, now=clock)


def test_the_limit_of_the_clocks_is_300_seconds() -> None:
    for at in (NOW - 300, NOW + 300):
        assert verify_delivery(signed(at=at), BODY, SECRET, now=clock).timestamp == at


def hooked(key: bytes, at: int = NOW, body: bytes = BODY) -> dict[str, str]:
    digest = hmac.new(key, b"evt_1.%d." % at + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(secrets.token_bytes(32)).decode()} v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": "evt_1", "webhook-timestamp": str(at), "webhook-signature": signature}


def test_a_web_hook_verifies_by_its_own_headers() -> None:
    secret = "whsec_" + base64.b64encode(KEY).decode()
    assert verify_delivery(hooked(KEY), BODY, secret, now=clock).id == "evt_1"
    for headers in (hooked(KEY, NOW - 301), hooked(b"x" * 32), hooked(KEY, body=b"{}")):
        with pytest.raises(DeliveryError):
            verify_delivery(headers, BODY, secret, now=clock)


def test_the_example_of_standard_webhooks_verifies() -> None:
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    assert verify_delivery(headers, b'{"test": 2432232314}', secret, now=lambda: 1614265330).id.startswith("msg_")
