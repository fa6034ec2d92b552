import { isSoftware, type Identity, type JsonObject, listLength } from '@aos/kernel';
import type { Block, SessionEvent, SessionOpening } from '../session/session.events.js';
import { turnRowId } from '../session/session.ids.js';
import type { SessionState } from '../session/session.state.js';
import { freshTurn } from '../turn/fresh-turn.decide.js';
import { waitingStart } from '../turn/waiting-start.decide.js';

export interface StartRoutineTurn {
  now: string;
  /** The session to open when the stream is empty; null: it must exist. */
  open: SessionOpening | null;
  isAgentActive: boolean;
  timeoutSeconds: number;
  occurrenceId: string;
  routineName: string;
  instructions: Block[];
  /** The event that set the run off, as data and not as instructions; null: nothing to read. */
  event: Block[] | null;
  metadata: JsonObject;
  principalId: string;
  principalKind: string;
  principalPermissions: string[];
}

/**
 * Queues the turn of a routine's run, once. It is not direct: it waits behind the open turns, and never makes a session
 * busy for its callers.
 *
 * Gives    the session's opening if it was not there, the instructions' row, `TurnQueued`, the event's row; nothing
 *          when this run was queued before.
 * Refuses  not_found; agent_inactive; conflict when too many turns wait.
 * Source   rules T22, X3.
 */
export function startRoutineTurn(command: StartRoutineTurn, session: SessionState, revision: number): SessionEvent[] {
  const key = routineTurnKey(command.occurrenceId);
  const start = waitingStart({ ...command, key }, session);
  if (!start) return [];
  const { opening, events } = start;
  const { now, metadata, principalId, principalKind, principalPermissions } = command;
  const ordinal = listLength(session.queuedAt);
  const fresh = { ordinal, sequence: session.sequence, revision, timeoutSeconds: command.timeoutSeconds, now };
  for (const event of freshTurn(opening, fresh, {
    origin: 'routine',
    content: command.instructions,
    metadata,
    principalId,
    principalKind,
  })) {
    if (event.type !== 'TurnQueued') {
      events.push(event);
      continue;
    }
    const { turn, input } = event.data;
    events.push({
      type: 'TurnQueued',
      data: {
        turn: { ...turn, routine_name: command.routineName },
        input: {
          ...input,
          idempotency_key: key,
          occurrence_id: command.occurrenceId,
          principal_permissions: principalPermissions,
        },
      },
    });
  }
  if (command.event) {
    const row = {
      id: turnRowId(opening.id, ordinal, 1),
      role: 'user' as const,
      content: command.event,
      entry_type: 'message',
      sequence: session.sequence + 2,
      turn_id: turnIdIn(events),
      turn_index: 1,
      metadata,
      created_at: now,
    };
    events.push({ type: 'MessageAppended', data: { row } });
  }
  return events;
}

/**
 * Keys of the sessions that a routine's runs may go on in: the shared one, and one of each principal that finds it
 * taken.
 */
export function runSessionKeys(sessionKey: string, principalId: string): [string, string] {
  return [sessionKey, `${sessionKey}:${principalId}`];
}

/** Whether a session's key is one of `runSessionKeys` for any principal. */
export function isRunSessionKey(key: unknown, sessionKey: string): boolean {
  return typeof key === 'string' && (key === sessionKey || key.startsWith(`${sessionKey}:`));
}

/** Whether a session was opened by a run with the same owner and audience as this principal's would have (rule A28). */
export function isSessionOfRuns({ opening }: SessionState, who: Pick<Identity, 'principalId' | 'kind'>): boolean {
  if (opening?.origin !== 'routine') return false;
  if (isSoftware(who.kind)) return opening.owner.kind === 'team';
  return opening.owner.id === who.principalId;
}

/** Callers' keys have no space in front: theirs and these never meet. */
export function routineTurnKey(occurrenceId: string): string {
  return ` ${occurrenceId}`;
}

function turnIdIn(events: readonly SessionEvent[]): string | null {
  for (const event of events) if (event.type === 'TurnQueued') return event.data.turn.id;
  return null;
}
