"""The example examples/python-worker, run in a copy of its folder as its README says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from .conftest import Address

EXAMPLE = Path(__file__).parents[3] / "examples" / "python-worker"


def test_the_worker_prints_what_the_readme_of_the_example_says(address: Address, tmp_path: Path) -> None:
    folder = tmp_path / "python-worker"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
    (folder / ".venv").symlink_to(sys.prefix)  # the environment with the wheel stands for the README's
    readme = (folder / "README.md").read_text("utf-8")
    (command, printed) = re.findall(r"```(?:sh|text)\n(.*?)```", readme, re.DOTALL)
    install, run = command.strip().splitlines()
    assert install == "python3 -m venv .venv && .venv/bin/pip install -q agent-service-client"
    shell = subprocess.Popen(
        ["bash", "-c", run],
        cwd=folder,
        env={**os.environ, "SVC_URL": address.url, "SVC_KEY": address.key},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert shell.wait(180) == 0
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
    assert shell.communicate(timeout=60)[0] == printed
