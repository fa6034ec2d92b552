import { rfc3339 } from '@aos/kernel';
import type { CallJob, SessionEvent, SessionOpening, ToolOutcome, TurnWait } from '../session/session.events.js';
import type { OpenTurn, PendingCall, SessionState } from '../session/session.state.js';
import { RowWriter, callsEnded, withStatus } from './boundary.decide.js';

/** What a turn that waits for a call's result waits for. */
const resultEvent = 'action.completed';

/** A call that is to go on outside its turn. */
export interface JobPlan {
  toolCallId: string;
  /** How long an attempt may take in all, its own retries among that. */
  timeoutMs: number;
  /** How often it may be sent again when the process that made it is gone. */
  resends: number;
}

export function jobWait(toolCallId: string): TurnWait {
  return { kind: 'event', event_type: resultEvent, tool_call_id: toolCallId };
}

/** `ToolJobStarted` for a call that is still open and no job yet. */
export function startJob({ toolCallId, timeoutMs, resends }: JobPlan, open: OpenTurn, now: string): SessionEvent[] {
  const entry = openCall(open, toolCallId);
  if (!entry || entry.job) return [];
  return [started(open, entry, { attempt: 1, resends, timeout_ms: timeoutMs, deadline: later(now, timeoutMs) })];
}

/**
 * Takes over a job whose process gave no sign of life.
 *
 * Takes    the attempt that is thought lost.
 * Gives    `ToolJobStarted` with the next attempt; with none left the call's end: what became of it is not known. Nothing when it ended, or
 *          somebody else took it over first.
 * Source   decision R24: sent again once after a crash, under the same delivery id.
 */
export function takeOverJob(command: { turnId: string; toolCallId: string; attempt: number; now: string }, session: SessionState): SessionEvent[] {
  const open = session.open.get(command.turnId);
  const entry = open && openCall(open, command.toolCallId);
  if (!open || !entry?.job || entry.job.attempt !== command.attempt) return [];
  const { job } = entry;
  if (job.attempt > job.resends) return finishJob({ turnId: command.turnId, outcome: unknownOutcome(command.toolCallId), now: command.now }, session);
  return [started(open, entry, { ...job, attempt: job.attempt + 1, deadline: later(command.now, job.timeout_ms) })];
}

/**
 * Brings a job's result into its turn, once: a turn that waits for it goes back to the queue.
 *
 * Gives    nothing for a result that comes late (the turn is final, the wait was interrupted) or a second time.
 * Source   decisions T8, T9, T19; invariant 26.
 */
export function finishJob(command: { turnId: string; outcome: ToolOutcome; now: string }, session: SessionState): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || session.status === 'deleted' || !openCall(open, command.outcome.tool_call_id)?.job) return [];
  const waits = open.turn.status === 'waiting';
  const awaited = open.turn.wait?.tool_call_id === command.outcome.tool_call_id;
  if (waits && (awaited || openCalls(open).length === 1)) return resumeTurn({ now: command.now, outcomes: [command.outcome], reason: 'action' }, session, open);
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  return callsEnded([command.outcome], session, open, rows, command.now).events;
}

/**
 * Ends a turn's wait with outcomes of its calls: the outcomes, the results row when no call is left open, what the boundary brings, and the turn
 * back in the queue.
 *
 * Source   decision T8 (`waiting` to `queued`).
 */
export function resumeTurn(command: { now: string; outcomes: readonly ToolOutcome[]; reason: string }, session: SessionState, open: OpenTurn): SessionEvent[] {
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const outcomes = command.outcomes.filter(({ tool_call_id: id }) => openCall(open, id));
  const events = outcomes.length === 0 ? [] : callsEnded(outcomes, session, open, rows, command.now).events;
  return [...events, { type: 'TurnResumed', data: { turn: withStatus(open.turn, 'queued', command.now), reason: command.reason } }];
}

/** Calls of the turn without an outcome. */
export function openCalls(open: OpenTurn): PendingCall[] {
  return open.pending.filter(({ outcome }) => outcome === null);
}

function openCall(open: OpenTurn, toolCallId: string): PendingCall | undefined {
  return open.pending.find(({ call, outcome }) => outcome === null && call.tool_call_id === toolCallId);
}

function started(open: OpenTurn, { call }: PendingCall, job: CallJob): SessionEvent {
  return { type: 'ToolJobStarted', data: { turn_id: open.turn.id, tool_call_id: call.tool_call_id, job } };
}

function later(now: string, ms: number): string {
  return rfc3339(Date.parse(now) + ms);
}

function unknownOutcome(toolCallId: string): ToolOutcome {
  const error = { code: 'outcome_unknown', message: 'the service stopped while the call was under way; it may have been carried out' };
  return { tool_call_id: toolCallId, status: 'error', content: JSON.stringify({ error }), is_error: true };
}
