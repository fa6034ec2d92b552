import { firstCharacters, isLongerThan, unreachable, type JsonObject } from '@aos/kernel';
import {
  liveSequenceAt,
  turnWire,
  type Block,
  type CompactionPass,
  type NudgeRecord,
  type Row,
  type SessionEvent,
  type TurnRecord,
} from '@aos/sessions/published';
import type { LiveChange, LiveRow } from './live-row.frames.js';
import { frame, type Frame, type SessionNames } from './encoded.frames.js';

/**
 * A v1 frame of an event.
 *
 * `row` has the row's sequence as its id and is replayed; `final` tells that a turn ended and is replayed for turns
 * that ended after the position; `turn` is an open turn's record, replayed once per open turn as it stands; `signal` is
 * live only.
 */
export type FrameV1 = Frame &
  ({ kind: 'row'; sequence: number } | { kind: 'final' | 'turn'; turnId: string } | { kind: 'signal' });

const displayLengthMax = 2000;

/**
 * The v1 frames of one event, in order: the record first, then its signal.
 *
 * Source   rules V1.1, V1.2, F3, F6, F7, F8, F9, F11. v1 carries no interactions, hidden rows never appear.
 */
export function eventFramesV1(event: SessionEvent, names: SessionNames): FrameV1[] {
  switch (event.type) {
    case 'MessageAppended':
      return event.data.row.hidden === undefined ? [rowFrame(event.data.row, names)] : [];
    case 'TranscriptSummarised':
      return [summaryFrame(event.data.row, event.data.pass, names)];
    case 'TurnQueued':
    case 'TurnRequeued':
    case 'TurnResumed':
      return [turnFrame(event.data.turn)];
    case 'TurnClaimed':
      if (event.data.active_ms !== undefined) return []; // renewed: nothing of the turn changed
      return [turnFrame(event.data.turn), startedFrame(event.data.turn)];
    case 'TurnParked': {
      const { turn } = event.data;
      const wait = turn.wait;
      return [turnFrame(turn), turnSignal('turn.waiting', turn, wait ? { reason: String(wait.kind), wait } : {})];
    }
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return finalFrames(event);
    case 'NudgeQueued':
      return [nudgeSignal('nudge.queued', event.data.nudge, names)];
    case 'NudgeDelivered':
      return [nudgeSignal('nudge.delivered', event.data.nudge, names)];
    case 'NudgeCancelled':
      return [nudgeSignal('nudge.cancelled', event.data.nudge, names)];
    case 'CompactionStarted':
      return [
        compactionSignal('compaction.started', event.data.pass, event.data.pass.started_at, names, {
          message_count: event.data.pass.message_count,
          estimated_tokens: event.data.pass.estimated_tokens,
          summary_model: event.data.pass.summary_model,
          deadline: event.data.pass.deadline,
        }),
      ];
    case 'CompactionFailed':
      return [
        compactionSignal('compaction.failed', event.data.pass, event.data.at, names, {
          error_type: event.data.error_type,
          error_message: event.data.error_message,
        }),
      ];
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
    case 'InteractionMirrored':
    case 'NudgeRetargeted':
    case 'OutcomeReceived':
    case 'OutcomeDelivered':
      return [];
    default:
      return unreachable(event);
  }
}

/** The record of a turn as it stands; no id (rule F3). */
export function turnFrame(turn: TurnRecord): FrameV1 {
  return { ...frame('turn.upsert', turnWire(turn)), kind: 'turn', turnId: turn.id };
}

/** The signal that a turn began to run. */
export function startedFrame(turn: TurnRecord): FrameV1 {
  return turnSignal('turn.started', turn, {}, 'first');
}

function finalFrames(event: SessionEvent & { type: 'TurnCompleted' | 'TurnFailed' | 'TurnCancelled' }): FrameV1[] {
  const { turn } = event.data;
  const more: JsonObject = { dedupe_key: `turn:${turn.id}:${turn.status}` };
  if (event.type === 'TurnCompleted') more.usage = (turn.usage ?? {}) as JsonObject;
  if (event.type === 'TurnCancelled') more.reason = event.data.reason;
  if (event.type === 'TurnFailed') {
    if (turn.error_message !== undefined) more.error = turn.error_message;
    if (turn.error_type !== undefined) more.error_type = turn.error_type;
    if (turn.error_scope !== undefined) more.error_scope = turn.error_scope;
  }
  return [
    { ...turnFrame(turn), kind: 'final', turnId: turn.id },
    { ...turnSignal(`turn.${turn.status}`, turn, more), kind: 'final', turnId: turn.id },
  ];
}

function turnSignal(name: string, turn: TurnRecord, more: JsonObject, edge: 'first' | 'last' = 'last'): FrameV1 {
  const sequence = liveSequenceAt(Date.parse(turn.updated_at), edge);
  return {
    ...frame(name, {
      session_id: turn.session_id,
      turn_id: turn.id,
      live_sequence: sequence,
      emitted_at: turn.updated_at,
      ...more,
    }),
    kind: 'signal',
  };
}

function nudgeSignal(name: string, nudge: NudgeRecord, names: SessionNames): FrameV1 {
  const emittedAt = nudge.cancelled_at ?? nudge.delivered_at ?? nudge.created_at;
  return {
    ...frame(name, {
      session_id: names.sessionId,
      nudge_id: nudge.id,
      turn_id: nudge.turn.id,
      delivery: nudge.delivery,
      status: nudge.status,
      emitted_at: emittedAt,
    }),
    kind: 'signal',
  };
}

