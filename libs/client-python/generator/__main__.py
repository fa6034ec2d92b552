"""Writes the generated part of the client: python -m generator <contract.yaml> <folder>."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

import yaml

from generator.contract import Contract, Node
from generator.errors import errors_module
from generator.operations import operations_module

OPERATIONS_MIN = 100
MODELS_MIN = 300


def write_models(contract: Path, models: Path) -> ModuleType:
    """The contract's types as TypedDicts: an answer stays what came over the wire, with members of later versions."""
    options = [
        *("--input", str(contract), "--input-file-type", "openapi", "--output", str(models)),
        *("--output-model-type", "typing.TypedDict", "--target-python-version", "3.10", "--formatters", "builtin"),
        *("--openapi-scopes", "schemas", "parameters", "paths", "--use-operation-id-as-name"),
        *("--use-standard-collections", "--use-union-operator", "--enum-field-as-literal", "all"),
        *("--no-use-closed-typed-dict", "--disable-timestamp"),
    ]
    subprocess.run([sys.executable, "-m", "datamodel_code_generator", *options], check=True)
    spec = importlib.util.spec_from_file_location("generated_models", models)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generated_models"] = module
    spec.loader.exec_module(module)
    return module


def main(contract_path: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    document = cast(
        Node, yaml.load(contract_path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    )
    models = write_models(contract_path, folder / "models.py")
    contract = Contract(document)
    operations = contract.operations()
    if len(operations) < OPERATIONS_MIN or len(vars(models)) < MODELS_MIN:
        raise ValueError(f"only {len(operations)} operations and {len(vars(models))} types found")
    (folder / "operations.py").write_text(operations_module(operations, models), "utf-8")
    (folder / "errors.py").write_text(errors_module(contract.error_codes), "utf-8")
    (folder / "__init__.py").write_text(
        '"""Made from contract/openapi.yaml by libs/client-python/generator."""\n', "utf-8"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
