import { listLength } from '@aos/kernel';
import type {
  Block,
  NudgeRecord,
  NudgeSender,
  OutcomeRecord,
  Row,
  SessionEvent,
  SessionOpening,
  ToolOutcome,
  TurnInputFacts,
  TurnRecord,
} from '../session/session.events.js';
import { rowOutsideTurnsId, turnId, turnRowId } from '../session/session.ids.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { contextRow, type ContextItem } from './context.decide.js';

type NewRow = Pick<Row, 'role' | 'content' | 'created_at'> & Partial<Pick<Row, 'hidden' | 'metadata'>>;

/** Numbers the rows that one decision adds, inside a turn and outside. */
export class RowWriter {
  private index: number;

  constructor(
    private sequence: number,
    private readonly open: OpenTurn,
    private readonly opening: SessionOpening,
  ) {
    this.index = open.nextIndex;
  }

  get lastSequence(): number {
    return this.sequence;
  }

  append(row: NewRow): SessionEvent {
    this.sequence += 1;
    const index = this.index;
    this.index += 1;
    return {
      type: 'MessageAppended',
      data: {
        row: {
          id: turnRowId(this.opening.id, this.open.ordinal, index),
          entry_type: 'message',
          sequence: this.sequence,
          turn_id: this.open.turn.id,
          turn_index: index,
          ...row,
        },
      },
    };
  }

  /** Between the turn's rows, without a place among them. */
  record(item: ContextItem, now: string): SessionEvent {
    this.sequence += 1;
    return {
      type: 'ContextRecorded',
      data: {
        row: contextRow(this.opening.id, this.sequence, this.open.turn.id, item, now),
        name: item.name,
        digest: item.digest,
      },
    };
  }
}

/**
 * All outcomes of an answer as one row, and after it the context that they brought, where it is new or changed (rule
 * T31).
 */
export function resultRows(
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
  const nudge = session.pendingNudges.find(({ turn }) => turn.id === open.turn.id);
  if (nudge) {
    events.push(nudgeRow(nudge, rows, now));
    events.push({
      type: 'NudgeDelivered',
      data: {
        nudge: {
          ...nudge,
          status: 'delivered',
          turn: { id: open.turn.id, status: open.turn.status },
          delivered_at: now,
        },
      },
    });
  }
  return events;
}

