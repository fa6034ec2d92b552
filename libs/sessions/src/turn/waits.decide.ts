import type { NudgeRecord, ToolOutcome, TurnWait } from '../session/session.events.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { resolvedOutcome } from './boundary.decide.js';
import { openCalls } from '../session/open-turns.state.js';

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

function isAnswered(question: TurnWait | null, session: SessionState): boolean {
  return (
    question !== null &&
    session.pendingOutcomes.some(({ outcome }) => outcome.interaction_id === question.interaction_id)
  );
}

function told(toolCallId: string, content: string): ToolOutcome {
  return { tool_call_id: toolCallId, status: 'ok', content, is_error: false };
}
