"""A worker that carries out the action `greet`: KEY=... python greeter.py"""

import os
import signal
from collections.abc import Mapping

from agent_service import AgentService, JobContext


def greet(given: Mapping[str, object], context: JobContext) -> dict[str, object]:
    context.progress({"step": "greeting"})
    return {"text": f"Hello {given['name']}"}


with AgentService(os.environ.get("SERVICE", "http://127.0.0.1:8080"), os.environ["KEY"]) as svc:
    worker = svc.worker({"greet": greet}, name="greeter")
    # Finishes the job that it has, and ends.
    for ends in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ends, lambda signum, frame: worker.drain())
    worker.run()
