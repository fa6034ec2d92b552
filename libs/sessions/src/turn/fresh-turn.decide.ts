import type {
  Block,
  OutcomeRecord,
  Row,
  SessionEvent,
  SessionOpening,
  TurnInputFacts,
  TurnRecord,
} from '../session/session.events.js';
import { turnId, turnRowId } from '../session/session.ids.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';

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
    origin: 'nudge' | 'outcome' | 'routine' | 'message';
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

/** The claim of a queued turn at its next epoch. */
export function claimOf(turn: TurnRecord, epoch: number, command: { runner: string; now: string }): SessionEvent {
  return {
    type: 'TurnClaimed',
    data: { turn: withStatus(turn, 'running', command.now), epoch, runner: command.runner },
  };
}

/** The open turn that takes nudges and outcomes: the newest one (rule N11). */
export function newestOpen(session: SessionState, except?: string): OpenTurn | null {
  let newest: OpenTurn | null = null;
  for (const open of session.open.values())
    if (open.turn.id !== except && (!newest || open.ordinal > newest.ordinal)) newest = open;
  return newest;
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
