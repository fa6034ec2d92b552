import { listLength } from '@aos/kernel';
import type { Block, OutcomeRecord, SessionEvent, SessionOpening, ToolOutcome } from '../session/session.events.js';
import { turnId } from '../session/session.ids.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { newestOpen, startedByOutcome, type FreshTurn } from './fresh-turn.decide.js';
import { deliverAsTurn, deliverNudge, nudgesFor, retargetNudges } from './pending-nudges.decide.js';
import type { RowWriter } from './rows.decide.js';

/**
 * All outcomes of an answer as one row, and after it the context that they brought, where it is new or changed (rule
 * T31).
 */
function resultRows(
  outcomes: readonly ToolOutcome[],
  session: SessionState,
  rows: RowWriter,
  now: string,
): SessionEvent[] {
  const newest = new Map(outcomes.flatMap(({ context = [] }) => context.map((item) => [item.name, item] as const)));
  const changed = [...newest.values()].filter(({ name, digest }) => session.context.get(name)?.digest !== digest);
  return [
    rows.append({ role: 'user', content: outcomes.map(resultBlock), created_at: now }),
    ...changed.map((item) => rows.record(item, now)),
  ];
}

function resultBlock(outcome: ToolOutcome): Block {
  return {
    type: 'tool_result',
    tool_use_id: outcome.tool_call_id,
    content: outcome.content,
    is_error: outcome.is_error,
  };
}

/**
 * Calls of the turn end: their outcomes, and with the last of the answer's calls the results row and what the boundary
 * brings. `rest`: how many stay open.
 */
export function callsEnded(
  ended: readonly ToolOutcome[],
  session: SessionState,
  open: OpenTurn,
  rows: RowWriter,
  now: string,
): { events: SessionEvent[]; rest: number; brought: number } {
  const byId = new Map(ended.map((outcome) => [outcome.tool_call_id, outcome]));
  const events: SessionEvent[] = ended.map((outcome) => ({
    type: 'ToolCallFinished',
    data: { turn_id: open.turn.id, outcome },
  }));
  const outcomes = open.pending.map(({ call, outcome }) => outcome ?? byId.get(call.tool_call_id) ?? null);
  const known = outcomes.filter((outcome) => outcome !== null);
  const rest = outcomes.length - known.length;
  if (rest > 0) return { events, rest, brought: 0 };
  events.push(...resultRows(known, session, rows, now));
  const brought = atBoundary(session, open, rows, now);
  return { events: [...events, ...brought], rest, brought: brought.length };
}

/** The result of a call that waited for an interaction; the outcome itself is a separate row. */
export function resolvedOutcome(toolCallId: string, interactionId: string): ToolOutcome {
  return {
    tool_call_id: toolCallId,
    status: 'ok',
    content: JSON.stringify({ event_type: 'interaction.resolved', interaction_id: interactionId }),
    is_error: false,
  };
}

/**
 * The events of a safe boundary: it takes in every outcome that waits for this turn, and the oldest nudge.
 *
 * Source   rules SES3, LIM4, N12, S29, S31, S32.
 */
export function atBoundary(session: SessionState, open: OpenTurn, rows: RowWriter, now: string): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const { outcome, turnId: target } of session.pendingOutcomes) {
    if (target !== open.turn.id) continue;
    events.push(rows.append({ role: 'user', content: outcome.content, metadata: outcome.metadata, created_at: now }));
    events.push({
      type: 'OutcomeDelivered',
      data: { interaction_id: outcome.interaction_id, delivery_id: outcome.delivery_id },
    });
  }
  return [...events, ...deliverNudge(session, open, rows, now)];
}

/** Every requested call gets a result before the turn ends, so that the transcript stays valid for any provider. */
export function closePending(open: OpenTurn, rows: RowWriter, now: string): SessionEvent[] {
  if (open.pending.length === 0) return [];
  const outcomes = open.pending.map(
    ({ call, outcome }): ToolOutcome =>
      outcome ?? {
        tool_call_id: call.tool_call_id,
        status: 'cancelled',
        content: 'The call was not completed.',
        is_error: true,
      },
  );
  return [rows.append({ role: 'user', content: outcomes.map(resultBlock), created_at: now })];
}

/**
 * A turn ends that could have absorbed more: what waits for it goes to the newest other open turn, or starts a fresh
 * one.
 *
 * Takes    the session before the end, the ending turn, and where the numbering stands after the end's own events.
 * Source   rules SES3, L6, N5 (the target ended first); invariants 43, 51.
 */
export function reassignPendingInputs(
  session: SessionState,
  ending: OpenTurn,
  fresh: Omit<FreshTurn, 'ordinal' | 'timeoutSeconds'>,
  which: { nudges: boolean },
): SessionEvent[] {
  const opening = session.opening as SessionOpening;
  const nudges = which.nudges ? nudgesFor(ending, session) : [];
  const outcomes = session.pendingOutcomes
    .filter(({ turnId: target }) => target === ending.turn.id)
    .map(({ outcome }) => outcome);
  if (nudges.length === 0 && outcomes.length === 0) return [];
  const other = newestOpen(session, ending.turn.id);
  const events: SessionEvent[] = [];
  let target = other ? { id: other.turn.id, status: other.turn.status } : null;
  if (!target) {
    const first: FreshTurn = {
      ...fresh,
      ordinal: listLength(session.queuedAt),
      timeoutSeconds: ending.input.agent_timeout_seconds ?? ending.turn.effective_timeout_seconds,
    };
    target = { id: turnId(opening.id, first.ordinal), status: 'queued' };
    const [outcome] = outcomes;
    const [nudge] = nudges;
    if (outcome) {
      outcomes.shift();
      events.push(...startedByOutcome(opening, first, outcome), delivered(outcome));
    } else if (nudge) {
      nudges.shift();
      events.push(...deliverAsTurn(nudge, target, first, session));
    }
  }
  events.push(...retargetNudges(nudges, target));
  for (const outcome of outcomes)
    events.push(delivered(outcome), { type: 'OutcomeReceived', data: { outcome, turn_id: target.id } });
  return events;
}

function delivered(outcome: OutcomeRecord): SessionEvent {
  return {
    type: 'OutcomeDelivered',
    data: { interaction_id: outcome.interaction_id, delivery_id: outcome.delivery_id },
  };
}
