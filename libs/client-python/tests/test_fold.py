"""The fold of a transcript, over frames and vectors that the service's own tests pin."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from agent_service import TranscriptFold
from agent_service._core.frames import Cursor
from agent_service._core.sse import ServerEvent
from agent_service._core.turns import QuestionReader, TextReader, TurnReader

ROOT = Path(__file__).parents[3]
FRAMES = ROOT / "libs" / "streams" / "src" / "frames" / "golden" / "frames.v2.json"
Data = Mapping[str, object]


def golden() -> list[Data]:
    """The recorded frames of a session; the live ones behind them are examples by themselves."""
    frames = cast("list[Data]", json.loads(FRAMES.read_text("utf-8")))
    return list(itertools.takewhile(lambda frame: frame.get("status") != "streaming", frames))


def folded(frames: list[Data]) -> TranscriptFold:
    fold = TranscriptFold()
    for frame in frames:
        fold.frame(frame)
    return fold


def state(fold: TranscriptFold) -> list[object]:
    return [fold.messages, fold.turns, fold.interactions]


def row(message_id: str, text: str, status: str = "streaming", **more: object) -> Data:
    content = [{"type": "text", "text": text}] if text else []
    return {
        **{"event_type": "message.upsert", "id": message_id, "role": "assistant", "status": status, "content": content},
        **{"turn_id": "t", "sequence": None, "turn_index": 1, "created_at": "2026"},
        **more,
    }


def delta(message_id: str, index: int = 0, **grown: str) -> Data:
    return {"event_type": "message.delta", "message_id": message_id, "content_index": index, **grown}


def turn(status: str, turn_id: str = "t") -> Data:
    return {"event_type": "turn.upsert", "id": turn_id, "status": status, "created_at": "2026"}


def test_the_frames_of_a_session_fold_to_its_records() -> None:
    fold = folded(golden())
    sequences = [message["sequence"] for message in fold.messages]
    assert sequences == sorted(cast("list[int]", sequences)) and len(sequences) >= 5
    assert [one["status"] for one in fold.turns] == ["completed", "failed", "cancelled"]
    assert [(one["id"], one["status"]) for one in fold.interactions] == [("iact_1", "completed")]
    calls = cast("list[dict[str, object]]", fold.messages[1]["content"])[1:]
    assert [(call["id"], call.get("status"), "progress" in call) for call in calls] == [
        ("a", "ok", False),
        ("b", "cancelled", False),
    ]
    assert all("event_type" not in message for message in fold.messages)


def test_frames_that_come_twice_change_nothing() -> None:
    assert state(folded([*golden(), *golden()])) == state(folded(golden()))


def test_deltas_grow_text_and_thinking_apart_and_only_where_the_block_is_known() -> None:
    block = {"event_type": "message.block", "message_id": "m", "content_index": 1}
    fold = folded(
        [
            delta("m", text="lost"),
            row("m", "a"),
            delta("m", text="b"),
            delta("m", 1, thinking="lost"),
            {**block, "block": {"type": "thinking", "thinking": "h"}},
            delta("m", 1, thinking="m"),
            {"event_type": "of.a.later.version", "id": "m"},
        ]
    )
    assert fold.messages[0]["content"] == [{"type": "text", "text": "ab"}, {"type": "thinking", "thinking": "hm"}]


def test_rows_that_are_being_written_go_with_the_final_frame_of_their_turn() -> None:
    frames = [row("m", "a"), row("n", "b", turn_id="u"), turn("completed")]
    assert [message["id"] for message in folded(frames).messages] == ["n"]


def test_null_clears_progress_and_a_missing_one_keeps_it() -> None:
    patch: Data = {"event_type": "message.block.patch", "message_id": "m", "content_index": 0}
    frames: list[Data] = [row("m", "a"), {**patch, "progress": {"step": 1}}, {**patch, "status": "running"}]
    content = cast("list[dict[str, object]]", folded(frames).messages[0]["content"])
    assert (content[0]["progress"], content[0]["status"]) == ({"step": 1}, "running")
    cleared = cast("list[dict[str, object]]", folded([*frames, {**patch, "progress": None}]).messages[0]["content"])
    assert "progress" not in cleared[0]


def test_the_last_page_of_a_snapshot_takes_away_what_is_not_there() -> None:
    fold = folded([row("m", "a"), row("n", "b"), {"event_type": "interaction.upsert", "id": "q", "status": "pending"}])
    kept = {name: value for name, value in row("n", "bb").items() if name != "event_type"}
    page: Data = {"messages": [kept], "turns": [], "interactions": [], "resume_cursor": "c"}
    fold.page(page, is_last=False)
    assert len(fold.messages) == 2
    fold.page(page, is_last=True)
    assert ([message["id"] for message in fold.messages], fold.interactions) == (["n"], [])


def test_what_is_given_out_can_be_changed_without_harm() -> None:
    fold = folded([row("m", "a")])
    cast("list[object]", fold.messages[0]["content"]).clear()
    assert fold.text_of("m") == "a"


def test_text_comes_piece_by_piece_and_once_over_cuts() -> None:
    reader = TextReader("t")
    frames = [
        row("m", ""),
        {"event_type": "message.block", "message_id": "m", "content_index": 0, "block": {"type": "text", "text": ""}},
        delta("m", text="one "),
        delta("m", text="two "),
        row("m", "one two three "),  # after a cut the row comes as it stands
        delta("m", text="four"),
        row("m", "one two three four", "final", sequence=2),
        row("n", "of another turn", turn_id="u"),
        row("o", "more", "final", sequence=5),
    ]
    assert [piece for frame in frames if (piece := reader.take(frame))] == ["one ", "two ", "three ", "four", "more"]
    assert not reader.is_over
    reader.take(turn("failed"))
    assert reader.is_over


def test_an_answer_that_is_written_anew_is_given_anew_where_it_says_something_else() -> None:
    reader = TextReader("t")
    frames = [row("m", "one two"), row("m", "one"), row("m", "one two"), row("m", "one tw!"), row("m", "one tw! three")]
    assert [piece for frame in frames if (piece := reader.take(frame))] == ["one two", "one tw!", " three"]


def test_a_failed_turn_is_final_too() -> None:
    reader = TurnReader("t")
    for status in ("queued", "running", "waiting"):
        reader.take(turn(status))
    reader.take(turn("completed", "u"))
    assert reader.final is None
    reader.take(turn("failed"))
    assert reader.final is not None and reader.final["status"] == "failed"


def question(name: str, status: str, turn_id: str = "t") -> Data:
    consumer = {"kind": "agent_tool", "agent_tool": {"invocation_id": turn_id, "tool_call_id": "c"}}
    return {"event_type": "interaction.upsert", "id": name, "status": status, "consumer": consumer}


def test_questions_come_once_and_not_when_they_were_answered_before() -> None:
    reader = QuestionReader("t")
    before = [
        question("a", "pending"),
        question("b", "pending"),
        question("a", "completed"),
        question("x", "pending", "u"),
    ]
    assert [reader.take(frame) for frame in before] == [[], [], [], []]
    assert [one["id"] for one in reader.take({"event_type": "stream.ready"})] == ["b"]
    assert [one["id"] for one in reader.take(question("c", "pending"))] == ["c"]
    assert reader.take(question("c", "pending")) == []
    reader.take(turn("completed"))
    assert reader.is_over


VECTORS = cast(
    "list[dict[str, object]]", json.loads((ROOT / "tests" / "golden" / "transcript-fold.json").read_text("utf-8"))
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_the_vectors_of_every_fold_give_their_state(vector: Data) -> None:
    fold, cursor = TranscriptFold(), Cursor(None, has_bootstrap=False)
    for step in cast("list[dict[str, Data]]", vector["steps"]):
        if "page" in step:
            fold.page(step["page"], is_last=bool(step["is_last"]))
            if step["is_last"]:
                cursor.begin_at(str(step["page"]["resume_cursor"]))
            continue
        data = cast(Data, step["frame"]["data"])
        fold.frame(data)
        cursor.take(ServerEvent(cast("str | None", step["frame"].get("id")), str(data["event_type"]), json.dumps(data)))
    wanted = cast("dict[str, dict[str, object]]", vector["state"])
    for name in ("messages", "turns", "interactions"):
        records = cast("list[dict[str, object]]", getattr(fold, name))
        assert {record["id"]: record for record in records} == wanted[name]
    assert cursor.value == wanted["cursor"]
