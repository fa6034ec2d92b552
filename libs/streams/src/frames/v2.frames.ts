import { unreachable, type JsonObject } from '@aos/kernel';
import { transcriptMessageWire, turnWire, type Row, type SessionEvent } from '@aos/sessions/published';
import type { LiveChange } from './live-row.frames.js';
import { frame, type Frame, type SessionNames } from './encoded.frames.js';
import { callPatches, withRunningCalls, type CallPositions } from './tool-status.frames.js';

/**
 * The durable v2 frames of one event, in order.
 *
 * Takes    the event, whose session it is, and the places of open tool calls (brought up to date here).
 * Gives    whole records; patches where an event changes a block of a final row. Hidden rows give none (rules S28,
 *          T20).
 * Source   rules V2.1, V2.2, F15, F22, F23.
 */
export function durableFramesV2(event: SessionEvent, names: SessionNames, calls: CallPositions): Frame[] {
  const patches = callPatches(event, calls).map(({ messageId, contentIndex, status }) =>
    frame('message.block.patch', {
      session_id: names.sessionId,
      message_id: messageId,
      content_index: contentIndex,
      status,
      progress: null,
    }),
  );
  return [...patches, ...recordFrames(event, names)];
}

function recordFrames(event: SessionEvent, names: SessionNames): Frame[] {
  switch (event.type) {
    case 'MessageAppended':
    case 'TranscriptSummarised':
      return rowFrames(event.data.row, names);
    case 'TurnClaimed':
      // renewed: nothing of the turn changed
      return event.data.active_ms === undefined ? [frame('turn.upsert', turnWire(event.data.turn))] : [];
    case 'TurnQueued':
    case 'TurnRequeued':
    case 'TurnParked':
    case 'TurnResumed':
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return [frame('turn.upsert', turnWire(event.data.turn))];
    case 'InteractionMirrored':
      return [frame('interaction.upsert', event.data.interaction)];
    case 'SessionOpened':
    case 'TitleChanged':
    case 'MetadataReplaced':
    case 'CompactionPolicyChanged':
    case 'ThinkingEffortChanged':
    case 'CustodyChanged':
    case 'SessionArchived':
    case 'SessionReactivated':
    case 'SessionDeleted':
    case 'ContextRecorded':
    case 'CountersAdded':
    case 'ModelAnswered':
    case 'ToolCallsRequested':
    case 'ToolJobStarted':
    case 'ToolJobDeferred':
    case 'ToolCallFinished':
    case 'NudgeQueued':
    case 'NudgeRetargeted':
    case 'NudgeDelivered':
    case 'NudgeCancelled':
    case 'OutcomeReceived':
    case 'OutcomeDelivered':
    case 'CompactionStarted':
    case 'CompactionFailed':
      return [];
    default:
      return unreachable(event);
  }
}

function rowFrames(row: Row, names: SessionNames): Frame[] {
  if (row.hidden !== undefined) return [];
  return [frame('message.upsert', transcriptMessageWire(withRunningCalls(row), names.sessionId, names.agentId))];
}

/**
 * The live v2 frames of a change to what streams; they never carry an id. A tool call whose outcome is recorded has no
 * more progress.
 */
export function liveFramesV2(change: LiveChange, names: SessionNames, calls: CallPositions): Frame[] {
  const at = { session_id: names.sessionId };
  switch (change.type) {
    case 'row':
      return [frame('message.upsert', streamingRowWire(change.row, names))];
    case 'block':
      return [
        frame('message.block', {
          ...at,
          message_id: change.row.messageId,
          content_index: change.contentIndex,
          block: change.block,
        }),
      ];
    case 'delta': {
      const grown: JsonObject =
        change.thinking === undefined ? { text: change.text ?? '' } : { thinking: change.thinking };
      return [
        frame('message.delta', {
          ...at,
          message_id: change.row.messageId,
          content_index: change.contentIndex,
          ...grown,
        }),
      ];
    }
    case 'tool_call': {
      const { signal } = change;
      // the committed row knows the block better than the runner's signal
      const position = calls.get(signal.tool_call_id);
      if (position?.outcome) return [];
      const patch: JsonObject = {
        ...at,
        message_id: position?.messageId ?? signal.message_id,
        content_index: position?.contentIndex ?? signal.content_index,
        status: 'running',
      };
      if (signal.progress !== undefined) patch.progress = signal.progress;
      if (signal.resolved_action) patch.resolved_action = signal.resolved_action;
      return [frame('message.block.patch', patch)];
    }
    case 'tool_result':
      return []; // the recorded outcome is a durable patch
    default:
      return unreachable(change);
  }
}

/** A row that is being written, as `message.upsert` and snapshots carry it (rule F16). */
export function streamingRowWire(
  row: { turnId: string; messageId: string; turnIndex: number; createdAt: string; content: JsonObject[] },
  names: SessionNames,
): JsonObject {
  return {
    id: row.messageId,
    session_id: names.sessionId,
    agent_id: names.agentId,
    role: 'assistant',
    content: row.content.map((block) => ({ ...block })),
    turn_id: row.turnId,
    entry_type: 'message',
    status: 'streaming',
    turn_index: row.turnIndex,
    sequence: null,
    covers_through_sequence: null,
    created_at: row.createdAt,
  };
}

export function readyFrame(names: SessionNames, resumeCursor: string): Frame {
  return frame('stream.ready', { session_id: names.sessionId, resume_cursor: resumeCursor });
}

/** Close with a reason (rules F10, F17, F18). */
export function endFrame(sessionId: string, reason: 'idle' | 'rotate'): Frame {
  return frame('stream.end', { session_id: sessionId, reason });
}
