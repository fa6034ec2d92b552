from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from agent_service import AgentService
from agent_service import models as m

from .service import Service, make_agent


class Address:
    """Where the service under test is."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key


@pytest.fixture(scope="session")
def address() -> Iterator[Address]:
    if "BASE_URL" in os.environ:
        yield Address(os.environ["BASE_URL"], os.environ["OWNER_KEY"])
        return
    service = Service(SVC_WORKER_LEASE_SECONDS="6").start()
    try:
        yield Address(service.url, service.key)
    finally:
        service.remove()


@pytest.fixture
def svc(address: Address) -> Iterator[AgentService]:
    with AgentService(address.url, address.key) as service:
        yield service


@pytest.fixture
def agent(svc: AgentService) -> m.Agent:
    return make_agent(svc)
