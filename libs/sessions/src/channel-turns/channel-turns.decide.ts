import { Refusal, notFound, listLength, mapGet, type JsonObject } from '@aos/kernel';
import { openTurnsMax } from '../session/session.limits.js';
import type { Block, SessionEvent, SessionOpening } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { freshTurn } from '../turn/fresh-turn.decide.js';

export interface StartChannelTurn {
  now: string;
  /** The session to open when the stream is empty; null: it must exist. */
  open: SessionOpening | null;
  isAgentActive: boolean;
  timeoutSeconds: number;
  exchangeId: string;
  content: Block[];
  metadata: JsonObject;
  principalId: string;
  principalKind: string;
  principalPermissions: string[];
}

/**
 * Queues the turn that answers a message of a channel, once. It is not direct: it waits behind the open turns, and
 * never makes a session busy for its callers.
 *
 * Gives    the session's opening if it was not there, the message's row, `TurnQueued`; nothing when the exchange has
 *          its turn.
 * Refuses  not_found; agent_inactive; conflict when too many turns wait.
 * Source   rules T22, TE14.
 */
export function startChannelTurn(command: StartChannelTurn, session: SessionState, revision: number): SessionEvent[] {
  if (session.status === 'deleted') throw notFound('session');
  const opening = session.opening ?? command.open;
  if (!opening) throw notFound('session');
  const key = channelTurnKey(command.exchangeId);
  if (mapGet(session.turnByKey, key) !== undefined) return [];
  if (!command.isAgentActive) throw new Refusal('agent_inactive', {}, 'the agent is inactive');
  if (session.open.size >= openTurnsMax)
    throw new Refusal('conflict', { limit: openTurnsMax }, 'too many turns wait in this session');
  const events: SessionEvent[] = [];
  if (!session.opening) events.push({ type: 'SessionOpened', data: { session: opening } });
  else if (session.status === 'archived') events.push({ type: 'SessionReactivated', data: { at: command.now } });
  const { now, content, metadata, principalId, principalKind, principalPermissions, timeoutSeconds } = command;
  const fresh = { ordinal: listLength(session.queuedAt), sequence: session.sequence, revision, timeoutSeconds, now };
  const start = { origin: 'message' as const, content, metadata, principalId, principalKind, principalPermissions };
  for (const event of freshTurn(opening, fresh, start)) {
    if (event.type !== 'TurnQueued') {
      events.push(event);
      continue;
    }
    const { turn, input } = event.data;
    events.push({
      type: 'TurnQueued',
      data: { turn: { ...turn, channel_exchange_id: command.exchangeId }, input: { ...input, idempotency_key: key } },
    });
  }
  return events;
}

/** Callers' keys have no space in front: theirs and these never meet. */
export function channelTurnKey(exchangeId: string): string {
  return ` ${exchangeId}`;
}
