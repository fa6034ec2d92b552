import { Refusal, invalidArgument, notFound, type JsonObject, listLength, mapGet } from '@aos/kernel';
import { turnId, turnRowId } from '../session/session.ids.js';
import { openedMeanwhile } from '../session/lifecycle.decide.js';
import { openTurnsMax, timeoutSecondsDefault } from '../session/session.limits.js';
import type { Block, Row, RowFile, SessionEvent, SessionOpening, TurnInputFacts } from '../session/session.events.js';
import { openDirectTurn, type SessionState } from '../session/session.state.js';
import { claimOf, newTurn } from './fresh-turn.decide.js';
import { contextRow, type ContextItem } from './context.decide.js';

export interface StartTurn {
  now: string;
  /** The session to open when the stream is empty; null: it must exist. */
  open: SessionOpening | null;
  /** It was looked for by its key and was not there: whether the caller may join one that is there now is not known. */
  wasAbsent?: boolean;
  /** Whether an archived session comes back to life (resolving calls; rule S6). */
  reactivates: boolean;
  agent: { status: 'active' | 'inactive'; timeoutSeconds: number };
  idempotencyKey: string | null;
  /** Null: the message holds a `file` block and is dropped (rule S33). */
  content: Block[] | null;
  /** Files of the service that the content refers to. */
  files?: RowFile[];
  /** One of these files is out of the caller's reach. */
  hasUnseenFile?: boolean;
  /** How many blocks were dropped with it. */
  droppedBlocks?: number;
  metadata: JsonObject | null;
  context: ContextItem[];
  operationTimeoutSeconds: number | null;
  outputSchema: JsonObject | null;
  principalId: string;
  principalKind: string;
  /** The most that the turn may do, of a key with a cap. */
  principalPermissions?: string[];
  /** Runner that keeps a slot for the turn; null or absent: the turn is claimed by a later append. */
  runner?: string | null;
}

/**
 * Starts a direct turn from one input, and opens its session where that is asked for.
 *
 * Takes    the folded session and its revision; ids and times come in the command, so that replay and tests are exact.
 * Gives    the session's opening if it was not there, context rows that changed, the input row, `TurnQueued`; with a
 *          runner also `TurnClaimed`, when no other turn of the session is open; nothing when the key was seen.
 * Refuses  not_found; session_key_conflict for a session that was opened since it was looked for; invalid_argument
 *          {argument: source.url} for a file out of the caller's reach; session_not_active;
 *          agent_inactive; session_turn_active {turn_id, status} while a direct turn is open.
 * Units    times RFC 3339 UTC; digests over UTF-8 bytes.
 * Source   rules INV1, INV2, INV3, INV4, T3, T4, T5, T6, T7, T22, T25, T30, S6, S33, TE8, TP11.
 */
export function startTurn(command: StartTurn, session: SessionState, revision: number): SessionEvent[] {
  const opens = session.opening === null;
  if (opens && !command.open) throw notFound('session');
  if (session.status === 'deleted') throw notFound('session');
  if (!opens && command.wasAbsent) throw openedMeanwhile();
  const key = command.idempotencyKey?.trim() || null; // blank means none (rule INV2)
  if (key && mapGet(session.turnByKey, key) !== undefined) return [];
  if (command.hasUnseenFile) throw unseenFile();
  const openTurn = openDirectTurn(session);
  if (openTurn)
    throw new Refusal(
      'session_turn_active',
      { turn_id: openTurn.turn.id, status: openTurn.turn.status },
      'the session has an open direct turn',
    );
  if (session.status === 'archived' && !command.reactivates)
    throw new Refusal('session_not_active', {}, 'the session is archived');
  if (command.agent.status !== 'active') throw new Refusal('agent_inactive', {}, 'the agent is inactive');
  if (session.open.size >= openTurnsMax) throw new Refusal('conflict', {}, 'too many turns wait in this session');

  const opening = session.opening ?? (command.open as SessionOpening);
  const events: SessionEvent[] = [];
  if (opens) events.push({ type: 'SessionOpened', data: { session: opening } });
  else if (session.status === 'archived') events.push({ type: 'SessionReactivated', data: { at: command.now } });
  events.push(...turnAdmission(command, key, session, opening, revision));
  return events;
}

/** An address of our own form names no file that the caller sees (rule TE8). */
export function unseenFile(): Refusal {
  return invalidArgument('source.url', 'names no file that you see');
}

function turnAdmission(
  command: StartTurn,
  key: string | null,
  session: SessionState,
  opening: SessionOpening,
  revision: number,
): SessionEvent[] {
  const ordinal = listLength(session.queuedAt);
  const id = turnId(opening.id, ordinal);
  const events: SessionEvent[] = [];
  let sequence = session.sequence;
  for (const item of command.context) {
    if (session.context.get(item.name)?.digest === item.digest) continue;
    sequence += 1;
    events.push({
      type: 'ContextRecorded',
      data: { row: contextRow(opening.id, sequence, id, item, command.now), name: item.name, digest: item.digest },
    });
  }
  let inputSequence: number | null = null;
  if (command.content) {
    sequence += 1;
    inputSequence = sequence;
    const row: Row = {
      id: turnRowId(opening.id, ordinal, 0),
      role: 'user',
      content: command.content,
      entry_type: 'message',
      sequence,
      turn_id: id,
      turn_index: 0,
      created_at: command.now,
    };
    if (command.metadata) row.metadata = command.metadata;
    if (command.files && command.files.length > 0) row.files = command.files;
    events.push({ type: 'MessageAppended', data: { row } });
  }
  const input: TurnInputFacts = {
    idempotency_key: key,
    direct: true,
    origin: 'input',
    resume_revision: revision,
    after_sequence: sequence,
    input_sequence: inputSequence,
    principal_id: command.principalId,
    principal_kind: command.principalKind,
  };
  if (command.principalPermissions) input.principal_permissions = command.principalPermissions;
  if (command.outputSchema) input.output_schema = command.outputSchema;
  if (command.droppedBlocks !== undefined) input.dropped_blocks = command.droppedBlocks;
  const agentTimeout = command.agent.timeoutSeconds || timeoutSecondsDefault;
  if (command.operationTimeoutSeconds !== null) input.agent_timeout_seconds = agentTimeout;
  const turn = newTurn(id, ordinal, opening, command.operationTimeoutSeconds ?? agentTimeout, command.now);
  events.push({ type: 'TurnQueued', data: { turn, input } });
  if (command.runner && session.open.size === 0)
    events.push(claimOf(turn, 1, { runner: command.runner, now: command.now }));
  return events;
}
