import { fold, type JsonObject } from '@aos/kernel';
import type {
  Block,
  SessionEvent,
  SessionOpening,
  ToolCall,
  ToolOutcome,
  TurnRecord,
  TurnWait,
  Usage,
} from '../session/session.events.js';
import { callsPerEventMax, cancelsPerAppendMax } from '../session/session.limits.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { sumUsage } from '../session/usage.state.js';
import { atBoundary, callsEnded, closePending, reassignPendingInputs } from './boundary.decide.js';
import { claimOf, newestOpen, withStatus } from './fresh-turn.decide.js';
import { startJob, type JobPlan } from './jobs.decide.js';
import { retireNudges } from './pending-nudges.decide.js';
import { RowWriter } from './rows.decide.js';
import { callEnds, parked, reasonToGoOn, resumeTurn, shownWait, waitingCalls } from './waits.decide.js';
import { nextToRun } from '../session/open-turns.state.js';

/** The turn is not this runner's any more: final, or claimed at a higher epoch. The runner stops and writes nothing. */
export class TurnLost extends Error {
  constructor(turnId: string) {
    super(`${turnId} is not this runner's`);
    this.name = 'TurnLost';
  }
}

/**
 * Claims a queued turn, or takes over a running one, at a new epoch. The claim fences: a runner with a lower epoch
 * commits nothing.
 *
 * Takes    with `takeover` the epoch of the silent runner; null: nothing is taken over.
 * Gives    `TurnClaimed`; on a takeover `TurnRequeued` before it; nothing when the turn is final, waits, or is not the
 *          next to run.
 * Source   ARCHITECTURE.md section 5; rule T8.
 */
export function claimTurn(
  command: { turnId: string; runner: string; now: string; takeover: number | null },
  session: SessionState,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || open.turn.status === 'waiting' || session.status === 'deleted') return [];
  if (nextToRun(session)?.turn.id !== command.turnId) return [];
  const epoch = open.epoch + 1;
  const events: SessionEvent[] = [];
  if (open.turn.status === 'running') {
    if (command.takeover !== open.epoch) return []; // another process took it over first, and is alive
    events.push({ type: 'TurnRequeued', data: { turn: withStatus(open.turn, 'queued', command.now), epoch } });
  }
  events.push(claimOf(open.turn, epoch, command));
  return events;
}

/** A runner's sign of life: should it break off, the turn has spent at least this much (rule L6). */
export function renewClaim(
  command: { turnId: string; epoch: number; runner: string; activeMs: number },
  session: SessionState,
): SessionEvent[] {
  const open = owned(session, command);
  if (command.activeMs <= open.activeMs) return [];
  return [
    {
      type: 'TurnClaimed',
      data: { turn: open.turn, epoch: open.epoch, runner: command.runner, active_ms: command.activeMs },
    },
  ];
}

/** The runner goes down in good order: the turn is queued again at once, with what it spent (rules T8, L6). */
export function requeueTurn(
  command: { turnId: string; epoch: number; now: string; activeMs: number },
  session: SessionState,
): SessionEvent[] {
  const open = owned(session, command);
  const activeMs = Math.max(open.activeMs, command.activeMs);
  return [
    {
      type: 'TurnRequeued',
      data: { turn: withStatus(open.turn, 'queued', command.now), epoch: command.epoch, active_ms: activeMs },
    },
  ];
}

/**
 * Outcomes that came while a turn was queued again or waited go in before its next model call. The first call answers
 * the turn's own input: no safe boundary lies before it.
 *
 * Gives    nothing when none wait.
 * Source   rules N12, S32.
 */
