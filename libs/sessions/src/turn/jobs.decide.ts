import { notFound, rfc3339 } from '@aos/kernel';
import type { CallJob, SessionEvent, SessionOpening, ToolOutcome } from '../session/session.events.js';
import type { OpenTurn, PendingCall, SessionState } from '../session/session.state.js';
import { openCall } from '../session/open-turns.state.js';
import { callsEnded } from './boundary.decide.js';
import { RowWriter } from './rows.decide.js';
import { callEnds, parked, resumeTurn, shownWait, waitingCalls, type WaitingCall } from './waits.decide.js';

/** A call that is to go on outside its turn. */
export interface JobPlan {
  toolCallId: string;
  /** How long an attempt may take in all, its own retries among that. */
  timeoutMs: number;
  /** How often it may be sent again when the process that made it is gone. */
  resends: number;
}

/** `ToolJobStarted` for a call that is still open and no job yet. */
export function startJob({ toolCallId, timeoutMs, resends }: JobPlan, open: OpenTurn, now: string): SessionEvent[] {
  const entry = openCall(open, toolCallId);
  if (!entry || entry.job) return [];
  return [started(open, entry, { attempt: 1, resends, timeout_ms: timeoutMs, deadline: later(now, timeoutMs) })];
}

/**
 * Takes over a job from a silent owner.
 *
 * Takes    the attempt that is thought lost.
 * Gives    `ToolJobStarted` with the next attempt; with none left the call's end with an unknown outcome. Of a call
 *          whose endpoint brings the result itself, its end when the time for that is over. Nothing when it ended, or
 *          another process took it over first.
 * Source   rule R24: sent again once after a crash, under the same delivery id.
 */
export function takeOverJob(
  command: { turnId: string; toolCallId: string; attempt: number; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  const entry = open && openCall(open, command.toolCallId);
  if (!open || !entry?.job || entry.job.attempt !== command.attempt) return [];
  const { job } = entry;
  if (job.deferred) {
    if (Date.parse(job.deadline) > Date.parse(command.now)) return [];
    const outcome = failedOutcome(command.toolCallId, 'timeout', 'the endpoint took the call and brought no result');
    return finishJob({ turnId: command.turnId, outcome, now: command.now }, session);
  }
  if (job.attempt > job.resends)
    return finishJob(
      { turnId: command.turnId, outcome: unknownOutcome(command.toolCallId), now: command.now },
      session,
    );
  return [started(open, entry, { ...job, attempt: job.attempt + 1, deadline: later(command.now, job.timeout_ms) })];
}

/**
 * The endpoint took the call and brings the result itself.
 *
 * Gives    `ToolJobDeferred` with a new deadline; nothing when the call has its result already.
 * Source   rule TE81.
 */
export function deferJob(
  command: { turnId: string; toolCallId: string; forMs: number; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  const entry = open && openCall(open, command.toolCallId);
  if (!open || !entry?.job || entry.job.deferred) return [];
  const job: CallJob = { ...entry.job, deadline: later(command.now, command.forMs), deferred: true };
  return [{ type: 'ToolJobDeferred', data: { turn_id: open.turn.id, tool_call_id: command.toolCallId, job } }];
}

/**
 * Takes the result that an endpoint brings itself. It may come before the endpoint has answered that it will.
 *
 * Gives    as `finishJob`; nothing for a call of this turn that has its result.
 * Refuses  not_found when the session is another organization's or gone, or the turn has ended.
 * Source   rule TE81.
 */
export function receiveDeferredResult(
  command: { orgId: string; turnId: string; deliveryId: string; outcome: ToolOutcome; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = session.opening?.org_id === command.orgId ? session.open.get(command.turnId) : undefined;
  if (!open || session.status === 'deleted') throw notFound('delivery');
  const entry = openCall(open, command.outcome.tool_call_id);
  return entry?.call.delivery_id === command.deliveryId ? finishJob(command, session) : [];
}

/**
 * Brings a job's result into its turn, once. A turn that waits goes back to the queue with its last job's result; until
 * then it waits for the next.
 *
 * Gives    nothing for a result that comes late (the turn is final, the wait was interrupted) or a second time.
 * Source   rules T8, T9, T19, T34; invariant 26.
 */
export function finishJob(
  command: { turnId: string; outcome: ToolOutcome; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || session.status === 'deleted' || !openCall(open, command.outcome.tool_call_id)?.job) return [];
  const left = waitingCalls(open).filter(({ toolCallId }) => toolCallId !== command.outcome.tool_call_id);
  if (open.turn.status === 'waiting' && !left.some(({ isJob }) => isJob)) {
    const outcomes = [command.outcome, ...callEnds(left, 'action', session)];
    return resumeTurn({ now: command.now, outcomes, reason: 'action' }, session, open);
  }
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const { events } = callsEnded([command.outcome], session, open, rows, command.now);
  return open.turn.wait?.tool_call_id === command.outcome.tool_call_id
    ? [...events, ...waitOn(open, left, command.now)]
    : events;
}

/** `finishJob` for a result from outside the session; nothing when the session is of another organization. */
export function receiveJobResult(
  command: { orgId: string; turnId: string; outcome: ToolOutcome; now: string },
  session: SessionState,
): SessionEvent[] {
  return session.opening?.org_id === command.orgId ? finishJob(command, session) : [];
}

/** The turn waits on, for its next job. */
function waitOn(open: OpenTurn, left: readonly WaitingCall[], now: string): SessionEvent[] {
  const wait = shownWait(left);
  return wait ? [parked(open, { wait, calls: left, epoch: open.epoch, activeMs: open.activeMs, now })] : [];
}

function started(open: OpenTurn, { call }: PendingCall, job: CallJob): SessionEvent {
  return { type: 'ToolJobStarted', data: { turn_id: open.turn.id, tool_call_id: call.tool_call_id, job } };
}

function later(now: string, ms: number): string {
  return rfc3339(Date.parse(now) + ms);
}

function unknownOutcome(toolCallId: string): ToolOutcome {
  const message = 'the service stopped while the call was under way; it may have been carried out';
  return failedOutcome(toolCallId, 'outcome_unknown', message);
}

function failedOutcome(toolCallId: string, code: string, message: string): ToolOutcome {
  const error = { code, message };
  return { tool_call_id: toolCallId, status: 'error', content: JSON.stringify({ error }), is_error: true };
}
