import { looseRowId, turnRowId } from '../session/session.ids.js';
import type {
  Block, NudgeRecord, Row, SessionEvent, SessionOpening, ToolCall, ToolOutcome, TurnRecord, TurnWait, Usage,
} from '../session/session.events.js';
import { sumUsage, type OpenTurn, type SessionState } from '../session/session.state.js';

/** The turn is not this runner's any more: final, or claimed at a higher epoch. The runner stops and writes nothing. */
export class TurnLost extends Error {
  constructor(turnId: string) {
    super(`${turnId} is not this runner's`);
    this.name = 'TurnLost';
  }
}

/**
 * Claims a queued turn, or takes over a running one, at a new epoch. The claim fences: whoever holds a lower epoch commits nothing.
 *
 * Gives    `TurnClaimed`; on a takeover `TurnRequeued` before it; nothing when the turn is final, waits, or is not the next to run.
 * Source   architecture, section 5; decision T8.
 */
export function claimTurn(command: { turnId: string; runner: string; now: string; takeover: boolean }, session: SessionState): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || open.turn.status === 'waiting' || session.status === 'deleted') return [];
  if (nextToRun(session)?.turn.id !== command.turnId) return [];
  const epoch = open.epoch + 1;
  const events: SessionEvent[] = [];
  if (open.turn.status === 'running') {
    if (!command.takeover) return [];
    events.push({ type: 'TurnRequeued', data: { turn: withStatus(open.turn, 'queued', command.now), epoch } });
  }
  events.push({ type: 'TurnClaimed', data: { turn: withStatus(open.turn, 'running', command.now), epoch, runner: command.runner } });
  return events;
}

/** Turns of a session run one at a time, oldest first; a waiting one lets others run. */
export function nextToRun(session: SessionState): OpenTurn | null {
  let oldest: OpenTurn | null = null;
  for (const open of session.open.values()) {
    if (open.turn.status === 'running') return open;
    if (open.turn.status === 'queued' && (!oldest || open.ordinal < oldest.ordinal)) oldest = open;
  }
  return oldest;
}

export interface ModelAnswer {
  turnId: string;
  epoch: number;
  now: string;
  content: Block[];
  usage: Usage;
  model: string;
  provider: string;
  activeMs: number;
  calls: ToolCall[];
}

/**
 * Records one model answer: its row, its usage, the tool calls it asks for; delivers one nudge at this boundary; completes the turn when
 * nothing is left to do.
 *
 * Takes    blocks in final form; tool calls with their delivery ids.
 * Gives    one append's events.
 * Refuses  `TurnLost` when the turn is final or the epoch moved on.
 * Source   specification, Sessions rule 3; architecture, section 5.3; decisions N12, T13, T14.
 */
export function recordAnswer(command: ModelAnswer, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const opening = session.opening as SessionOpening;
  const events: SessionEvent[] = [];
  const rows = new RowWriter(session, open, opening);
  if (command.content.length > 0) {
    events.push(rows.append({ role: 'assistant', content: command.content, created_at: command.now }));
  }
  events.push({
    type: 'ModelAnswered',
    data: {
      turn_id: open.turn.id, epoch: command.epoch, call: open.calls, usage: command.usage, model: command.model, provider: command.provider, active_ms: command.activeMs,
    },
  });
  if (command.calls.length > 0) {
    events.push({ type: 'ToolCallsRequested', data: { turn_id: open.turn.id, epoch: command.epoch, calls: command.calls } });
    return events;
  }
  const delivered = deliverOldestNudge(session, open, rows, command.now);
  if (delivered.length > 0) return [...events, ...delivered];
  events.push(completed(open, sumUsage(open.usage, command.usage), command.now));
  return events;
}

/** A turn for which nothing is new for the model completes without a call (decision S33). */
export function completeWithoutCall(command: { turnId: string; epoch: number; now: string }, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const rows = new RowWriter(session, open, session.opening as SessionOpening);
  const delivered = deliverOldestNudge(session, open, rows, command.now);
  return delivered.length > 0 ? delivered : [completed(open, open.usage, command.now)];
}

