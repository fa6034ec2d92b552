import type { NudgeRecord, SessionEvent, SessionOpening, ToolOutcome, TurnWait } from '../session/session.events.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { openCall, openCalls } from '../session/open-turns.state.js';
import { callsEnded, resolvedOutcome } from './boundary.decide.js';
import { withStatus } from './fresh-turn.decide.js';
import { RowWriter } from './rows.decide.js';

/** The event that a turn waits for when it waits for the result of a call. */
const resultEvent = 'action.completed';

/** Result of a tool that waited when a nudge woke its turn (rule N9). */
const interrupted = JSON.stringify({ interrupted: true, reason: 'user_direction' });

/**
 * An open call, and what keeps it open: a job of its own, or the question that it waits for. Neither: its turn was
 * parked by an earlier release.
 */
export interface WaitingCall {
  toolCallId: string;
  isJob: boolean;
  question: TurnWait | null;
}

/** Waits of a parking turn's calls that are not yet in the session's state. */
export interface NewWaits {
  waits: readonly TurnWait[];
  jobs: readonly { toolCallId: string }[];
}

/** The turn's open calls in the order of its answer, each with what it waits for. */
export function waitingCalls(open: OpenTurn, added: NewWaits = { waits: [], jobs: [] }): WaitingCall[] {
  return openCalls(open).map(({ call: { tool_call_id: toolCallId }, job, wait }) => {
    const known = wait ?? [...added.waits, open.turn.wait].find((one) => one?.tool_call_id === toolCallId);
    const isJob = job !== undefined || added.jobs.some((planned) => planned.toolCallId === toolCallId);
    return { toolCallId, isJob, question: !isJob && known?.interaction_id ? known : null };
  });
}

/**
 * The wait of a turn with these open calls: the first job, else the first question; null when no call waits.
 *
 * Source   rules T10, T34.
 */
export function shownWait(calls: readonly WaitingCall[]): TurnWait | null {
  const job = calls.find(({ isJob }) => isJob);
  if (job) return { kind: 'event', event_type: resultEvent, tool_call_id: job.toolCallId };
  return calls.find(({ question }) => question)?.question ?? null;
}

/**
 * A turn that waits for an answer resumes on every nudge, one that waits for an action only on a nudge with `wake`
 * (rule SES3).
 */
export function wakes({ wake }: Pick<NudgeRecord, 'wake'>, wait: TurnWait): boolean {
  return wait.kind === 'interaction' || wake;
}

/**
 * Why a turn does not wait with these calls: a nudge that would wake it is pending (rule N13), or one of its questions
 * is answered; null: it waits.
 */
export function reasonToGoOn(
  calls: readonly WaitingCall[],
  wait: TurnWait,
  open: OpenTurn,
  session: SessionState,
): 'nudge' | 'interaction' | null {
  if (session.pendingNudges.some((nudge) => nudge.turn.id === open.turn.id && wakes(nudge, wait))) return 'nudge';
  if (wait.kind === 'interaction' && calls.some(({ question }) => isAnswered(question, session))) return 'interaction';
  return null;
}

/**
 * How the calls of a turn that goes on end: a question with an outcome is resolved; what a nudge interrupts says so;
 * any other question is still pending, and its outcome comes as a row. A call of which nothing is known stays open: it
 * is made again.
 *
 * Source   rules N9, T34, S31, S32.
 */
export function callEnds(
  calls: readonly WaitingCall[],
  reason: 'nudge' | 'interaction' | 'action',
  session: SessionState,
): ToolOutcome[] {
  const shown = shownWait(calls);
  return calls.flatMap(({ toolCallId, question }) => {
    if (question && isAnswered(question, session)) return [resolvedOutcome(toolCallId, question.interaction_id ?? '')];
    if (reason === 'nudge' && (!question || shown?.tool_call_id === toolCallId)) return [told(toolCallId, interrupted)];
    return question
      ? [told(toolCallId, JSON.stringify({ pending: true, interaction_id: question.interaction_id }))]
      : [];
  });
}

/** A turn comes to wait, or from now on waits for something else. */
export function parked(
  open: OpenTurn,
  command: { wait: TurnWait; calls: readonly WaitingCall[]; epoch: number; activeMs: number; now: string },
): SessionEvent {
  const turn = { ...withStatus(open.turn, 'waiting', command.now), wait: command.wait };
  const waits = command.calls.flatMap(({ question }) => question ?? []);
  return { type: 'TurnParked', data: { turn, epoch: command.epoch, active_ms: command.activeMs, waits } };
}

/**
 * Ends a turn's wait with outcomes of its calls: the outcomes, the results row when no call is left open, what the
 * boundary brings, and the turn back in the queue.
 *
 * Source   rule T8 (`waiting` to `queued`).
 */
export function resumeTurn(
  command: { now: string; outcomes: readonly ToolOutcome[]; reason: string },
  session: SessionState,
  open: OpenTurn,
): SessionEvent[] {
  const rows = new RowWriter(session.sequence, open, session.opening as SessionOpening);
  const outcomes = command.outcomes.filter(({ tool_call_id: id }) => openCall(open, id));
  const events = outcomes.length === 0 ? [] : callsEnded(outcomes, session, open, rows, command.now).events;
  return [
    ...events,
    { type: 'TurnResumed', data: { turn: withStatus(open.turn, 'queued', command.now), reason: command.reason } },
  ];
}

function isAnswered(question: TurnWait | null, session: SessionState): boolean {
  return (
    question !== null &&
    session.pendingOutcomes.some(({ outcome }) => outcome.interaction_id === question.interaction_id)
  );
}

function told(toolCallId: string, content: string): ToolOutcome {
  return { tool_call_id: toolCallId, status: 'ok', content, is_error: false };
}
