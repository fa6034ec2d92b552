"""Writes the resources: a class for blocking callers and one for asyncio, with a typed method for each operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from types import ModuleType
from typing import get_args

from generator.contract import Operation

# Resources with methods of their own beside the generated ones: the client makes them itself.
EXTENDED = {"events", "sessions"}

HEADING = '''"""Made from contract/openapi.yaml by libs/client-python/generator."""

from __future__ import annotations

from typing import cast, overload

from typing_extensions import Unpack

from .._resource import AsyncPages, AsyncResource, Pages, Resource, pairs, random_key
from . import models as m

'''


def operations_module(operations: Sequence[Operation], models: ModuleType) -> str:
    ordered = sorted(operations, key=lambda operation: operation.resource)
    text = HEADING
    resources: list[str] = []
    for resource, group in groupby(ordered, key=lambda operation: operation.resource):
        members = list(group)
        resources.append(resource)
        for is_async in (False, True):
            text += class_text(resource, members, is_async, models)
    for is_async in (False, True):
        text += holder_text([name for name in resources if name not in EXTENDED], is_async)
    return text


def class_text(resource: str, operations: Iterable[Operation], is_async: bool, models: ModuleType) -> str:
    base = "AsyncResource" if is_async else "Resource"
    methods = "\n".join(method_text(operation, is_async, models) for operation in operations)
    return f"\nclass {class_name(resource, is_async)}({base}):\n{methods}\n"


def holder_text(resources: Sequence[str], is_async: bool) -> str:
    base = "AsyncResource" if is_async else "Resource"
    lines = "".join(f"        self.{name} = {class_name(name, is_async)}(*parts)\n" for name in resources)
    prefix = "Async" if is_async else ""
    parts = "        parts = (resource.client, resource.target, resource.policy)\n"
    return f"\nclass {prefix}Operations:\n    def __init__(self, resource: {base}) -> None:\n{parts}{lines}\n"


def class_name(resource: str, is_async: bool) -> str:
    name = "".join(part.capitalize() for part in resource.split("_"))
    return f"Async{name}" if is_async else name


def method_text(operation: Operation, is_async: bool, models: ModuleType) -> str:
    query = f"m.{operation.id[0].upper()}{operation.id[1:]}ParametersQuery" if operation.query else None
    if query is not None and not hasattr(models, query.removeprefix("m.")):
        raise ValueError(f"{operation.id}: its query has no type {query}")
    bodies = body_types(operation, models)
    wide = "**body: object" if len(bodies) > 1 else None
    head = "".join(
        f"    @overload\n{signature(operation, is_async, query, f'**body: Unpack[{body}]')} ...\n"
        for body in (bodies if wide else [])
    )
    given = wide or (f"**body: Unpack[{bodies[0]}]" if bodies else None)
    return f"{head}{signature(operation, is_async, query, given)}\n{body_text(operation, is_async, query)}"


def body_types(operation: Operation, models: ModuleType) -> list[str]:
    """The members of a body that is one of several; keywords cannot be spread over a union."""
    if operation.body is None:
        return []
    members = get_args(getattr(models, operation.body))
    return [f"m.{member.__name__}" for member in members] if members else [f"m.{operation.body}"]


def signature(operation: Operation, is_async: bool, query: str | None, body: str | None) -> str:
    parts = ["self", *(f"{name}: str" for name in operation.path_names), "/"]
    if operation.key_header or (query and body):
        parts.append("*")
    if operation.key_header:
        parts.append("idempotency_key: str | None = None")
    if query and body:
        parts.append(f"query: {query} | None = None")
    elif query:
        parts.append(f"**query: Unpack[{query}]")
    if body:
        parts.append(body)
    kind = "async def" if is_async and operation.item is None else "def"
    return f"    {kind} {operation.method}({', '.join(parts)}) -> {answer_type(operation, is_async)}:"


def answer_type(operation: Operation, is_async: bool) -> str:
    if operation.item is not None:
        return f"{'AsyncPages' if is_async else 'Pages'}[m.{operation.item}]"
    return "None" if operation.answer is None else f"m.{operation.answer}"


def body_text(operation: Operation, is_async: bool, query: str | None) -> str:
    arguments = [f'"{operation.verb}"', path_text(operation)]
    if query:
        arguments.append("query=pairs(query or {})" if operation.body is not None else "query=pairs(query)")
    if operation.body is not None:
        arguments.append("body=body" if operation.body_required else "body=body or None")
    if operation.key_header:
        arguments.append("idempotency_key=idempotency_key or random_key()")
    if operation.key_body:
        arguments.append("key_in_body=True")
    doc = f'        r"""{operation.summary}."""\n'
    if operation.item is not None:
        arguments.append(f'page_by="{operation.page_by}"')
        call = f"self._pages({', '.join(arguments)})"
        return f'{doc}        return cast("{answer_type(operation, is_async)}", {call})\n'
    call = f"{'await ' if is_async else ''}self._call({', '.join(arguments)})"
    if operation.answer is None:
        return f"{doc}        {call}\n"
    return f'{doc}        return cast("m.{operation.answer}", {call})\n'


def path_text(operation: Operation) -> str:
    names = operation.path_names
    if not names:
        return f'"{operation.path}"'
    return f'self._path("{operation.path}", {", ".join(f"{name}={name}" for name in names)})'
