"""Workers against a started service."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agent_service import AgentService, AsyncAgentService, JobContext, Worker, errors
from agent_service import models as m

from .conftest import Address
from .service import Service, make_agent, script, unique

GREETER = Path(__file__).with_name("greeter.py")
Input = Mapping[str, object]


def make_action(svc: AgentService, name: str | None = None) -> str:
    action = name or unique("act")
    if svc.actions.list(name=action).first() is None:
        svc.actions.create(name=action, endpoint_kind="worker")
    return action


class Running:
    """A worker at work in a thread of its own."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self.worker.drain()
        self._thread.join(60)
        assert not self._thread.is_alive() and self.error is None

    def ended(self) -> Exception | None:
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.error

    def _run(self) -> None:
        try:
            self.worker.run()
        except Exception as error:  # looked at by the test
            self.error = error


@pytest.fixture
def greeter(address: Address) -> Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, "SERVICE": address.url, "KEY": address.key}
    process = subprocess.Popen([sys.executable, str(GREETER)], env=env)
    yield process
    process.kill()
    process.wait(60)


def invoked(svc: AgentService, action: str, given: dict[str, object]) -> m.ActionInvocationResult:
    return svc.actions.invoke(action, input=given, timeout_seconds=30)


def test_the_example_has_20_lines_and_carries_out_an_action_of_a_turn(
    svc: AgentService, greeter: subprocess.Popen[bytes]
) -> None:
    assert len(GREETER.read_text("utf-8").strip().splitlines()) == 20
    make_action(svc, "greet")
    agent = make_agent(svc, action_selectors=[{"selector_type": "exact", "selector": "greet"}])
    steps = script({"call": {"name": "greet", "input": {"name": "Ann"}}}, {"read": "last_tool_result"})
    run = svc.invoke(agent["id"], steps, session=unique("s"))
    assert run.done()["status"] == "completed"
    assert "".join(run.text()) == '{"text":"Hello Ann"}'
    greeter.send_signal(signal.SIGTERM)
    assert greeter.wait(60) == 0


def test_actions_answer_fail_and_may_be_async(svc: AgentService) -> None:
    names = [make_action(svc) for _ in range(3)]

    async def add(given: Input, context: JobContext) -> object:
        await asyncio.sleep(0)
        return [given["a"], context.attempt, context.cancelled]

    def fail(given: Input, context: JobContext) -> object:
        raise ValueError(f"not {given['a']}")

    def sort(given: Input, context: JobContext) -> object:
        return {"delivery": context.delivery_id, "job": context.job_id}

    running = Running(svc.worker(dict(zip(names, (add, fail, sort), strict=True))))
    assert running.worker.connected(60)
    added = invoked(svc, names[0], {"a": 1})
    assert (added["status"], added.get("output")) == ("completed", {"output": [1, 1, False]})
    failed = invoked(svc, names[1], {"a": 2})
    assert failed["status"] == "failed" and "not 2" in failed.get("error", "")
    assert set(invoked(svc, names[2], {}).get("output", {})) == {"delivery", "job"}
    running.end()


def test_draining_finishes_the_job_at_work_and_takes_no_other(svc: AgentService) -> None:
    action, begun, go_on = make_action(svc), threading.Event(), threading.Event()

    def wait(given: Input, context: JobContext) -> object:
        begun.set()
        assert go_on.wait(60)
        return {"done": True}

    running = Running(svc.worker({action: wait}))
    assert running.worker.connected(60)
    results: list[m.ActionInvocationResult] = []
    caller = threading.Thread(target=lambda: results.append(invoked(svc, action, {})), daemon=True)
    caller.start()
    assert begun.wait(60)
    running.worker.drain()
    go_on.set()
    running.end()
    caller.join(60)
    assert [result.get("output") for result in results] == [{"done": True}]


