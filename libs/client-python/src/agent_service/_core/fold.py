"""The state of a session out of its snapshot and its frames."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .._generated import models as m

Record = dict[str, object]
FINAL_STATUSES = frozenset({"completed", "failed", "cancelled"})
PATCHED = ("status", "progress", "resolved_action")


class TranscriptFold:
    """Records by id, blocks by their index.

    Deltas count only where row and block are known; rows that are being written go with the final frame of their turn;
    frames of unknown types change nothing.
    """

    def __init__(self) -> None:
        self._messages: dict[str, Record] = {}
        self._turns: dict[str, Record] = {}
        self._interactions: dict[str, Record] = {}
        self._written: set[str] = set()
        """Rows that are being written."""

    @property
    def messages(self) -> list[m.SessionTranscriptMessage]:
        """Rows by sequence, behind them those that are being written."""
        rows = sorted(self._messages.values(), key=_row_order)
        return [cast("m.SessionTranscriptMessage", copy.deepcopy(row)) for row in rows]

    @property
    def turns(self) -> list[m.SessionTranscriptTurn]:
        rows = sorted(self._turns.values(), key=_record_order)
        return [cast("m.SessionTranscriptTurn", copy.deepcopy(row)) for row in rows]

    @property
    def interactions(self) -> list[m.Interaction]:
        rows = sorted(self._interactions.values(), key=_record_order)
        return [cast("m.Interaction", copy.deepcopy(row)) for row in rows]

    def page(self, page: Mapping[str, object], *, is_last: bool) -> None:
        """Takes a page of the snapshot. With the last one, what is being written or open here and not there is gone."""
        for row in _records(page, "messages"):
            self._message(copy.deepcopy(row))
        for row in _records(page, "turns"):
            self._turn(copy.deepcopy(row))
        for row in _records(page, "interactions"):
            self._interactions[_id(row)] = copy.deepcopy(row)
        if not is_last:
            return
        for key in self._written - {_id(row) for row in _records(page, "messages")}:
            self._drop(key)
        is_open = {_id(row) for row in _records(page, "interactions")}
        self._interactions = {
            key: row for key, row in self._interactions.items() if row.get("status") != "pending" or key in is_open
        }

    def frame(self, data: Mapping[str, object]) -> None:
        kind = data.get("event_type")
        if kind == "message.upsert":
            self._message(_record(data))
        elif kind == "turn.upsert":
            self._turn(_record(data))
        elif kind == "interaction.upsert":
            self._interactions[_id(data)] = _record(data)
        elif kind in {"message.block", "message.delta", "message.block.patch"}:
            self._block(str(kind), data)

    def text_of(self, message_id: str) -> str:
        """The text blocks of a row together; empty for one that is not known."""
        row = self._messages.get(message_id)
        blocks = cast("list[Record]", row["content"]) if row is not None else []
        return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")

    def message(self, message_id: str) -> Mapping[str, object] | None:
        return self._messages.get(message_id)

    def _turn(self, turn: Record) -> None:
        self._turns[_id(turn)] = turn
        if turn.get("status") not in FINAL_STATUSES:
            return
        for key in [key for key in self._written if self._messages[key].get("turn_id") == turn["id"]]:
            self._drop(key)

    def _message(self, row: Record) -> None:
        self._messages[_id(row)] = row
        if row.get("status") == "streaming":
            self._written.add(_id(row))
        else:
            self._written.discard(_id(row))

    def _drop(self, key: str) -> None:
        self._written.discard(key)
        del self._messages[key]

    def _block(self, kind: str, data: Mapping[str, object]) -> None:
        row = self._messages.get(str(data.get("message_id")))
        index = data.get("content_index")
        if row is None or not isinstance(index, int) or index < 0:
            return
        content = cast("list[Record]", row["content"])
        if kind == "message.block":
            block = copy.deepcopy(cast(Record, data["block"]))
            if index < len(content):
                content[index] = block
            elif index == len(content):
                content.append(block)
            return
        if index >= len(content):
            return
        if kind == "message.delta":
            _grow(content[index], data)
        else:
            _patch(content[index], data)


def _grow(block: Record, data: Mapping[str, object]) -> None:
    for name in ("text", "thinking"):
        grown = data.get(name)
        if isinstance(grown, str):
            block[name] = str(block.get(name, "")) + grown


def _patch(block: Record, data: Mapping[str, object]) -> None:
    for name in PATCHED:
        if name in data:
            block[name] = copy.deepcopy(data[name])
    if "progress" in data and data["progress"] is None:
        del block["progress"]


def _record(data: Mapping[str, object]) -> Record:
    return {name: copy.deepcopy(value) for name, value in data.items() if name != "event_type"}


def _records(page: Mapping[str, object], name: str) -> Iterable[Record]:
    return cast("list[Record]", page[name])


def _id(record: Mapping[str, object]) -> str:
    return str(record["id"])


def _row_order(row: Record) -> tuple[bool, int, str, int]:
    sequence, index = row.get("sequence"), row.get("turn_index")
    return (
        not isinstance(sequence, int),
        sequence if isinstance(sequence, int) else 0,
        str(row.get("created_at", "")),
        index if isinstance(index, int) else 0,
    )


def _record_order(record: Record) -> tuple[str, str]:
    return str(record.get("created_at", "")), _id(record)
