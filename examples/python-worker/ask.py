"""Makes the action and an agent that may call it, and asks that agent."""

import json
import os

from agent_service import AgentService

INPUT = {"type": "object", "required": ["article"], "properties": {"article": {"type": "string"}}}


def script(*steps: object) -> str:
    """What svc-scripted-1 does. A real model is given words instead: `Is the lamp in stock?`"""
    return json.dumps({"script": steps})


def look_up(article: str) -> object:
    return {"call": {"name": "stock_check", "input": {"article": article}}}


with AgentService(os.environ.get("SVC_URL", "http://127.0.0.1:8080"), os.environ["SVC_KEY"]) as svc:
    # A second run finds what is there.
    svc.blueprints.apply(
        namespace="examples",
        blueprint_key="python-worker",
        resources={
            "actions": [{"key": "check", "name": "stock.check", "type": "worker", "input_schema": INPUT}],
            "agents": [
                {
                    "key": "clerk",
                    "name": "clerk",
                    "model": "svc-scripted-1",
                    "system_prompt": "You say what is in stock. Look it up with stock_check before you answer.",
                    "action_selectors": [{"selector_type": "exact", "selector": "stock.check"}],
                }
            ],
        },
    )
    for article in ("lamp", "sofa"):
        run = svc.invoke("clerk", script(look_up(article), {"read": "last_tool_result"}), session=f"stock-{article}")
        print(f"agent: {''.join(run.text())}", flush=True)
        print(f"turn: {run.done()['status']}", flush=True)