def test_a_job_goes_on_over_a_restart_of_the_service() -> None:
    own = Service(SVC_WORKER_LEASE_SECONDS="6", SVC_LEASE_SECONDS="3").start()
    try:
        with own.client() as svc:
            action, begun, go_on = make_action(svc), threading.Event(), threading.Event()
            times: list[str] = []

            def wait(given: Input, context: JobContext) -> object:
                times.append(context.delivery_id)
                begun.set()
                assert go_on.wait(60)
                return {"text": "still here"}

            running = Running(svc.worker({action: wait}))
            agent = make_agent(svc, action_selectors=[{"selector_type": "exact", "selector": action}])
            steps = script({"call": {"name": action, "input": {}}}, {"read": "last_tool_result"})
            run = svc.invoke(agent["id"], steps, session="s")
            assert begun.wait(30)
            own.stop(signal.SIGKILL)
            own.start()
            go_on.set()
            assert run.done()["status"] == "completed"
            assert ("".join(run.text()), len(times)) == ('{"text":"still here"}', 1)
            running.end()
    finally:
        own.remove()


def test_a_job_that_is_cancelled_is_told_so_and_ends_what_waits(svc: AgentService) -> None:
    action = make_action(svc)
    agent = make_agent(svc, action_selectors=[{"selector_type": "exact", "selector": action}])
    begun, cancelled = threading.Event(), threading.Event()

    async def wait(given: Input, context: JobContext) -> object:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            assert context.cancelled and context.turn_id == run.turn_id
            cancelled.set()

    running = Running(svc.worker({action: wait}))
    run = svc.invoke(agent["id"], script({"call": {"name": action, "input": {}}}), session=unique("s"))
    assert begun.wait(30)
    run.cancel()
    assert cancelled.wait(30)
    running.end()


def test_progress_is_shown_to_who_follows_the_turn(svc: AgentService) -> None:
    action, seen = make_action(svc), threading.Event()
    agent = make_agent(svc, action_selectors=[{"selector_type": "exact", "selector": action}])

    def work(given: Input, context: JobContext) -> object:
        context.progress({"step": 1})
        return {"seen": seen.wait(60)}

    running = Running(svc.worker({action: work}))
    assert running.worker.connected(60)
    run = svc.invoke(agent["id"], script({"call": {"name": action, "input": {}}}), session=unique("s"))
    for frame in run.frames():
        if frame.data["event_type"] == "message.block.patch" and frame.data.get("progress") == {"step": 1}:
            seen.set()
    assert seen.is_set() and run.done()["status"] == "completed"
    running.end()


def test_a_key_that_may_not_work_ends_it(svc: AgentService, address: Address) -> None:
    user = svc.api_keys.create(name=unique("key"), role="User")["key"]
    action = make_action(svc)
    for key, kind in ((user, errors.PermissionDeniedError), ("svck_" + "x" * 40, errors.UnauthorizedError)):
        with AgentService(address.url, key) as other:
            assert isinstance(Running(other.worker({action: lambda given, context: None})).ended(), kind)


def test_a_revoked_key_ends_a_worker_that_is_at_work(svc: AgentService, address: Address) -> None:
    issued = svc.api_keys.create(name=unique("key"), role="Owner")
    with AgentService(address.url, issued["key"]) as other:
        running = Running(other.worker({make_action(svc): lambda given, context: None}))
        assert running.worker.connected(60)
        svc.api_keys.delete(issued["id"])
        assert isinstance(running.ended(), (errors.WorkerRefused, errors.UnauthorizedError))


def test_a_worker_in_asyncio(address: Address, svc: AgentService) -> None:
    action = make_action(svc)

    async def main() -> m.ActionInvocationResult:
        async with AsyncAgentService(address.url, address.key) as service:
            worker = service.worker({action: lambda given, context: {"text": f"Hello {given['name']}"}})
            running = asyncio.ensure_future(worker.run())
            await asyncio.wait_for(worker.connected(), 60)
            result = await service.actions.invoke(action, input={"name": "Bob"})
            await worker.drain()
            await asyncio.wait_for(running, 60)
            return result

    assert asyncio.run(main()).get("output") == {"text": "Hello Bob"}


def test_a_worker_without_actions_is_refused(svc: AgentService) -> None:
    with pytest.raises(ValueError, match="action"):
        svc.worker({}).run()