/** Records one tool call's outcome once; a late or second one is dropped. With the last outcome of an answer the results row is written. */
export function recordOutcome(command: { turnId: string; epoch: number; now: string; outcome: ToolOutcome }, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const entry = open.pending.find(({ call }) => call.tool_call_id === command.outcome.tool_call_id);
  if (!entry || entry.outcome) return [];
  const events: SessionEvent[] = [{ type: 'ToolCallFinished', data: { turn_id: open.turn.id, outcome: command.outcome } }];
  const others = open.pending.filter((other) => other !== entry);
  if (others.some(({ outcome }) => outcome === null)) return events;
  const rows = new RowWriter(session, open, session.opening as SessionOpening);
  const outcomes = open.pending.map((pending) => (pending === entry ? command.outcome : (pending.outcome as ToolOutcome)));
  events.push(rows.append({ role: 'user', content: outcomes.map(resultBlock), created_at: command.now }));
  events.push(...deliverOldestNudge(session, open, rows, command.now));
  return events;
}

/** Fails a turn (decision T12); a failed turn carries no usage. Rows already committed stay. */
export function failTurn(
  command: { turnId: string; epoch: number | null; now: string; errorType: string; message: string; partial: Block[] }, session: SessionState,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || (command.epoch !== null && open.epoch !== command.epoch)) throw new TurnLost(command.turnId);
  const rows = new RowWriter(session, open, session.opening as SessionOpening);
  const events: SessionEvent[] = closePending(open, rows, command.now);
  if (command.partial.length > 0) {
    events.push(rows.append({
      role: 'assistant', content: command.partial, created_at: command.now, hidden: 'partial', metadata: { partial: true, terminal_outcome: 'failed' },
    }));
  }
  const turn: TurnRecord = {
    ...withStatus(open.turn, 'failed', command.now), error_type: command.errorType, error_message: command.message, completed_at: command.now,
  };
  if (command.errorType === 'timeout') turn.error_scope = 'agent_turn';
  events.push(...retireNudges(session, open, command.now, 'failed'), { type: 'TurnFailed', data: { turn } });
  return events;
}

/**
 * Cancels an open turn. First final transition wins: nothing for a turn that is final.
 *
 * Gives    error results for tool calls without one (what goes to the model later stays valid), its pending nudges cancelled, `TurnCancelled`.
 * Source   specification, turn table; decisions T18, T19; its questions stay open.
 */
export function cancelTurn(command: { turnId: string; now: string; reason: string }, session: SessionState): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open) return [];
  const rows = new RowWriter(session, open, session.opening as SessionOpening);
  const turn: TurnRecord = { ...withStatus(open.turn, 'cancelled', command.now), completed_at: command.now };
  return [
    ...closePending(open, rows, command.now),
    ...retireNudges(session, open, command.now, 'cancelled'),
    { type: 'TurnCancelled', data: { turn, reason: command.reason } },
  ];
}

/** Cancels every turn that is open when the command is accepted (specification, Sessions). */
export function cancelSession(command: { now: string; reason: string }, session: SessionState): SessionEvent[] {
  const events: SessionEvent[] = [];
  let sequence = session.sequence;
  for (const turnId of session.open.keys()) {
    const cancelled = cancelTurn({ ...command, turnId }, { ...session, sequence });
    for (const event of cancelled) if (event.type === 'MessageAppended') sequence = event.data.row.sequence;
    events.push(...cancelled);
  }
  return events;
}

/** Parks a turn on a wait; it holds no process from here on (decision T9). */
export function parkTurn(command: { turnId: string; epoch: number; now: string; wait: TurnWait; activeMs: number }, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const turn: TurnRecord = { ...withStatus(open.turn, 'waiting', command.now), wait: command.wait };
  return [{ type: 'TurnParked', data: { turn, epoch: command.epoch, active_ms: command.activeMs } }];
}

