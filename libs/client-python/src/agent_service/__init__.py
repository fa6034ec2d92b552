"""Client of the agent orchestration service."""

from __future__ import annotations

from ._async_streams import AsyncFollow, AsyncRun, AsyncTranscript
from ._client import AgentService, AsyncAgentService
from ._core.delivery import Delivery, DeliveryError, verify_delivery
from ._core.fold import TranscriptFold
from ._core.frames import Frame
from ._core.jobs import WorkerRefused
from ._core.retries import RetryPolicy
from ._errors import ApiError, ConnectionFailed
from ._resource import AsyncPages, Pages
from ._streams import Follow, Run, Transcript
from ._worker import AsyncWorker, JobContext, Worker

__all__ = [
    "AgentService",
    "ApiError",
    "AsyncAgentService",
    "AsyncFollow",
    "AsyncPages",
    "AsyncRun",
    "AsyncTranscript",
    "AsyncWorker",
    "ConnectionFailed",
    "Delivery",
    "DeliveryError",
    "Follow",
    "Frame",
    "JobContext",
    "Pages",
    "RetryPolicy",
    "Run",
    "Transcript",
    "TranscriptFold",
    "Worker",
    "WorkerRefused",
    "verify_delivery",
]
