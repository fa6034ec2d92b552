"""What a worker says, without a socket."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agent_service import WorkerRefused
from agent_service._core.jobs import Frame, Job, SilentService, WorkerProtocol, failure_of, result_of

REGISTERED: Frame = {"type": "worker.registered", "worker_session_token": "wst_1", "lease": {}}


def claimed(job_id: str = "j", token: str = "l1") -> dict[str, object]:
    job: dict[str, object] = {"id": job_id, "kind": "action_execution", "action_name": "greet", "lease_token": token}
    job |= {
        "claim_attempt": 1,
        "heartbeat_cadence_seconds": 2,
        "spec": {"parameters": {"name": "Ann"}, "delivery_id": "d"},
    }
    return {"type": "jobs.claimed", "jobs": [job]}


def kinds(frames: list[Frame]) -> list[object]:
    return [frame["type"] for frame in frames]


def registered(concurrency: int = 2) -> WorkerProtocol:
    worker = WorkerProtocol("i", ["greet"], concurrency, None)
    [register] = worker.opened()
    assert (register["type"], register["action_names"]) == ("worker.register", ["greet"])
    assert kinds(worker.heard(REGISTERED, 0).send) == ["jobs.claim"]
    return worker


def begun(worker: WorkerProtocol) -> Job:
    [job] = worker.heard(claimed(), 0).begin
    return job


def test_it_claims_while_it_has_room() -> None:
    worker = registered(concurrency=1)
    told = worker.heard(claimed(), 0)
    assert [job.parameters for job in told.begin] == [{"name": "Ann"}]
    assert (told.begin[0].delivery_id, told.send) == ("d", [])
    frames = worker.finished(told.begin[0], result_of("hi"), 1)
    assert kinds(frames) == ["job.report", "jobs.claim"] and frames[0]["result"] == {"output": "hi"}


def test_an_empty_claim_is_made_again_and_keepalives_are_answered() -> None:
    worker = registered()
    assert kinds(worker.heard({"type": "jobs.claimed", "jobs": []}, 0).send) == ["jobs.claim"]
    assert kinds(worker.heard({"type": "keepalive"}, 0).send) == ["keepalive"]
    assert worker.heard({"type": "of.a.later.version"}, 0).send == []


def test_jobs_beat_and_a_silent_service_is_left() -> None:
    worker = registered()
    begun(worker)
    assert worker.tick(1.9) == []
    assert kinds(worker.tick(2)) == ["job.heartbeat"]
    assert worker.tick(3) == []
    with pytest.raises(SilentService):
        worker.tick(61)


def test_over_a_cut_it_comes_back_with_its_token_its_beats_and_its_reports() -> None:
    worker = registered()
    job = begun(worker)
    other = worker.heard(claimed("k"), 0).begin[0]
    assert worker.opened()[0]["worker_session_token"] == "wst_1"
    assert worker.finished(job, result_of({}), 1) == [] and worker.progressed(other, {}) == []
    again = worker.heard(REGISTERED, 2).send
    assert kinds(again) == ["job.report", "job.heartbeat", "jobs.claim"]
    assert worker.heard({"type": "job.report.ack", "job_id": "j"}, 2).send == []
    assert kinds(worker.heard(REGISTERED, 3).send)[:1] == ["job.heartbeat"]


def test_a_report_that_the_service_could_not_note_is_said_again() -> None:
    worker = registered()
    [report, *_] = worker.finished(begun(worker), result_of({}), 1)
    error = {"code": "service_unavailable", "message": "later"}
    worker.heard({"type": "error", "message_id": report["message_id"], "error": error}, 1)
    assert (kinds(worker.tick(2)), kinds(worker.tick(3)), kinds(worker.tick(4))) == ([], ["job.report"], [])


def test_an_output_that_the_service_does_not_take_fails_its_job_and_is_not_said_for_ever() -> None:
    worker = registered()
    [report, *_] = worker.finished(begun(worker), result_of({}), 1)
    error = {"code": "bad_request", "message": "at most 64 levels"}
    refused: Frame = {"type": "error", "message_id": report["message_id"], "error": error}
    worker.heard(refused, 1)
    [failed] = worker.tick(2)
    assert (failed["status"], failed["lease_token"], "result" in failed) == ("failed", "l1", False)
    assert "at most 64 levels" in str(failed["error_message"])
    worker.drain()
    worker.heard(refused, 2)
    assert worker.tick(9) == [] and worker.is_done


def test_a_job_that_is_offered_again_is_not_begun_twice() -> None:
    worker = registered()
    job = begun(worker)
    assert worker.heard(claimed(token="l2"), 5).begin == [] and job.lease_token == "l2"
    worker.finished(job, result_of({}), 6)
    told = worker.heard(claimed(token="l3"), 7)
    assert told.begin == [] and told.send[0]["lease_token"] == "l3"


@pytest.mark.parametrize(
    "frame",
    [{"type": "job.cancel", "job_id": "j"}, {"type": "job.heartbeat.ack", "job_id": "j", "cancel": {"job_id": "j"}}],
)
def test_a_job_whose_outcome_is_not_wanted_is_told_so(frame: Mapping[str, object]) -> None:
    worker = registered()
    job = begun(worker)
    assert worker.heard(frame, 0).cancel == [job] and job.cancelled
    assert worker.heard({"type": "job.cancel", "job_id": "unknown"}, 0).cancel == []


def test_draining_takes_no_more_and_is_done_when_the_last_report_is_noted() -> None:
    worker = registered()
    job = begun(worker)
    assert kinds(worker.drain()) == ["worker.draining"] and not worker.is_done
    assert kinds(worker.finished(job, result_of({}), 0)) == ["job.report"] and not worker.is_done
    worker.heard({"type": "job.report.ack", "job_id": "j"}, 0)
    assert worker.is_done


def test_a_service_that_goes_down_is_not_asked_for_more() -> None:
    worker = registered()
    assert kinds(worker.heard({"type": "worker.drain"}, 0).send) == ["worker.draining"]
    assert worker.heard({"type": "jobs.claimed", "jobs": []}, 0).send == []
    worker.opened()
    assert kinds(worker.heard(REGISTERED, 1).send) == ["jobs.claim"]


@pytest.mark.parametrize("code", ["invalid_actor", "worker_instance_conflict"])
def test_some_errors_end_it(code: str) -> None:
    with pytest.raises(WorkerRefused) as caught:
        registered().heard({"type": "error", "error": {"code": code, "message": "no"}}, 0)
    assert caught.value.code == code


def test_a_registration_that_is_not_taken_ends_it() -> None:
    worker = WorkerProtocol("i", ["x" * 300], 1, None)
    [register] = worker.opened()
    answer = {"type": "error", "message_id": register.get("message_id")}
    with pytest.raises(SilentService):
        worker.heard({**answer, "error": {"code": "service_unavailable", "message": "later"}}, 0)
    with pytest.raises(WorkerRefused):
        worker.heard({**answer, "error": {"code": "bad_request", "message": "too long"}}, 0)


def test_a_failure_says_what_happened() -> None:
    assert failure_of(KeyError("name")) == {"status": "failed", "error_type": "KeyError", "error_message": "'name'"}
    assert failure_of(ValueError())["error_message"] == "ValueError"
    assert failure_of(ValueError("x" * 5_000))["error_message"] == "x" * 4_000


@pytest.mark.parametrize("value", [object(), {"n": float("nan")}, {"t": "x" * 8 * 1024 * 1024}, ["é" * 2_000_000]])
def test_what_cannot_be_reported_fails_its_job(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        result_of(value)
