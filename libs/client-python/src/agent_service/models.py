"""Types of what the service takes and gives, as the contract has them."""

from __future__ import annotations

from ._generated.models import *  # noqa: F403
