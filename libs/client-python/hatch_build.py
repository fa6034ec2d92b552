"""Writes the types, operations and errors of the contract before a build in a checkout: pip install <this folder>."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = ("datamodel-code-generator==", "PyYAML==")


class ContractBuildHook(BuildHookInterface):
    """A source archive has the generated part already, and no contract."""

    @property
    def contract(self) -> Path:
        return Path(self.root).parents[1] / "contract" / "openapi.yaml"

    @property
    def in_checkout(self) -> bool:
        return self.contract.exists() and (Path(self.root) / "generator").is_dir()

    def dependencies(self) -> list[str]:
        if not self.in_checkout:
            return []
        pins = (Path(self.root) / "requirements.in").read_text().splitlines()
        return [pin for pin in pins if pin.startswith(NEEDED)]

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        folder = Path(self.root) / "src" / "agent_service" / "_generated"
        models = folder / "models.py"
        if not self.in_checkout or (models.exists() and models.stat().st_mtime >= self.contract.stat().st_mtime):
            return
        command = [sys.executable, "-m", "generator", str(self.contract), str(folder)]
        path = os.pathsep.join([self.root, *filter(None, [os.environ.get("PYTHONPATH")])])
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path})