function compactionSignal(
  name: string,
  pass: CompactionPass,
  emittedAt: string,
  names: SessionNames,
  more: JsonObject,
): FrameV1 {
  const payload: JsonObject = {
    session_id: names.sessionId,
    emitted_at: emittedAt,
    trigger: pass.trigger,
    from_sequence: pass.from_sequence,
    through_sequence: pass.through_sequence,
    ...more,
  };
  if (pass.turn_id) payload.turn_id = pass.turn_id;
  return { ...frame(name, payload), kind: 'signal' };
}

function rowFrame(row: Row, names: SessionNames): FrameV1 {
  return {
    ...frame(row.role === 'assistant' ? 'agent.message' : 'user.message', rowPayload(row, names)),
    kind: 'row',
    sequence: row.sequence,
  };
}

function summaryFrame(row: Row, pass: CompactionPass, names: SessionNames): FrameV1 {
  const payload: JsonObject = {
    ...rowPayload(row, names),
    covers_through_sequence: row.covers_through_sequence ?? pass.through_sequence,
    trigger: pass.trigger,
    from_sequence: pass.from_sequence,
    through_sequence: pass.through_sequence,
    message_count: pass.message_count,
    summary_model: pass.summary_model,
  };
  if (pass.turn_id) payload.turn_id = pass.turn_id;
  return { ...frame('compaction.created', payload), kind: 'row', sequence: row.sequence };
}

function rowPayload(row: Row, names: SessionNames): JsonObject {
  const payload: JsonObject = {
    session_id: names.sessionId,
    message_id: row.id,
    sequence: row.sequence,
    role: row.role,
    content: row.content,
    agent_id: names.agentId,
    entry_type: row.entry_type,
    created_at: row.created_at,
  };
  if (row.turn_id) payload.turn_id = row.turn_id;
  const metadata: JsonObject = { ...row.metadata };
  // joins it with its preview
  if (row.role === 'assistant' && row.turn_index !== null) metadata.response_message_index = row.turn_index;
  if (Object.keys(metadata).length > 0) payload.metadata = metadata;
  return payload;
}

/** The live v1 frames of a change to what streams (rule F7). */
export function liveFramesV1(change: LiveChange, names: SessionNames): Frame[] {
  if (change.type === 'delta') return [deltaFrame(change, names)];
  const common: JsonObject = { session_id: names.sessionId };
  if (change.type === 'tool_call' || change.type === 'tool_result') {
    const { signal: call } = change;
    if (call.turn_id) common.turn_id = call.turn_id;
    Object.assign(common, {
      live_sequence: call.live_sequence,
      emitted_at: call.emitted_at,
      tool_call_id: call.tool_call_id,
      tool_name: call.tool_name,
    });
    if (call.type === 'tool_result') return [toolResult(call, common)];
    return call.progress === null ? [] : [toolCall(call, common)]; // no form in v1 clears: the result follows
  }
  if (change.type === 'row')
    return change.discarded || change.row.content.length > 0 ? [previewFrame(change.row, names)] : [];
  return change.closed ? [previewFrame(change.row, names)] : [];
}

/** Made for each token: its payload is written down once, and not put together. */
function deltaFrame(
  { row, signal, text, thinking }: Extract<LiveChange, { type: 'delta' }>,
  names: SessionNames,
): Frame {
  const name = 'generation.delta';
  const payload: JsonObject = {
    event_type: name,
    session_id: names.sessionId,
    turn_id: row.turnId,
    live_sequence: signal.live_sequence,
    emitted_at: signal.emitted_at,
    delta_sequence: signal.delta_sequence,
    model: signal.model,
    delta: thinking === undefined ? { text: text ?? '' } : { type: 'thinking', thinking },
  };
  return { name, payload };
}

function toolCall(signal: Extract<LiveChange, { type: 'tool_call' }>['signal'], common: JsonObject): Frame {
  const payload: JsonObject = { ...common };
  if (signal.input) payload.input = signal.input;
  if (signal.resolved_action) payload.resolved_action = signal.resolved_action;
  if (signal.progress) payload.progress = signal.progress;
  return frame('tool.call', payload);
}

function toolResult(signal: Extract<LiveChange, { type: 'tool_result' }>['signal'], common: JsonObject): Frame {
  const display = displayText(signal.content);
  const payload: JsonObject = { ...common, content: signal.content, display, is_error: signal.is_error };
  if (signal.is_error) payload.error = display;
  return frame('tool.result', payload);
}

function displayText(content: readonly Block[]): string {
  const text = content
    .map((block) => (typeof block.text === 'string' ? block.text : ''))
    .filter(Boolean)
    .join('\n');
  return isLongerThan(text, displayLengthMax) ? `${firstCharacters(text, displayLengthMax)}…` : text;
}

/** The row being written, whole (rule F7); also what a live snapshot holds (rule T21). */
export function previewFrame(row: LiveRow, names: SessionNames): Frame {
  return frame('session.message.preview', {
    session_id: names.sessionId,
    turn_id: row.turnId,
    live_sequence: row.liveSequence,
    emitted_at: row.updatedAt,
    id: row.messageId,
    agent_id: names.agentId,
    role: 'assistant',
    entry_type: 'message',
    content: row.content.map((block) => ({ ...block })),
    metadata: { response_message_index: row.turnIndex },
  });
}

/** Told to a reader that lost live frames (rule F24). */
export function resyncFrame(sessionId: string): Frame {
  return frame('session.resync', { session_id: sessionId, reason: 'subscriber_overflow' });
}