function nudgeRow(nudge: NudgeRecord, rows: RowWriter, now: string): SessionEvent {
  return rows.append({
    role: 'user',
    created_at: now,
    metadata: { ...nudge.metadata, session_nudge_id: nudge.id },
    content: [{ type: 'reminder', name: 'session-nudge', tier: 'contextual', content: nudge.content }],
  });
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

/** Where a turn that starts by itself stands in the numbering. */
export interface FreshTurn {
  ordinal: number;
  sequence: number;
  revision: number;
  timeoutSeconds: number;
  now: string;
}

/**
 * A fresh turn that a nudge or an outcome starts: its row, and `TurnQueued`.
 *
 * Source   rules SES3, S30, S32, T22: a nudge's turn is direct, an outcome's is not.
 */
export function freshTurn(
  opening: SessionOpening,
  fresh: FreshTurn,
  start: {
    origin: 'nudge' | 'outcome' | 'routine';
    content: Block[];
    metadata: Row['metadata'];
    principalId: string;
    principalKind: string;
    principalPermissions?: string[] | undefined;
  },
): SessionEvent[] {
  const id = turnId(opening.id, fresh.ordinal);
  const sequence = fresh.sequence + 1;
  const row: Row = {
    id: turnRowId(opening.id, fresh.ordinal, 0),
    role: 'user',
    content: start.content,
    entry_type: 'message',
    sequence,
    turn_id: id,
    turn_index: 0,
    created_at: fresh.now,
  };
  if (start.metadata) row.metadata = start.metadata;
  const input: TurnInputFacts = {
    idempotency_key: null,
    direct: start.origin === 'nudge',
    origin: start.origin,
    resume_revision: fresh.revision,
    after_sequence: sequence,
    input_sequence: sequence,
    principal_id: start.principalId,
    principal_kind: start.principalKind,
  };
  if (start.principalPermissions) input.principal_permissions = start.principalPermissions;
  return [
    { type: 'MessageAppended', data: { row } },
    { type: 'TurnQueued', data: { turn: newTurn(id, fresh.ordinal, opening, fresh.timeoutSeconds, fresh.now), input } },
  ];
}

export function newTurn(
  id: string,
  ordinal: number,
  opening: SessionOpening,
  timeoutSeconds: number,
  now: string,
): TurnRecord {
  return {
    id,
    agent_id: opening.agent_id,
    session_id: opening.id,
    attempt: 1,
    status: 'queued',
    phase: 'queued',
    seq: ordinal,
    effective_timeout_seconds: timeoutSeconds,
    created_at: now,
    updated_at: now,
  };
}

export function withStatus(turn: TurnRecord, status: TurnRecord['status'], now: string): TurnRecord {
  const { wait: _, ...rest } = turn;
  const phase = status === 'queued' || status === 'running' || status === 'waiting' ? status : null;
  return { ...rest, status, phase, updated_at: now };
}

/** A row outside any turn. */
export function rowOutsideTurns(opening: SessionOpening, sequence: number, row: NewRow): Row {
  return {
    id: rowOutsideTurnsId(opening.id, sequence),
    entry_type: 'message',
    sequence,
    turn_id: null,
    turn_index: null,
    ...row,
  };
}

/** The open turn that takes nudges and outcomes: the newest one (rule N11). */
export function newestOpen(session: SessionState, except?: string): OpenTurn | null {
  let newest: OpenTurn | null = null;
  for (const open of session.open.values())
    if (open.turn.id !== except && (!newest || open.ordinal > newest.ordinal)) newest = open;
  return newest;
}

/**
 * A turn ends that could have absorbed more: what waits for it goes to the newest other open turn, or starts a fresh
 * one.
 *
 * Takes    the session before the end, the ending turn, and where the numbering stands after the end's own events.
 * Source   rules SES3, N5 (the target ended first); invariants 43, 51.
 */
export function reassignPendingInputs(
  session: SessionState,
  ending: OpenTurn,
  fresh: Omit<FreshTurn, 'ordinal' | 'timeoutSeconds'>,
  which: { nudges: boolean },
): SessionEvent[] {
  const opening = session.opening as SessionOpening;
  const nudges = which.nudges ? session.pendingNudges.filter(({ turn }) => turn.id === ending.turn.id) : [];
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
      timeoutSeconds: ending.turn.effective_timeout_seconds,
    };
    target = { id: turnId(opening.id, first.ordinal), status: 'queued' };
    const [outcome] = outcomes;
    const [nudge] = nudges;
    if (outcome) {
      outcomes.shift();
      events.push(...startedByOutcome(opening, first, outcome), delivered(outcome));
    } else if (nudge) {
      nudges.shift();
      events.push(...startedByNudge(opening, first, nudge, session.nudgeSenders?.get(nudge.id)), {
        type: 'NudgeDelivered',
        data: { nudge: deliveredAsTurn(nudge, target, fresh.now) },
      });
    }
  }
  for (const nudge of nudges) events.push({ type: 'NudgeRetargeted', data: { nudge: { ...nudge, turn: target } } });
  for (const outcome of outcomes)
    events.push(delivered(outcome), { type: 'OutcomeReceived', data: { outcome, turn_id: target.id } });
  return events;
}

/**
 * The turn acts for who sent the nudge (rules A33, S30). Of a nudge from before its sender was recorded only the id is
 * known, and the kind is read where it matters.
 */
export function startedByNudge(
  opening: SessionOpening,
  first: FreshTurn,
  nudge: NudgeRecord,
  sender: NudgeSender | undefined,
): SessionEvent[] {
  return freshTurn(opening, first, {
    origin: 'nudge',
    content: [{ type: 'text', text: nudge.content }],
    metadata: { ...nudge.metadata, session_nudge_id: nudge.id },
    principalId: nudge.sender_principal_id,
    principalKind: sender?.kind ?? 'service',
    principalPermissions: sender?.permissions,
  });
}

export function deliveredAsTurn(nudge: NudgeRecord, turn: NudgeRecord['turn'], now: string): NudgeRecord {
  return { ...nudge, status: 'delivered', delivery: 'new_turn', turn, delivered_at: now };
}

export function startedByOutcome(opening: SessionOpening, first: FreshTurn, outcome: OutcomeRecord): SessionEvent[] {
  return freshTurn(opening, first, {
    origin: 'outcome',
    content: outcome.content,
    metadata: outcome.metadata,
    principalId: outcome.principal_id,
    principalKind: outcome.principal_kind,
    principalPermissions: outcome.principal_permissions,
  });
}

function delivered(outcome: OutcomeRecord): SessionEvent {
  return {
    type: 'OutcomeDelivered',
    data: { interaction_id: outcome.interaction_id, delivery_id: outcome.delivery_id },
  };
}
