"""Carries out the action `stock.check`, where your stock can be reached."""

import os
import signal
from collections.abc import Mapping

from agent_service import AgentService, JobContext

STOCK = {"lamp": 4, "chair": 0}


def check(given: Mapping[str, object], context: JobContext) -> dict[str, object]:
    article = str(given["article"])
    if article not in STOCK:
        raise LookupError(f"there is no {article}")  # the agent reads this, and its turn goes on
    print(f"worker: {article} looked up", flush=True)
    return {"article": article, "left": STOCK[article]}


with AgentService(os.environ.get("SVC_URL", "http://127.0.0.1:8080"), os.environ["SVC_KEY"]) as svc:
    worker = svc.worker({"stock.check": check}, name="stock")
    signal.signal(signal.SIGTERM, lambda signum, frame: worker.drain())  # finishes the job that it has
    worker.run()