export function deliverBeforeCall(
  command: { turnId: string; epoch: number; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = owned(session, command);
  const hasOutcome = session.pendingOutcomes.some(({ turnId }) => turnId === open.turn.id);
  if (open.calls === 0 || open.pending.length > 0 || !hasOutcome) return [];
  return atBoundary(
    { ...session, pendingNudges: [] },
    open,
    new RowWriter(session.sequence, open, session.opening as SessionOpening),
    command.now,
  );
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
  /** The output that the answer's text gives under the turn's output contract (rule T28); null without a contract. */
  textOutput: { value: JsonObject } | { unmet: string } | null;
}

/**
 * Records one model answer: its row, its usage, the tool calls it asks for; delivers one nudge at this boundary;
 * completes the turn when nothing is left to do.
 *
 * Takes    blocks in final form; tool calls with their delivery ids.
 * Gives    one append's events.
 * Refuses  `TurnLost` when the turn is final or the epoch moved on.
 * Source   ARCHITECTURE.md section 5; rules SES3, N12, T13, T14.
 */
export function recordAnswer(command: ModelAnswer, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const opening = session.opening as SessionOpening;
  const events: SessionEvent[] = [];
  const rows = new RowWriter(session.sequence, open, opening);
  if (command.content.length > 0) {
    events.push(rows.append({ role: 'assistant', content: command.content, created_at: command.now }));
  }
  events.push({
    type: 'ModelAnswered',
    data: {
      turn_id: open.turn.id,
      epoch: command.epoch,
      call: open.calls,
      usage: command.usage,
      model: command.model,
      provider: command.provider,
      active_ms: command.activeMs,
    },
  });
  for (let index = 0; index < command.calls.length; index += callsPerEventMax) {
    const calls = command.calls.slice(index, index + callsPerEventMax);
    events.push({ type: 'ToolCallsRequested', data: { turn_id: open.turn.id, epoch: command.epoch, calls } });
  }
  if (command.calls.length > 0) return events;
  const delivered = atBoundary(session, open, rows, command.now);
  if (delivered.length > 0) return [...events, ...delivered];
  events.push(ended(open, sumUsage(open.usage, command.usage), command));
  return events;
}

/** The turn's end after its last answer: completed, or failed when its output contract is unmet (rule T28). */
function ended(open: OpenTurn, usage: Usage, { now, textOutput }: ModelAnswer): SessionEvent {
  if (open.output) return completed(open, usage, now, { value: open.output, source: 'tool' });
  if (textOutput && 'value' in textOutput)
    return completed(open, usage, now, { value: textOutput.value, source: 'text' });
  if (!textOutput) return completed(open, usage, now);
  const turn: TurnRecord = {
    ...withStatus(open.turn, 'failed', now),
    error_type: 'output_schema_unsatisfied',
    error_message: textOutput.unmet,
    completed_at: now,
  };
  return { type: 'TurnFailed', data: { turn } };
}

/** A turn for which nothing is new for the model completes without a call (rule S33). */
export function completeWithoutCall(
  command: { turnId: string; epoch: number; now: string },
  session: SessionState,
): SessionEvent[] {
  const open = owned(session, command);
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const delivered = atBoundary(session, open, rows, command.now);
  return delivered.length > 0 ? delivered : [completed(open, open.usage, command.now)];
}

/**
 * Records one tool call's outcome once; a late or second one is dropped. With the last outcome of an answer the results
 * row is written.
 */
export function recordOutcome(
  command: { turnId: string; epoch: number; now: string; outcome: ToolOutcome },
  session: SessionState,
): SessionEvent[] {
  const open = owned(session, command);
  const entry = open.pending.find(({ call }) => call.tool_call_id === command.outcome.tool_call_id);
  if (!entry || entry.outcome) return [];
  return endCalls([command.outcome], session, open, command.now);
}

/**
 * Calls of a running turn end; with the last of them and an output that was accepted so does the turn, if nothing new
 * came.
 */
function endCalls(
  outcomes: readonly ToolOutcome[],
  session: SessionState,
  open: OpenTurn,
  now: string,
): SessionEvent[] {
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const { events, rest, brought } = callsEnded(outcomes, session, open, rows, now);
  const output = outcomes.find((outcome) => outcome.output)?.output ?? open.output;
  if (rest === 0 && output && brought === 0)
    return [...events, completed(open, open.usage, now, { value: output, source: 'tool' })];
  return events;
}

/** Fails a turn (rule T12); a failed turn carries no usage. Rows already committed stay. */
export function failTurn(
  command: { turnId: string; epoch: number | null; now: string; errorType: string; message: string; partial: Block[] },
  session: SessionState,
  revision: number,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open || (command.epoch !== null && open.epoch !== command.epoch)) throw new TurnLost(command.turnId);
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const events: SessionEvent[] = closePending(open, rows, command.now);
  if (command.partial.length > 0) {
    events.push(
      rows.append({
        role: 'assistant',
        content: command.partial,
        created_at: command.now,
        hidden: 'partial',
        metadata: { partial: true, terminal_outcome: 'failed' },
      }),
    );
  }
  const turn: TurnRecord = {
    ...withStatus(open.turn, 'failed', command.now),
    error_type: command.errorType,
    error_message: command.message,
    completed_at: command.now,
  };
  if (command.errorType === 'timeout') turn.error_scope = 'agent_turn';
  const agentGone = command.errorType === 'agent_unavailable';
  if (agentGone) events.push(...retireNudges(session, open, command.now, 'failed'));
  events.push({ type: 'TurnFailed', data: { turn } });
  const fresh = { sequence: rows.lastSequence, revision: revision + events.length, now: command.now };
  events.push(...reassignPendingInputs(session, open, fresh, { nudges: !agentGone }));
  return [...events, ...wokenByHandedOn(events, session, open, { revision, now: command.now })];
}

