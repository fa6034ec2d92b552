"""What the generator needs of the contract: operations with their names, paths, bodies and answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

Node = Mapping[str, object]

# Words of an operation's name that say what its resource says already.
SAID_BY_RESOURCE = {
    "events": {"source", "event", "events"},
    "organization": {"org"},
    "permissions": {"org", "permissions"},
    "interactions": {"to", "interaction", "interactions"},
    "api_keys": {"api", "key", "keys"},
    "artifacts": {"artifact", "artifacts"},
}
# A list whose answer says more than its items is given whole.
LIST_MEMBERS = {"items", "has_more", "next_cursor", "next_sequence", "prev_sequence"} | {
    "count",
    "limit",
    "search_coverage",
    "total_credit_cost",
    "total_credit_cost_milli",
    "total_raw_quantity",
}
KEYWORDS = {"import"}
# Operations that stand with what they act on, and not where their path begins.
PLACED = {
    "cancelNudge": ("nudges", "cancel"),
    "cancelTurn": ("turns", "cancel"),
    "getArtifactStorageQuota": ("artifacts", "get_storage_quota"),
    "listAuditEntries": ("audit", "list"),
    "receiveEmail": ("events", "receive_email"),
    "receiveProviderEvent": ("events", "receive_provider_event"),
    "startTurn": ("turns", "start"),
    "updateResourceOwnership": ("ownership", "update"),
}
# Reads and writes of bytes and pages for people are no typed operations.
JSON = "application/json"


@dataclass(frozen=True)
class Operation:
    """One operation of the contract, as the client offers it."""

    id: str
    resource: str
    method: str
    verb: str
    path: str
    summary: str
    query: bool
    """Whether it takes a query."""
    required_query: bool
    body: str | None
    """Name of the body's type."""
    body_required: bool
    answer: str | None
    """Name of the answer's type."""
    item: str | None
    """Type of a row, where the answer is a list to page through."""
    page_by: str
    """How the next page is asked for: `query`, `body`, `sequence`, `after` or nothing."""
    key_header: bool
    """Takes an idempotency key as a header of its own."""
    key_body: bool
    """Takes an idempotency key in its body."""

    @property
    def path_names(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)


def words_of(name: str) -> list[str]:
    name = name.replace("OAuth", "Oauth")
    return [word.lower() for word in re.findall(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]?[a-z0-9]+", name)]


class Contract:
    def __init__(self, document: Node) -> None:
        self._document = document

    @property
    def error_codes(self) -> dict[str, Node]:
        return cast("dict[str, Node]", self._document["x-error-catalog"])

    def operations(self) -> list[Operation]:
        """Every operation under /v1 whose bodies are JSON; refuses two with one name."""
        found = [operation for operation in self._operations() if operation is not None]
        counts = Counter((operation.resource, operation.method) for operation in found)
        twice = [f"{resource}.{method}" for (resource, method), count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"two operations would be named {', '.join(twice)}")
        return found

    def _operations(self) -> Iterator[Operation | None]:
        paths = cast("Mapping[str, Mapping[str, Node]]", self._document["paths"])
        for path, verbs in paths.items():
            if path.startswith("/v1/"):
                for verb, operation in verbs.items():
                    if "operationId" in operation:
                        yield self._operation(path, verb.upper(), operation)

    def _operation(self, path: str, verb: str, operation: Node) -> Operation | None:
        parameters = [self._resolve(one) for one in cast("list[Node]", operation.get("parameters", []))]
        responses = cast("Mapping[str, Node]", operation["responses"])
        answers = [self._resolve(one) for status, one in responses.items() if status.startswith("2")]
        contents = [cast("Mapping[str, Node]", one.get("content", {})) for one in answers]
        types = {name for content in contents for name in content}
        body = cast("Node", operation.get("requestBody", {}))
        body_content = cast("Mapping[str, Node]", body.get("content", {}))
        if (types and JSON not in types) or (body_content and JSON not in body_content) or "101" in responses:
            return None
        answer = next((name for content in contents if (name := self._schema_name(content))), None)
        body_name = self._schema_name(body_content)
        query = [one for one in parameters if one["in"] == "query"]
        names = {cast(str, one["name"]) for one in query}
        operation_id = cast(str, operation["operationId"])
        resource = path.split("/")[2].replace("-", "_")
        resource, method = PLACED.get(operation_id, (resource, self._method(operation_id, resource)))
        item, page_by = self._paging(operation_id, answer, names, body_name)
        key_header = any(one["in"] == "header" and one["name"] == "Idempotency-Key" for one in parameters)
        key_body = body_name is not None and self._has_key(body_name)
        return Operation(
            id=operation_id,
            resource=resource,
            method=method,
            verb=verb,
            path=path,
            summary=cast(str, operation["summary"]),
            query=bool(query),
            required_query=any(one.get("required") is True for one in query),
            body=body_name,
            body_required=body.get("required") is True,
            answer=answer,
            item=item,
            page_by=page_by,
            key_header=key_header and not key_body,
            key_body=key_body,
        )

    def _method(self, operation_id: str, resource: str) -> str:
        parts = resource.split("_")
        said = SAID_BY_RESOURCE.get(resource, set()) | set(parts) | {part.removesuffix("s") for part in parts}
        verb, *rest = words_of(operation_id)
        name = "_".join([verb, *(word for word in rest if word not in said)])
        return f"{name}_" if name in KEYWORDS else name

    def _paging(
        self, operation_id: str, answer: str | None, query: set[str], body: str | None
    ) -> tuple[str | None, str]:
        if answer is None or words_of(operation_id)[0] not in {"list", "query", "search"}:
            return None, ""
        members = self._members(answer)
        if "items" not in members or not set(members) <= LIST_MEMBERS:
            return None, ""
        item = cast(str, cast(Node, members["items"]["items"])["$ref"]).split("/")[-1]
        if "cursor" in query:
            return item, "query"
        if body is not None and "cursor" in self._members(body):
            return item, "body"
        if "after_sequence" in query:
            return item, "sequence"
        return item, "after" if "after" in query else ""

    def _has_key(self, body: str) -> bool:
        members = self._members(body)
        given = members.get("input")
        if (
            given is not None
            and "$ref" in given
            and "idempotency_key" in self._members(cast(str, given["$ref"]).split("/")[-1])
        ):
            return True
        return "idempotency_key" in members

    def _members(self, schema: str) -> Mapping[str, Node]:
        schemas = cast("Mapping[str, Node]", cast(Node, self._document["components"])["schemas"])
        return cast("Mapping[str, Node]", schemas[schema].get("properties", {}))

    def _schema_name(self, content: Mapping[str, Node]) -> str | None:
        schema = cast(Node, content.get(JSON, {}).get("schema", {}))
        return cast(str, schema["$ref"]).split("/")[-1] if "$ref" in schema else None

    def _resolve(self, node: Node) -> Node:
        if "$ref" not in node:
            return node
        found: object = self._document
        for part in cast(str, node["$ref"]).removeprefix("#/").split("/"):
            found = cast("dict[str, object]", found)[part]
        return cast("dict[str, object]", found)
