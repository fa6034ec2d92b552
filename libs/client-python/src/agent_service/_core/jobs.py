"""A worker's side of the socket: what it says to what it is told, and which jobs it has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

Frame = Mapping[str, object]

CLAIM_SECONDS_MAX = 60.0
AGAIN_SECONDS = 2.0
REGISTRATION = "register"
# A larger frame ends the connection.
RESULT_BYTES_MAX = 8 * 1024 * 1024
MESSAGE_CHARACTERS_MAX = 4_000
UNAVAILABLE = "service_unavailable"
# Errors after which coming back is in vain.
FATAL = frozenset({"invalid_actor", "worker_instance_conflict"})


class WorkerRefused(Exception):
    """The service will not have this worker: its key may not, or another worker has its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class SilentService(Exception):
    """A claim stayed unanswered, or the service cannot take the worker now: another connection is needed."""


@dataclass
class Job:
    """A job that this worker has until it reports it or loses it."""

    id: str
    action_name: str
    parameters: Mapping[str, object]
    delivery_id: str
    attempt: int
    lease_token: str
    cadence: float
    session_id: str | None
    turn_id: str | None
    tool_call_id: str | None
    beats_at: float = 0.0
    cancelled: bool = False

    @property
    def lease(self) -> dict[str, object]:
        return {"job_id": self.id, "lease_token": self.lease_token}


@dataclass
class Told:
    """What came of a frame: answers to send, jobs to begin, jobs whose outcome is no longer wanted."""

    send: list[Frame] = field(default_factory=list[Frame])
    begin: list[Job] = field(default_factory=list[Job])
    cancel: list[Job] = field(default_factory=list[Job])


