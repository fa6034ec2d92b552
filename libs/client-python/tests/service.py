"""A started service of the tests' own, or the one that BASE_URL and OWNER_KEY name."""

from __future__ import annotations

import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx
from typing_extensions import Unpack

from agent_service import AgentService
from agent_service import models as m

T = TypeVar("T")

READY_SECONDS = 180.0
MODEL = "svc-scripted-1"
ENDLESS = json.dumps({"script": [{"wait_ms": 600_000}, {"say": "too late"}]})


def free_port() -> int:
    """A port below those of outgoing connections: none of them takes it before it is listened at."""
    for _ in range(100):
        port = random.randrange(20_000, 32_768)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue  # somebody listens there
    raise AssertionError("none of 100 ports is free")


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:16]}"


def script(*steps: object) -> str:
    return json.dumps({"script": steps})


def eventually(what: str, look: Callable[[], T | None], within: float = 60.0) -> T:
    """Looks again until there is something; the tests' only wait without an event to wait for."""
    deadline = time.monotonic() + within
    gate = threading.Event()
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        gate.wait(0.02)
    raise AssertionError(f"waited {within} s in vain for {what}")


class Service:
    """An embedded service with files of its own, which can be stopped and started again at the same address."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="aos-python-"))
        self.port = free_port()
        self.key = f"python_owner_{secrets.token_hex(24)}"
        self.url = f"http://127.0.0.1:{self.port}"
        self._settings = settings
        self._log = self.folder / "output"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Service:
        node, program = os.environ["SVC_TEST_NODE"], os.environ["SVC_TEST_PROGRAM"]
        settings = {
            "SVC_PORT": str(self.port),
            "SVC_DATA_DIR": str(self.folder / "data"),
            "SVC_BOOTSTRAP_ORG": "Python",
            "SVC_BOOTSTRAP_OWNER_KEY": self.key,
            "SVC_LOG_LEVEL": "warn",
            "SVC_RATE_LIMIT_KEY_RPM": "0",
            "SVC_RATE_LIMIT_ORG_RPM": "0",
            "SVC_STREAMS_PER_KEY": "0",
            "SVC_STREAMS_PER_ORG": "0",
            **self._settings,
        }
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([node, program], env={**os.environ, **settings}, stdout=log, stderr=log)
        eventually("the service to be ready", self._is_ready, READY_SECONDS)
        return self

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(READY_SECONDS)

    def remove(self) -> None:
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self) -> AgentService:
        return AgentService(self.url, self.key)

    def _is_ready(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(f"the service ended:\n{self._log.read_text('utf-8', 'replace')[-4000:]}")
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False


def make_agent(service: AgentService, **fields: Unpack[m.UpdateAgentRequest]) -> m.Agent:
    """An agent on the scripted model that every caller of the organization reaches."""
    made = service.agents.create(name=unique("agent"), visibility="organization", model=MODEL)
    return service.agents.update(made["id"], **fields) if fields else made
