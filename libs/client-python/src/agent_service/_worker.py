"""A worker: carries out actions that the service hands it over a socket.

It runs in asyncio; actions that block have threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from ._core.calls import refusal
from ._core.effects import Response
from ._core.jobs import Frame, Job, SilentService, Told, WorkerProtocol, WorkerRefused, failure_of, result_of
from ._core.retries import RetryPolicy
from ._io import Target

TICK_SECONDS = 1.0
FRAME_BYTES_MAX = 64 * 1024 * 1024
log = logging.getLogger("agent_service.worker")


class JobContext:
    """What an action may know of the job that it carries out, and say of it."""

    def __init__(self, job: Job, progress: Callable[[Mapping[str, object]], None]) -> None:
        self._job = job
        self._progress = progress
        self.action_name = job.action_name
        self.job_id = job.id
        self.delivery_id = job.delivery_id
        """The same on every offer of the job: deduplicate effects on it."""
        self.attempt = job.attempt
        self.session_id = job.session_id
        self.turn_id = job.turn_id
        self.tool_call_id = job.tool_call_id

    @property
    def cancelled(self) -> bool:
        """The outcome is no longer wanted."""
        return self._job.cancelled

    def progress(self, progress: Mapping[str, object]) -> None:
        """Shows viewers of the turn how far it is; live only."""
        self._progress(progress)


Input: TypeAlias = Mapping[str, object]
Action: TypeAlias = Callable[[Input, JobContext], object]


class AsyncWorker:
    """Comes back by itself when its connection ends. After `drain()` it takes no more jobs and ends with its last."""

    def __init__(
        self,
        target: Target,
        policy: RetryPolicy,
        actions: Mapping[str, Action],
        *,
        concurrency: int = 1,
        name: str | None = None,
        instance_id: str | None = None,
    ) -> None:
        if not actions:
            raise ValueError("a worker has at least one action")
        self._target = target
        self._policy = policy
        self._actions = dict(actions)
        self._protocol = WorkerProtocol(instance_id or str(uuid.uuid4()), list(actions), concurrency, name)
        self._socket: ClientConnection | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._connected = asyncio.Event()
        self._drained = asyncio.Event()
        self._threads = ThreadPoolExecutor(concurrency, "action")

    async def run(self) -> None:
        """Works until drained. Throws `ApiError` when its key may not, `WorkerRefused` when it is over for good."""
        failures = 0
        try:
            while not self._protocol.is_done:
                began = await self._connection()
                failures = 0 if began else failures + 1
                if not self._protocol.is_done:
                    await self._pause(self._policy.stream_delay(failures))
        finally:
            for task in self._running.values():
                task.cancel()
            if self._running:
                await asyncio.wait(self._running.values())
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def connected(self) -> None:
        """Waits until the service knows the worker."""
        await self._connected.wait()

    async def drain(self) -> None:
        """Finishes what it has and ends `run()`."""
        await self._say(self._protocol.drain())
        await self._end_if_done()

    async def _connection(self) -> bool:
        """One connection to its end; gives whether there was one."""
        url = "ws" + self._target.base_url.removeprefix("http") + "/v1/workers/socket"
        headers = self._target.headers
        try:
            async with connect(
                url,
                additional_headers=headers,
                user_agent_header=None,
                open_timeout=self._target.connect_timeout,
                max_size=FRAME_BYTES_MAX,
            ) as socket:
                self._socket = socket
                await self._talk(socket)
            return True
        except InvalidStatus as refused:
            status, headers = refused.response.status_code, refused.response.headers
            named = {name.lower(): value for name, value in headers.raw_items()}
            error = refusal(Response(status, named, bytes(refused.response.body)))
            if status in {401, 403, 404}:
                raise error from None
            log.warning("the service refuses the connection: %s", error)
            return False
        except (OSError, InvalidHandshake, TimeoutError) as fault:
            log.info("no connection: %s", fault)
            return False
        except (ConnectionClosed, SilentService) as fault:
            log.info("the connection ended: %s", fault)
            return True
        finally:
            self._socket = None
            self._connected.clear()

    async def _talk(self, socket: ClientConnection) -> None:
        await self._say(self._protocol.opened())
        ticking = asyncio.create_task(self._tick(socket))
        try:
            async for text in socket:
                told = self._protocol.heard(cast(Frame, json.loads(text)), self._now())
                self._carry_out(told)
                await self._say(told.send)
        finally:
            ticking.cancel()
            await asyncio.wait([ticking])
        if ticking.done() and not ticking.cancelled() and (fault := ticking.exception()) is not None:
            raise fault

    async def _tick(self, socket: ClientConnection) -> None:
        try:
            while True:
                await asyncio.sleep(TICK_SECONDS)
                await self._say(self._protocol.tick(self._now()))
        except SilentService:
            await socket.close()
            raise

    def _carry_out(self, told: Told) -> None:
        for job in told.begin:
            self._running[job.id] = asyncio.create_task(self._work(job), name=f"job {job.id}")
        for job in told.cancel:
            task = self._running.get(job.id)
            if task is not None and inspect.iscoroutinefunction(self._actions.get(job.action_name)):
                task.cancel()
        if self._protocol.registered:
            self._connected.set()

    async def _work(self, job: Job) -> None:
        try:
            report = result_of(await self._perform(job))
        except asyncio.CancelledError:
            if not job.cancelled:
                raise
            report: Mapping[str, object] = {"status": "cancelled"}
        except Exception as error:  # the action's own: it is the job's outcome
            log.warning("the action %s failed", job.action_name, exc_info=error)
            report = failure_of(error)
        self._running.pop(job.id, None)
        await self._say(self._protocol.finished(job, report, self._now()))

    async def _perform(self, job: Job) -> object:
        action = self._actions.get(job.action_name)
        if action is None:
            raise LookupError(f"this worker has no action {job.action_name}")
        loop = asyncio.get_running_loop()
        context = JobContext(job, lambda progress: self._progress(loop, job, progress))
        if inspect.iscoroutinefunction(action):
            return await cast("Awaitable[object]", action(job.parameters, context))
        return await loop.run_in_executor(self._threads, action, job.parameters, context)

    def _progress(self, loop: asyncio.AbstractEventLoop, job: Job, progress: Mapping[str, object]) -> None:
        frames = self._protocol.progressed(job, progress)
        asyncio.run_coroutine_threadsafe(self._say(frames), loop)

    async def _say(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            socket = self._socket
            if socket is None:
                return  # what matters is said again on the next connection
            try:
                await socket.send(json.dumps(frame))
            except ConnectionClosed:
                return
        await self._end_if_done()

    async def _end_if_done(self) -> None:
        if not self._protocol.is_done:
            return
        self._drained.set()
        if self._socket is not None:
            await self._socket.close()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._drained.wait(), seconds)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class Worker:
    """The same for blocking programs: `run()` works in the thread that calls it, `drain()` may come from another."""

    def __init__(self, make: Callable[[], AsyncWorker]) -> None:
        self._make = make
        self._lock = threading.RLock()  # a signal may ask to drain in the thread that works
        self._worker: AsyncWorker | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connected = threading.Event()
        self._is_draining = False

    def run(self) -> None:
        asyncio.run(self._main())

    def connected(self, timeout: float | None = None) -> bool:
        """Waits until the service knows the worker; False when the time is over first."""
        return self._connected.wait(timeout)

    def drain(self) -> None:
        with self._lock:
            self._is_draining = True
            worker, loop = self._worker, self._loop
        if worker is not None and loop is not None:
            asyncio.run_coroutine_threadsafe(worker.drain(), loop)

    async def _main(self) -> None:
        worker = self._make()
        with self._lock:
            self._worker, self._loop = worker, asyncio.get_running_loop()
            is_draining = self._is_draining
        if is_draining:
            await worker.drain()
        noted = asyncio.create_task(self._note(worker))
        try:
            await worker.run()
        finally:
            noted.cancel()
            with self._lock:
                self._worker = self._loop = None

    async def _note(self, worker: AsyncWorker) -> None:
        await worker.connected()
        self._connected.set()


__all__ = ["Action", "AsyncWorker", "JobContext", "Worker", "WorkerRefused"]
