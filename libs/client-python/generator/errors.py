"""One class of error for each code of the contract's catalog."""

from __future__ import annotations

from collections.abc import Mapping

HEADING = '''"""Made from contract/openapi.yaml by libs/client-python/generator."""

from __future__ import annotations

from .._errors import ApiError

'''


def errors_module(codes: Mapping[str, Mapping[str, object]]) -> str:
    names = {code: class_name(code) for code in codes}
    classes = "".join(
        f'\nclass {name}(ApiError):\n    r"""{codes[code]["meaning"]} Status {codes[code]["status"]}."""\n\n'
        for code, name in names.items()
    )
    table = "".join(f'    "{code}": {name},\n' for code, name in names.items())
    exported = "".join(f'    "{name}",\n' for name in ["ERRORS", *sorted(names.values())])
    return f"{HEADING}{classes}\nERRORS: dict[str, type[ApiError]] = {{\n{table}}}\n\n__all__ = [\n{exported}]\n"


def class_name(code: str) -> str:
    """`session_turn_active` is `SessionTurnActiveError`."""
    name = "".join(part.capitalize() for part in code.split("_"))
    return name if name.endswith("Error") else f"{name}Error"
