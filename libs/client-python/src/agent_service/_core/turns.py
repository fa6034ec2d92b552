"""What a caller wants to know of one turn, read out of the frames of its session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from .fold import FINAL_STATUSES, TranscriptFold

if TYPE_CHECKING:
    from .._generated import models as m

Data = Mapping[str, object]


class TurnReader:
    """Notes the final record of a turn."""

    def __init__(self, turn_id: str) -> None:
        self.turn_id = turn_id
        self.final: m.AgentTurn | None = None

    def take(self, data: Data) -> None:
        is_of_turn = data.get("event_type") == "turn.upsert" and data.get("id") == self.turn_id
        if is_of_turn and data.get("status") in FINAL_STATUSES:
            turn = {name: value for name, value in data.items() if name != "event_type"}
            self.final = cast("m.AgentTurn", turn)


class TextReader:
    """The text that an agent says in a turn, piece by piece.

    A row that is being written is sent again as a whole after a cut: only what is new of it counts. Where a process of
    the service died in the middle of an answer, the answer is written anew: once it says something else than before, it
    is given as a whole again.
    """

    def __init__(self, turn_id: str) -> None:
        self._turn = TurnReader(turn_id)
        self._fold = TranscriptFold()
        self._given: dict[str, str] = {}

    @property
    def is_over(self) -> bool:
        return self._turn.final is not None

    def take(self, data: Data) -> str:
        """Takes a frame of the session; gives what is new, often nothing."""
        self._turn.take(data)
        kind = data.get("event_type")
        if kind == "message.upsert":
            message_id = str(data["id"])
        elif kind in {"message.block", "message.delta"}:
            message_id = str(data["message_id"])
        else:
            return ""
        self._fold.frame(data)
        row = self._fold.message(message_id)
        if row is None or row.get("turn_id") != self._turn.turn_id or row.get("role") != "assistant":
            return ""
        if kind == "message.delta" and not isinstance(data.get("text"), str):
            return ""
        text = self._fold.text_of(message_id)
        given = self._given.get(message_id, "")
        if given.startswith(text):
            return ""
        self._given[message_id] = text
        return text.removeprefix(given)


class QuestionReader:
    """Questions that a turn asks. Those that were answered before the reader came are left out."""

    def __init__(self, turn_id: str) -> None:
        self._turn = TurnReader(turn_id)
        self._waiting: dict[str, m.Interaction] = {}
        self._given: set[str] = set()
        self._is_ready = False

    @property
    def is_over(self) -> bool:
        return self._is_ready and self._turn.final is not None

    def take(self, data: Data) -> list[m.Interaction]:
        self._turn.take(data)
        kind = data.get("event_type")
        if kind == "stream.ready":
            self._is_ready = True
        elif kind == "interaction.upsert" and self._is_of_turn(data):
            record = {name: value for name, value in data.items() if name != "event_type"}
            if record.get("status") == "pending":
                self._waiting[str(data["id"])] = cast("m.Interaction", record)
            else:
                self._waiting.pop(str(data["id"]), None)
        return self._taken() if self._is_ready else []

    def _taken(self) -> list[m.Interaction]:
        found = [question for key, question in self._waiting.items() if key not in self._given]
        self._given.update(self._waiting)
        self._waiting = {}
        return found

    def _is_of_turn(self, data: Data) -> bool:
        consumer = data.get("consumer")
        tool = cast(Data, consumer).get("agent_tool") if isinstance(consumer, dict) else None
        return isinstance(tool, dict) and cast(Data, tool).get("invocation_id") == self._turn.turn_id