/** The turn that was handed the nudges of one that failed goes on when they would wake it (rule N13). */
function wokenByHandedOn(
  events: readonly SessionEvent[],
  session: SessionState,
  failed: OpenTurn,
  { revision, now }: { revision: number; now: string },
): SessionEvent[] {
  const heir = newestOpen(session, failed.turn.id)?.turn;
  if (heir?.status !== 'waiting' || !heir.wait || !events.some(({ type }) => type === 'NudgeRetargeted')) return [];
  const after = fold(sessionKind, events, session, revision);
  const open = after.open.get(heir.id);
  if (!open) return [];
  const calls = waitingCalls(open);
  return reasonToGoOn(calls, heir.wait, open, after)
    ? resumeTurn({ now, outcomes: callEnds(calls, 'nudge', after), reason: 'nudge' }, after, open)
    : [];
}

/**
 * Cancels an open turn. First final transition wins: nothing for a turn that is final.
 *
 * Gives    error results for tool calls without one (what goes to the model later stays valid), its pending nudges
 *          cancelled, `TurnCancelled`.
 * Source   rules TT1, TT2, T18, T19; its questions stay open.
 */
export function cancelTurn(
  command: { turnId: string; now: string; reason: string },
  session: SessionState,
  revision: number,
): SessionEvent[] {
  const open = session.open.get(command.turnId);
  if (!open) return [];
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const turn: TurnRecord = { ...withStatus(open.turn, 'cancelled', command.now), completed_at: command.now };
  const events: SessionEvent[] = [
    ...closePending(open, rows, command.now),
    ...retireNudges(session, open, command.now, 'cancelled'),
    { type: 'TurnCancelled', data: { turn, reason: command.reason } },
  ];
  const fresh = { sequence: rows.lastSequence, revision: revision + events.length, now: command.now };
  return [...events, ...reassignPendingInputs(session, open, fresh, { nudges: false })];
}

/**
 * Cancels every turn that is open when the command is accepted, the newest first, so many at once as fit in one append
 * (rule SES28). A fresh turn that an outcome starts is not among them.
 *
 * Takes    with `through` the ordinal of the newest of them; null: of all that are open.
 */
export function cancelSession(
  command: { now: string; reason: string; through: number | null },
  session: SessionState,
  revision: number,
): SessionEvent[] {
  const through = command.through ?? Infinity;
  const turns = [...session.open.values()]
    .filter(({ ordinal }) => ordinal <= through)
    .sort((a, b) => b.ordinal - a.ordinal)
    .slice(0, cancelsPerAppendMax)
    .map(({ turn }) => turn.id);
  let work = session;
  const events: SessionEvent[] = [];
  for (const turnId of turns) {
    for (const event of cancelTurn({ ...command, turnId }, work, revision + events.length)) {
      work = sessionKind.evolve(work, event, revision + events.length + 1);
      events.push(event);
    }
  }
  return events;
}

export interface ParkTurn {
  turnId: string;
  epoch: number;
  now: string;
  activeMs: number;
  /** Calls that wait for something of the session. */
  waits: readonly TurnWait[];
  /** Calls that go on outside the turn from here on: none has left yet. */
  jobs: readonly JobPlan[];
}

/**
 * Parks a turn; it holds no process from here on. What it would wait for may have come meanwhile, or a nudge that would
 * wake it: then it goes on at once, and none of the new jobs is begun.
 *
 * Gives    for each new job `ToolJobStarted`, before any of its bytes leave; `TurnParked`. Or the calls' ends and what
 *          the boundary brings.
 * Source   rules T8, T9, T10, N13, T34.
 */
export function parkTurn(command: ParkTurn, session: SessionState): SessionEvent[] {
  const open = owned(session, command);
  const calls = waitingCalls(open, command);
  const wait = shownWait(calls);
  if (!wait) return [];
  const reason = reasonToGoOn(calls, wait, open, session);
  if (reason) return endCalls(callEnds(calls, reason, session), session, open, command.now);
  const started = command.jobs.flatMap((plan) => startJob(plan, open, command.now));
  return [...started, parked(open, { ...command, wait, calls })];
}

function owned(session: SessionState, command: { turnId: string; epoch: number }): OpenTurn {
  const open = session.open.get(command.turnId);
  if (!open || open.epoch !== command.epoch || open.turn.status !== 'running') throw new TurnLost(command.turnId);
  return open;
}

function completed(
  open: OpenTurn,
  usage: Usage,
  now: string,
  output?: { value: JsonObject; source: 'tool' | 'text' },
): SessionEvent {
  const calls = usage.calls ?? 0;
  const turn: TurnRecord = {
    ...withStatus(open.turn, 'completed', now),
    usage: calls > 0 ? usage : {},
    completed_at: now,
  };
  if (output) Object.assign(turn, { output: output.value, output_source: output.source });
  return { type: 'TurnCompleted', data: { turn } };
}
