"""Errors: `ApiError` for all, and a class for each code of the service."""

from __future__ import annotations

from ._core.delivery import DeliveryError as DeliveryError
from ._core.jobs import WorkerRefused as WorkerRefused
from ._errors import ApiError as ApiError
from ._errors import ConnectionFailed as ConnectionFailed
from ._generated.errors import *  # noqa: F403
