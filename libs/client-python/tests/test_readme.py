"""The README's example, run as it stands but for the address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from .conftest import Address

README = Path(__file__).parents[1] / "README.md"


def test_the_example_of_the_readme_runs(address: Address) -> None:
    blocks: list[str] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    program = blocks[0].replace("http://127.0.0.1:8080", address.url)
    env = {**os.environ, "KEY": address.key}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=180, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "tok0 tok1 tok2 tok3 tok4 tok5 tok6 tok7 completed\n"
