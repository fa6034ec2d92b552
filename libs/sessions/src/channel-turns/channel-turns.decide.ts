import { listLength, type JsonObject } from '@aos/kernel';
import type { Block, SessionEvent, SessionOpening } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { freshTurn } from '../turn/fresh-turn.decide.js';
import { waitingStart } from '../turn/waiting-start.decide.js';

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
  const key = channelTurnKey(command.exchangeId);
  const start = waitingStart({ ...command, key }, session);
  if (!start) return [];
  const { opening, events } = start;
  const { now, content, metadata, principalId, principalKind, principalPermissions, timeoutSeconds } = command;
  const fresh = { ordinal: listLength(session.queuedAt), sequence: session.sequence, revision, timeoutSeconds, now };
  const asked = { origin: 'message' as const, content, metadata, principalId, principalKind, principalPermissions };
  for (const event of freshTurn(opening, fresh, asked)) {
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
