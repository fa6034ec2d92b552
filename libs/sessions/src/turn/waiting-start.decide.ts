import { Refusal, mapGet, notFound } from '@aos/kernel';
import type { SessionEvent, SessionOpening } from '../session/session.events.js';
import { openTurnsMax } from '../session/session.limits.js';
import type { SessionState } from '../session/session.state.js';

/**
 * The beginning of a turn that is not direct: it waits behind the open turns, and never makes a session busy for its
 * callers.
 *
 * Takes    the session to open when the stream is empty (null: it must exist), and the key that the turn has.
 * Gives    the session's opening with the events that make it ready; null when the key has its turn.
 * Refuses  not_found; agent_inactive; conflict when too many turns wait.
 * Source   rule T22.
 */
export function waitingStart(
  { open, key, isAgentActive, now }: { open: SessionOpening | null; key: string; isAgentActive: boolean; now: string },
  session: SessionState,
): { opening: SessionOpening; events: SessionEvent[] } | null {
  if (session.status === 'deleted') throw notFound('session');
  const opening = session.opening ?? open;
  if (!opening) throw notFound('session');
  if (mapGet(session.turnByKey, key) !== undefined) return null;
  if (!isAgentActive) throw new Refusal('agent_inactive', {}, 'the agent is inactive');
  if (session.open.size >= openTurnsMax)
    throw new Refusal('conflict', { limit: openTurnsMax }, 'too many turns wait in this session');
  if (!session.opening) return { opening, events: [{ type: 'SessionOpened', data: { session: opening } }] };
  const isArchived = session.status === 'archived';
  return { opening, events: isArchived ? [{ type: 'SessionReactivated', data: { at: now } }] : [] };
}