function owned(session: SessionState, command: { turnId: string; epoch: number }): OpenTurn {
  const open = session.open.get(command.turnId);
  if (!open || open.epoch !== command.epoch || open.turn.status !== 'running') throw new TurnLost(command.turnId);
  return open;
}

function completed(open: OpenTurn, usage: Usage, now: string): SessionEvent {
  const calls = usage.calls ?? 0;
  const turn: TurnRecord = { ...withStatus(open.turn, 'completed', now), usage: calls > 0 ? usage : {}, completed_at: now };
  return { type: 'TurnCompleted', data: { turn } };
}

/** One oldest pending nudge of this turn becomes a reminder row (decisions N12, S29). */
function deliverOldestNudge(session: SessionState, open: OpenTurn, rows: RowWriter, now: string): SessionEvent[] {
  const nudge = session.pendingNudges.find(({ turn }) => turn.id === open.turn.id);
  if (!nudge) return [];
  const row = rows.append({
    role: 'user', created_at: now, metadata: { ...nudge.metadata, session_nudge_id: nudge.id },
    content: [{ type: 'reminder', name: 'session-nudge', tier: 'contextual', content: nudge.content }],
  });
  const delivered: NudgeRecord = { ...nudge, status: 'delivered', delivery: 'current_turn', turn: { id: open.turn.id, status: open.turn.status }, delivered_at: now };
  return [row, { type: 'NudgeDelivered', data: { nudge: delivered } }];
}

function retireNudges(session: SessionState, open: OpenTurn, now: string, status: 'failed' | 'cancelled'): SessionEvent[] {
  return session.pendingNudges
    .filter(({ turn }) => turn.id === open.turn.id)
    .map((nudge) => ({ type: 'NudgeCancelled', data: { nudge: { ...nudge, status: 'cancelled', turn: { id: open.turn.id, status }, cancelled_at: now } } }));
}

/** Every requested call gets a result before the turn ends, so that the transcript stays valid for any provider. */
function closePending(open: OpenTurn, rows: RowWriter, now: string): SessionEvent[] {
  if (open.pending.length === 0) return [];
  const outcomes = open.pending.map(({ call, outcome }): ToolOutcome => outcome
    ?? { tool_call_id: call.tool_call_id, status: 'cancelled', content: 'The call was not completed.', is_error: true });
  return [rows.append({ role: 'user', content: outcomes.map(resultBlock), created_at: now })];
}

function resultBlock(outcome: ToolOutcome): Block {
  return { type: 'tool_result', tool_use_id: outcome.tool_call_id, content: outcome.content, is_error: outcome.is_error };
}

export function withStatus(turn: TurnRecord, status: TurnRecord['status'], now: string): TurnRecord {
  const { wait: _, ...rest } = turn;
  const phase = status === 'queued' || status === 'running' || status === 'waiting' ? status : null;
  return { ...rest, status, phase, updated_at: now };
}

type NewRow = Pick<Row, 'role' | 'content' | 'created_at'> & Partial<Pick<Row, 'hidden' | 'metadata'>>;

/** Numbers the rows that one decision adds to a turn. */
export class RowWriter {
  private sequence: number;
  private index: number;

  constructor(session: SessionState, private readonly open: OpenTurn, private readonly opening: SessionOpening) {
    this.sequence = session.sequence;
    this.index = open.nextIndex;
  }

  append(row: NewRow): SessionEvent {
    this.sequence += 1;
    const index = this.index;
    this.index += 1;
    return {
      type: 'MessageAppended',
      data: {
        row: {
          id: turnRowId(this.opening.id, this.open.ordinal, index), entry_type: 'message', sequence: this.sequence, turn_id: this.open.turn.id, turn_index: index, ...row,
        },
      },
    };
  }
}

/** A row outside any turn. */
export function looseRow(session: SessionState, sequence: number, row: NewRow): Row {
  const opening = session.opening as SessionOpening;
  return { id: looseRowId(opening.id, sequence), entry_type: 'message', sequence, turn_id: null, turn_index: null, ...row };
}