class WorkerProtocol:
    """Outlives its connections: jobs go on while there is none, and are reported on the next."""

    def __init__(self, instance_id: str, action_names: list[str], concurrency: int, name: str | None) -> None:
        self._instance_id = instance_id
        self._action_names = action_names
        self._concurrency = concurrency
        self._name = name
        self._token: str | None = None
        self._jobs: dict[str, Job] = {}
        self._reports: dict[str, Frame] = {}
        self._again: dict[str, float] = {}
        """Reports that the service could not note, and when they are said again."""
        self._claimed_at: float | None = None
        self.registered = False
        self._is_leaving = False
        self._claims = 0
        self.is_draining = False

    @property
    def is_done(self) -> bool:
        """Everything that it had is reported, and it takes no more."""
        return self.is_draining and not self._jobs and not self._reports

    def opened(self) -> list[Frame]:
        """A connection is there: its first frame."""
        self.registered = self._is_leaving = False
        self._claimed_at = None
        frame: dict[str, object] = {
            "type": "worker.register",
            "message_id": REGISTRATION,
            "worker_instance_id": self._instance_id,
            "action_names": self._action_names,
            "concurrency_limit": self._concurrency,
        }
        if self._name is not None:
            frame["name"] = self._name
        if self._token is not None:
            frame["worker_session_token"] = self._token
        return [frame]

    def heard(self, frame: Frame, now: float) -> Told:
        """Takes a frame of the service. Throws `WorkerRefused` where it is over for good."""
        told = Told()
        kind = frame.get("type")
        if kind == "worker.registered":
            self._token = str(frame["worker_session_token"])
            self.registered = True
            told.send += [*self._reports.values(), *(self._beat(job, now) for job in self._jobs.values())]
            if self.is_draining:
                told.send.append({"type": "worker.draining"})
        elif kind == "jobs.claimed":
            self._claimed_at = None
            for given in cast("list[object]", frame["jobs"]):
                self._take(cast(Frame, given), now, told)
        elif kind == "keepalive":
            told.send.append({"type": "keepalive"})
        elif kind == "job.report.ack":
            self._reports.pop(str(frame["job_id"]), None)
        elif kind == "job.cancel":
            told.cancel += self._cancelled(frame)
        elif kind == "job.heartbeat.ack" and isinstance(frame.get("cancel"), dict):
            told.cancel += self._cancelled(cast(Frame, frame["cancel"]))
        elif kind == "worker.drain":
            self._is_leaving = True
            told.send.append({"type": "worker.draining"})
        elif kind == "error":
            self._refused(frame, now)
        told.send += self._claim(now)
        return told

    def tick(self, now: float) -> list[Frame]:
        """What is due: heartbeats of jobs. Throws `SilentService` when a claim has no answer."""
        if not self.registered:
            return []
        if self._claimed_at is not None and now - self._claimed_at > CLAIM_SECONDS_MAX:
            raise SilentService("the service answers no claim")
        again = [self._reports[key] for key, due in self._again.items() if now >= due and key in self._reports]
        self._again = {key: due for key, due in self._again.items() if now < due}
        return [*again, *(self._beat(job, now) for job in self._jobs.values() if now >= job.beats_at)]

    def progressed(self, job: Job, progress: Mapping[str, object]) -> list[Frame]:
        return [{"type": "job.progress", **job.lease, "progress": dict(progress)}] if self.registered else []

    def finished(self, job: Job, report: Mapping[str, object], now: float) -> list[Frame]:
        """A job has an outcome. It is said again on the next connection until the service has noted it."""
        self._jobs.pop(job.id, None)
        frame = {"type": "job.report", "message_id": f"report-{job.id}", **job.lease, **report}
        self._reports[job.id] = frame
        return [frame, *self._claim(now)] if self.registered else []

    def drain(self) -> list[Frame]:
        """Takes no more jobs."""
        self.is_draining = True
        self._claimed_at = None
        return [{"type": "worker.draining"}] if self.registered else []

    def _claim(self, now: float) -> Iterator[Frame]:
        slots = self._concurrency - len(self._jobs)
        can = self.registered and not self.is_draining and not self._is_leaving
        if can and self._claimed_at is None and slots > 0:
            self._claimed_at = now
            self._claims += 1
            yield {"type": "jobs.claim", "message_id": f"claim-{self._claims}", "available_slots": slots}

    def _take(self, frame: Frame, now: float, told: Told) -> None:
        """A job that is offered again is the one at work here, or reported already: only its lease is new."""
        job_id, lease_token = str(frame["id"]), str(frame["lease_token"])
        known, report = self._jobs.get(job_id), self._reports.get(job_id)
        if known is not None:
            known.lease_token = lease_token
        elif report is not None:
            self._reports[job_id] = {**report, "lease_token": lease_token}
            told.send.append(self._reports[job_id])
        else:
            told.begin.append(self._begin(frame, now))

    def _begin(self, frame: Frame, now: float) -> Job:
        spec = cast(Frame, frame["spec"])
        cadence = float(cast(int, frame["heartbeat_cadence_seconds"]))
        job = Job(
            id=str(frame["id"]),
            action_name=str(frame.get("action_name", "")),
            parameters=cast("Mapping[str, object]", spec.get("parameters", {})),
            delivery_id=str(spec.get("delivery_id", frame["id"])),
            attempt=cast(int, frame["claim_attempt"]),
            lease_token=str(frame["lease_token"]),
            cadence=cadence,
            session_id=cast("str | None", frame.get("session_id")),
            turn_id=cast("str | None", frame.get("agent_turn_id")),
            tool_call_id=cast("str | None", frame.get("tool_call_id")),
            beats_at=now + cadence,
        )
        self._jobs[job.id] = job
        return job

    def _beat(self, job: Job, now: float) -> Frame:
        job.beats_at = now + job.cadence
        return {"type": "job.heartbeat", **job.lease}

    def _cancelled(self, directive: Frame) -> list[Job]:
        job = self._jobs.get(str(directive["job_id"]))
        if job is None:
            return []
        job.cancelled = True
        return [job]

    def _refused(self, frame: Frame, now: float) -> None:
        error = cast(Frame, frame["error"])
        code, message = str(error.get("code")), str(error.get("message"))
        message_id = str(frame.get("message_id", ""))
        if message_id == REGISTRATION and code == UNAVAILABLE:
            raise SilentService(message)
        if code in FATAL or message_id == REGISTRATION:
            raise WorkerRefused(code, message)
        if message_id == f"claim-{self._claims}":
            self._claimed_at = None
        elif (report := self._reports.get(message_id.removeprefix("report-"))) is not None:
            self._not_taken(report, code, message, now)

    def _not_taken(self, report: Frame, code: str, message: str, now: float) -> None:
        """A report is said again where the service could not note it; an output that it does not take fails the job."""
        job_id = str(report["job_id"])
        if code == UNAVAILABLE:
            self._again[job_id] = now + AGAIN_SECONDS
        elif report.get("status") == "failed":
            del self._reports[job_id]
        else:
            failure = failure_of(ValueError(f"the service does not take the output: {message}"))
            kept = {name: value for name, value in report.items() if name != "result"}
            self._reports[job_id] = {**kept, **failure}
            self._again[job_id] = now


def result_of(value: object) -> dict[str, object]:
    """The report of a job's output; what is no object is wrapped, as for actions over HTTP.

    Throws `TypeError` or `ValueError` for what is no JSON, or larger than a frame may be.
    """
    result = cast("dict[str, object]", value) if isinstance(value, dict) else {"output": value}
    if len(json.dumps(result, allow_nan=False)) > RESULT_BYTES_MAX:
        raise ValueError(f"the output has more than the {RESULT_BYTES_MAX} bytes that a worker may report")
    return {"result": result}


def failure_of(error: BaseException) -> dict[str, object]:
    name = type(error).__name__
    return {"status": "failed", "error_type": name, "error_message": (str(error) or name)[:MESSAGE_CHARACTERS_MAX]}
